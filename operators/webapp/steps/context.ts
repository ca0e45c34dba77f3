/** What the steps of a run work with: the controller's context, and what they have found out so far. */
import {
  Deployment, findCondition, Ingress, isControlledBy, Pod, Service, type ApiObject, type DeepReadonly, type Live, type ReconcileContext,
} from 'coxswain'
import { podIndex } from '../children/identity.ts'
import type { ResolvedConfig } from '../config/checksum.ts'
import type { Settings } from '../options.ts'
import type { WebApp, WebAppStatus } from '../schema/webapp.ts'
import { isRefusal, type Drift, type Facts, type Refusal } from '../state/facts.ts'
import { target, type Target } from '../state/revision.ts'
import { verdict, type Verdict } from '../state/verdict.ts'

/** What a sync did to a child. */
export interface Synced {
  readonly kind: string
  readonly name: string
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'drift' | 'left' | 'deleted'
}

export interface AppRun {
  readonly settings: Settings
  config: ResolvedConfig
  target: Target
  /** Undefined: nothing was tried in this run. */
  synced: Synced[] | undefined
  refusal: Refusal | undefined
  readonly drift: Drift[]
  /** It was found in this run that nothing will change by itself. */
  failure: Verdict | undefined
  isDeleting: boolean
}

export type AppContext = ReconcileContext<WebApp> & { readonly run: AppRun }

export function appContext(settings: Settings): (context: ReconcileContext<WebApp>) => AppContext {
  return (context) => {
    const run: AppRun = {
      settings, config: { missing: [] }, target: target(context.object, undefined),
      synced: undefined, refusal: undefined, drift: [], failure: undefined, isDeleting: false,
    }
    return Object.assign(Object.create(context, Object.getOwnPropertyDescriptors(context)) as ReconcileContext<WebApp>, { run })
  }
}

/** The status as this run has it by now. */
export function currentStatus({ status }: AppContext): DeepReadonly<WebAppStatus> {
  return status.current as DeepReadonly<WebAppStatus>
}

export const reconcileAtAnnotation = 'coxswain.dev/reconcile-at'

/** The annotation asks for a try that was not made yet. */
export function isAskedFor({ object: { metadata, status } }: AppContext): boolean {
  const token = metadata.annotations?.[reconcileAtAnnotation]
  return token !== undefined && token !== status?.lastHandledReconcileAt
}

/** Looks at the cluster, as the cache has it. */
export async function factsOf(context: AppContext): Promise<Facts> {
  const { object: app, run, get } = context
  const { name } = app.metadata
  const ours = <Child extends ApiObject>(child: Live<Child> | undefined): Live<Child> | undefined =>
    (child !== undefined && isControlledBy(child, app) ? child : undefined)
  return {
    app: { ...app, status: currentStatus(context) },
    config: run.config, target: run.target, drift: run.drift,
    refusal: run.refusal ?? (run.synced === undefined ? rememberedRefusal(app) : undefined),
    deployment: ours(await get(Deployment, name)),
    service: ours(await get(Service, name)),
    ingress: ours(await get(Ingress, name)),
    pods: await podsOf(context),
  }
}

export function podsOf({ object, list }: AppContext): Promise<readonly Live<Pod>[]> {
  return list(Pod, { index: { index: podIndex, value: object.metadata.name } })
}

/** What was refused is refused until it is tried again. */
function rememberedRefusal({ status }: Live<WebApp>): Refusal | undefined {
  const stalled = findCondition(status?.conditions, 'Stalled')
  const child = status?.children?.find(({ state }) => state === 'NotOwned' || state === 'Failed')
  return stalled !== undefined && isRefusal(stalled.reason) ? { reason: stalled.reason, message: stalled.message, kind: child?.kind ?? '' } : undefined
}

export async function verdictOf(context: AppContext): Promise<{ readonly facts: Facts; readonly verdict: Verdict }> {
  const facts = await factsOf(context)
  return { facts, verdict: verdict(facts) }
}
