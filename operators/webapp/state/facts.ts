/** What a run has found out. Everything that is said of an app follows from this, and from nothing else. */
import type { Deployment, HorizontalPodAutoscaler, Ingress, Live, Pod, PodDisruptionBudget, Service } from 'coxswain'
import type { ResolvedConfig } from '../config/checksum.ts'
import type { WebApp } from '../schema/webapp.ts'
import type { Target } from './revision.ts'

const rejections = ['NotOwned', 'Invalid', 'Forbidden'] as const

/** A write that the server refused, and would refuse again. */
export interface Rejection {
  readonly reason: (typeof rejections)[number]
  readonly message: string
  readonly kind: string
}

/** Something that somebody else has changed, and that was left as it is. */
export interface Drift {
  readonly kind: string
  readonly field?: string | undefined
  readonly culprit?: string | undefined
}

export interface Facts {
  readonly app: Live<WebApp>
  readonly config: ResolvedConfig
  readonly target: Target
  /**
   * The Deployment was made, or found, to be as the target wants it. Not so when nothing was tried, or when it was
   * refused.
   */
  readonly isApplied: boolean
  readonly rejection?: Rejection | undefined
  readonly drift: readonly Drift[]
  readonly deployment?: Live<Deployment> | undefined
  readonly service?: Live<Service> | undefined
  readonly ingress?: Live<Ingress> | undefined
  readonly autoscaler?: Live<HorizontalPodAutoscaler> | undefined
  readonly budget?: Live<PodDisruptionBudget> | undefined
  readonly pods: readonly Live<Pod>[]
}

export function isRejection(reason: string): reason is Rejection['reason'] {
  return (rejections as readonly string[]).includes(reason)
}

export function driftText({ kind, field, culprit }: Drift): string {
  return `${kind}${field === undefined ? '' : ` ${field}`} was changed${culprit === undefined ? '' : ` by ${culprit}`}`
}

export function leftText(drift: readonly Drift[]): string {
  return `${drift.map(driftText).join('; ')}; left as it is`
}

/** The present generation was seen through, and nothing was under way or wrong: what is missing now has gone since. */
export function wasReconciled({ metadata, status }: Live<WebApp>): boolean {
  const isReconciling = status?.conditions?.some(({ type }) => type === 'Reconciling' || type === 'Stalled') ?? true
  return status?.observedGeneration === metadata.generation && !isReconciling
}

/** The seeds' question: does the spec say something that was not put in place yet? */
export function specChanged({ metadata, status }: Live<WebApp>): boolean {
  return status?.observedGeneration !== metadata.generation
}
