/** The context of the steps: the controller's context, and what the run has found out so far. */
import {
  Deployment,
  findCondition,
  HorizontalPodAutoscaler,
  Ingress,
  isControlledBy,
  Pod,
  PodDisruptionBudget,
  Service,
  type ApiObject,
  type Live,
  type ReconcileContext,
} from 'coxswain'
import type { DeepReadonly } from 'coxswain/api'
import { podIndex } from '../children/identity.ts'
import type { ResolvedConfig } from '../config/checksum.ts'
import type { Settings } from '../options.ts'
import type { WebApp, WebAppStatus } from '../schema/webapp.ts'
import { isRejection, type Drift, type Facts, type Rejection } from '../state/facts.ts'
import type { Target } from '../state/revision.ts'
import { assessment, type Assessment } from '../state/assessment.ts'
import { resolve, targetOf } from './resolve.ts'

/** What a sync did to a child. */
export interface Synced {
  readonly kind: string
  readonly name: string
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'drift' | 'left' | 'deleted'
}

/** What there is. */
export type Found = Pick<Facts, 'deployment' | 'service' | 'ingress' | 'autoscaler' | 'budget' | 'pods'>

export interface AppRun {
  readonly settings: Settings
  readonly config: ResolvedConfig
  /** What the app refers to could not be read; `config` is that of the last run. */
  readonly resolveFailure: { readonly error: unknown } | undefined
  /** What should run. Computed when a step first asks for it. */
  readonly target: Target
  /** Undefined: nothing was tried in this run. */
  synced: Synced[] | undefined
  found: Found | undefined
  rejection: Rejection | undefined
  readonly drift: Drift[]
  /** The assessment of this run, if the app has stalled. */
  failure: Assessment | undefined
  /** Earlier rejections are ignored: the write is tried again. */
  isRetried: boolean
  isDeleting: boolean
  /** Nothing has changed since a run that found the app ready: there is nothing to report. */
  isUnchanged: boolean
}

export type AppContext = ReconcileContext<WebApp> & { readonly run: AppRun }

export function appContext(settings: Settings): (context: ReconcileContext<WebApp>) => Promise<AppContext> {
  return async (context) => {
    const { config, failure } = await resolve(context, settings)
    let target: Target | undefined
    const run: AppRun = {
      settings,
      config,
      resolveFailure: failure,
      get target() {
        return (target ??= targetOf(context, config))
      },
      synced: undefined,
      found: undefined,
      rejection: undefined,
      drift: [],
      failure: undefined,
      isRetried: false,
      isDeleting: false,
      isUnchanged: false,
    }
    return { ...context, run }
  }
}

/** The status as this run has it by now. */
export function currentStatus({ status }: AppContext): DeepReadonly<WebAppStatus> {
  return status.current
}

export async function factsOf(context: AppContext): Promise<Facts> {
  const { object: app, run } = context
  run.found ??= await look(context)
  return {
    ...run.found,
    app: { ...app, status: currentStatus(context) },
    config: run.config,
    target: run.target,
    drift: run.drift,
    isApplied: run.synced?.some(({ kind }) => kind === Deployment.kind) === true,
    rejection: run.rejection ?? (run.synced === undefined && !run.isRetried ? rememberedRejection(app) : undefined),
  }
}

/** At the cluster, as the cache has it: once in a run, and again when it has written. */
export async function look(context: AppContext): Promise<Found> {
  const { object: app, get } = context
  const { name } = app.metadata
  const ours = <Child extends ApiObject>(child: Live<Child> | undefined): Live<Child> | undefined =>
    child !== undefined && isControlledBy(child, app) ? child : undefined
  return {
    deployment: ours(await get(Deployment, name)),
    service: ours(await get(Service, name)),
    ingress: ours(await get(Ingress, name)),
    autoscaler: ours(await get(HorizontalPodAutoscaler, name)),
    budget: ours(await get(PodDisruptionBudget, name)),
    pods: await podsOf(context),
  }
}

export function podsOf({ object, list }: AppContext): Promise<readonly Live<Pod>[]> {
  return list(Pod, { index: { index: podIndex, value: object.metadata.name } })
}

/** A rejection stays in the status until the write is tried again. */
function rememberedRejection({ status }: Live<WebApp>): Rejection | undefined {
  const stalled = findCondition(status?.conditions, 'Stalled')
  const child = status?.children?.find(({ state }) => state === 'NotOwned' || state === 'Failed')
  if (stalled === undefined || !isRejection(stalled.reason)) return undefined
  return { reason: stalled.reason, message: stalled.message, kind: child?.kind ?? '' }
}

export async function assessmentOf(
  context: AppContext,
): Promise<{ readonly facts: Facts; readonly assessment: Assessment }> {
  const facts = await factsOf(context)
  return { facts, assessment: assessment(facts) }
}
