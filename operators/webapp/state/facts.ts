/** The inputs of a run. Status, conditions and events follow from these alone. */
import type { Deployment, HorizontalPodAutoscaler, Ingress, Live, Pod, PodDisruptionBudget, Service } from 'coxswain'
import type { ResolvedConfig } from '../config/checksum.ts'
import type { WebApp } from '../schema/webapp.ts'
import type { Target } from './revision.ts'

const rejections = ['NotOwned', 'Invalid', 'Forbidden'] as const

/** A write that the server rejected, and would reject again. */
export interface Rejection {
  readonly reason: (typeof rejections)[number]
  readonly message: string
  readonly kind: string
}

/** A change by another field manager that was left as it is. */
export interface Drift {
  readonly kind: string
  readonly field?: string | undefined
  readonly culprit?: string | undefined
}

export interface Facts {
  readonly app: Live<WebApp>
  readonly config: ResolvedConfig
  readonly target: Target
  /** The Deployment is as the target wants it. False if nothing was applied, or if the apply was rejected. */
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

/**
 * The current generation was reconciled and nothing was in progress or wrong: what is missing now has been removed
 * since.
 */
export function wasReconciled({ metadata, status }: Live<WebApp>): boolean {
  const isReconciling = status?.conditions?.some(({ type }) => type === 'Reconciling' || type === 'Stalled') ?? true
  return status?.observedGeneration === metadata.generation && !isReconciling
}

/** The seeds' question: does the spec say something that was not put in place yet? */
export function specChanged({ metadata, status }: Live<WebApp>): boolean {
  return status?.observedGeneration !== metadata.generation
}
