/** The controller of WebApps: what makes it run, what it may do, and the steps of a run. */
import {
  changed, ConfigMap, controller, Deployment, done, flow, HorizontalPodAutoscaler, Ingress, keyOf, Pod, PodDisruptionBudget, Secret, Service, step, wait,
  type ControllerDefinition, type Live, type MapReads, type ObjectKey, type Step,
} from 'coxswain'
import { appLabel, podIndex } from './children/identity.ts'
import { withDigests } from './config/checksum.ts'
import { referenceIndex, referenceKey, referenceKeys, type Reference } from './config/references.ts'
import { defaults, type WebAppOptions } from './options.ts'
import { WebApp } from './schema/webapp.ts'
import { hasOtherTrouble, podTrouble, withoutBulk } from './state/pod-trouble.ts'
import { appContext, type AppContext } from './steps/context.ts'
import { lifecycle } from './steps/lifecycle.ts'
import { delayOf, report, reportError } from './steps/report.ts'
import { resolve } from './steps/resolve.ts'
import { fieldManager } from './steps/sync.ts'

export const finalizer = 'coxswain.dev/webapp'

/** One run: find out what shall be, walk the machine, say what came of it. */
const reconcile: Step<AppContext> = step('reconcile', async (context, scope) => {
  try {
    await scope.run(resolve, context)
    const after = delayOf(await scope.run(lifecycle, context))
    if (context.run.isDeleting) return after === undefined ? done() : wait(after, 'the deletion is not through')
    const again = await report(context, after)
    return again === undefined ? done() : wait(again, 'the next check')
  } catch (error) {
    reportError(context, error)
    throw error
  }
})

export function webApps(options: WebAppOptions = {}): ControllerDefinition<WebApp> {
  const settings = { ...defaults, ...options } as typeof defaults
  const run = flow<WebApp, AppContext>(reconcile, appContext(settings))
  // Only what carries the app's label is cached: a cluster has many more objects than the operator cares for.
  const labelled = { informer: { labelSelector: appLabel } }
  return controller(WebApp)
    .cached({ indexes: { [referenceIndex]: referenceKeys } })
    .ownsWith(Deployment, labelled).ownsWith(Service, labelled).ownsWith(Ingress, labelled)
    .ownsWith(HorizontalPodAutoscaler, { ...labelled, when: otherThanStatus }).ownsWith(PodDisruptionBudget, { ...labelled, when: otherThanStatus })
    .watches(Pod, {
      map: appOfPod, when: hasOtherTrouble,
      informer: { ...labelled.informer, transform: withoutBulk, indexes: { [podIndex]: ({ metadata }) => [metadata.labels?.[appLabel] ?? []].flat() } },
    })
    .watches(ConfigMap, { map: referrers('ConfigMap'), informer: { transform: withDigests } })
    .watches(Secret, { map: referrers('Secret'), informer: { transform: withDigests } })
    .may('delete', Deployment, Service, Ingress, HorizontalPodAutoscaler, PodDisruptionBudget)
    .finalizer(finalizer, run)
    .options({ concurrency: settings.concurrency, fieldManager, observedGeneration: false })
    .reconcile(run)
}

/** Their status says nothing about the app. */
const otherThanStatus = changed(({ metadata: { labels, annotations, ownerReferences }, spec }: Live<HorizontalPodAutoscaler | PodDisruptionBudget>) =>
  [labels, annotations, ownerReferences, spec] as never)

/** Only pods with trouble, or whose end is waited for: all others are told by the Deployment. */
function* appOfPod(pod: Live<Pod>, reads: MapReads): Iterable<ObjectKey> {
  const { namespace, labels, deletionTimestamp } = pod.metadata
  const name = labels?.[appLabel]
  if (name === undefined) return
  const isAwaited = deletionTimestamp !== undefined && reads.lister(WebApp).get({ namespace, name })?.metadata.deletionTimestamp !== undefined
  if (isAwaited || podTrouble(pod) !== undefined) yield { namespace, name }
}

/** The apps that refer to a ConfigMap or Secret of this name. */
function referrers(kind: Reference['kind']) {
  return ({ metadata: { namespace, name } }: { readonly metadata: ObjectKey }, reads: MapReads): ObjectKey[] =>
    reads.lister(WebApp).byIndex(referenceIndex, referenceKey(kind, name), namespace).map(keyOf)
}

export const webapps: ControllerDefinition<WebApp> = webApps()
