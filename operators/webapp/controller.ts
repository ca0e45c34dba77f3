/** The controller of WebApps: what makes it run, what it may do, and the steps of a run. */
import { changed, type MapReads } from 'coxswain/controller'
import {
  ConfigMap,
  controller,
  Deployment,
  flow,
  HorizontalPodAutoscaler,
  Ingress,
  keyOf,
  Pod,
  PodDisruptionBudget,
  Secret,
  Service,
  type ControllerDefinition,
  type Live,
  type ObjectKey,
} from 'coxswain'
import { done, step, wait, type Step } from 'coxswain/flow'
import { appLabel, fieldManager, podIndex } from './children/identity.ts'
import { withDigests } from './config/checksum.ts'
import { referenceIndex, referenceKey, referenceKeys, type Reference } from './config/references.ts'
import { defaults, type WebAppOptions } from './options.ts'
import { WebApp } from './schema/webapp.ts'
import { hasOtherIssue, podIssue, withoutBulk } from './state/pod-issue.ts'
import { appContext, type AppContext } from './steps/context.ts'
import { lifecycle } from './steps/lifecycle.ts'
import { report, reportError } from './steps/report.ts'

export const finalizer = 'coxswain.dev/webapp'

/** One run: resolve what should run, walk the state machine, report the result. */
const reconcile: Step<AppContext> = step('reconcile', async (context, scope) => {
  try {
    const { resolveFailure } = context.run
    // A deletion needs nothing that the app refers to.
    if (resolveFailure !== undefined && context.object.metadata.deletionTimestamp === undefined)
      throw resolveFailure.error
    const outcome = await scope.run(lifecycle, context)
    const after = outcome.type === 'wait' ? outcome.ms : undefined
    const { isDeleting, isUnchanged } = context.run
    if (!isDeleting && !isUnchanged) await report(context)
    return after === undefined ? done() : wait(after, isDeleting ? 'the deletion is not through' : 'the next check')
  } catch (error) {
    reportError(context, error)
    throw error
  }
})

export function webAppController(options: WebAppOptions = {}): ControllerDefinition<WebApp> {
  const settings = { ...defaults, ...options } as typeof defaults
  const run = flow<WebApp, AppContext>(reconcile, appContext(settings))
  // Only what carries the app's label is cached: a cluster has many more objects than the operator cares for.
  const informer = { labelSelector: appLabel }
  const apps = controller(WebApp)
    .cached({ indexes: { [referenceIndex]: referenceKeys } })
    .ownsWith(Deployment, { informer })
    .ownsWith(Service, { informer })
    .ownsWith(Ingress, { informer })
    .ownsWith(HorizontalPodAutoscaler, { informer, when: otherThanStatus })
    .ownsWith(PodDisruptionBudget, { informer, when: otherThanStatus })
    .watches(Pod, {
      map: appOfPod,
      when: hasOtherIssue,
      informer: { ...informer, transform: withoutBulk, indexes: { [podIndex]: appNames } },
    })
    .watches(ConfigMap, { map: referrers('ConfigMap'), informer: { transform: withDigests } })
    .may('delete', Deployment, Service, Ingress, HorizontalPodAutoscaler, PodDisruptionBudget)
    .finalizer(finalizer, run)
    .options({
      concurrency: settings.concurrency,
      fieldManager,
      observedGeneration: false,
      reconcileOwnWrites: 'ifRequeuedSoon',
    })
  const withSecrets = settings.watchSecrets
    ? apps.watches(Secret, { map: referrers('Secret'), informer: { transform: withDigests } })
    : apps.may('get', Secret)
  return withSecrets.reconcile(run)
}

/** Their status says nothing about the app. */
const otherThanStatus = changed(({ metadata, spec }: Live<HorizontalPodAutoscaler | PodDisruptionBudget>) => [
  metadata.labels,
  metadata.annotations,
  metadata.ownerReferences,
  spec,
])

const appNames = ({ metadata }: Live<Pod>): string[] => [metadata.labels?.[appLabel] ?? []].flat()

/** Only pods with an issue, or of an app that waits for its pods to end: the Deployment reports all others. */
function appOfPod(pod: Live<Pod>, reads: MapReads): ObjectKey[] {
  const { namespace, deletionTimestamp } = pod.metadata
  const keys = appNames(pod).map((name) => ({ namespace, name }))
  if (podIssue(pod) !== undefined) return keys
  return keys.filter(
    (key) => deletionTimestamp !== undefined && reads.lister(WebApp).get(key)?.metadata.deletionTimestamp !== undefined,
  )
}

/** The apps that refer to a ConfigMap or Secret of this name. */
function referrers(kind: Reference['kind']) {
  return ({ metadata: { namespace, name } }: { readonly metadata: ObjectKey }, reads: MapReads): ObjectKey[] =>
    reads.lister(WebApp).byIndex(referenceIndex, referenceKey(kind, name), namespace).map(keyOf)
}
