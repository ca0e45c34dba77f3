/**
 * The StatefulSet controller: keeps pods with fixed names and volume claims, created and replaced in order. The steps
 * follow kube-controller-manager: 1 read the StatefulSet, 2 claim its revisions and find the current and the new one,
 * 3 claim its pods, 4 create and repair them by ordinal, 5 delete surplus ones, 6 replace those of old versions,
 * 7 update the status and delete old revisions.
 */
import { labelSelectorFrom } from '../../api/index.ts'
import { changed, type MapReads } from '../../controller/index.ts'
import {
  controller,
  controllerOf,
  ControllerRevision,
  keyOf,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  type Live,
  type LiveObject,
  type ObjectKey,
} from '../../index.ts'
import { adoptAndRelease, adoptableInformer } from '../shared/adoption.ts'
import { readySince } from '../shared/pod-state.ts'
import type { SetContext } from './claims.ts'
import { setNameOf } from './identity.ts'
import { membersOf, podRevision, type Members } from './members.ts'
import { syncRevisions, trimHistory, type Versions } from './revisions.ts'
import { replaceOldPods } from './rolling-update.ts'
import { scale } from './scaling.ts'
import { setStatus, whenAvailable } from './status.ts'

/** A StatefulSet may adopt a pod without a controller that has one of its names. */
function adoptingSet(pod: Live<Pod>, reads: MapReads): ObjectKey[] {
  const name = controllerOf(pod) === undefined ? setNameOf(pod) : undefined
  const set =
    name === undefined ? undefined : reads.lister(StatefulSet).get({ namespace: pod.metadata.namespace, name })
  return set !== undefined && labelSelectorFrom(set.spec?.selector).matches(pod.metadata.labels) ? [keyOf(set)] : []
}

/** The StatefulSets that a claim such as `data-web-0` can belong to: a pod may wait for it to be gone. */
function claimingSets({ metadata: { namespace, name } }: LiveObject, reads: MapReads): ObjectKey[] {
  const parts = /^(.+)-\d+$/.exec(name)?.[1]?.split('-') ?? []
  const keys = parts.slice(1).map((_, index) => ({ namespace, name: parts.slice(index + 1).join('-') }))
  return keys.filter((key) => reads.lister(StatefulSet).get(key) !== undefined)
}

/** Ignores changes of containers and nodes, which the StatefulSet does not count. */
const countedFieldsChanged = changed<Pod>((pod) => [
  pod.status?.phase,
  readySince(pod),
  pod.metadata.labels,
  pod.metadata.ownerReferences,
])

/** As upstream, no change of a revision causes a run: one that is deleted comes back with the next change of a pod. */
const revisionEvents = { when: () => false, ignoreAdds: true, ignoreDeletes: true }

export const statefulSets = controller(StatefulSet)
  .named('statefulset-controller')
  .ownsWith(Pod, { when: countedFieldsChanged })
  .ownsWith(ControllerRevision, revisionEvents)
  .reads(ControllerRevision, adoptableInformer)
  .watches(Pod, { map: adoptingSet, informer: adoptableInformer })
  .watches(PersistentVolumeClaim, { map: claimingSets, when: () => false })
  .options({
    concurrency: 5,
    fieldManager: 'kube-controller-manager',
    observedGeneration: true,
    batchPerTick: true,
    reconcileOwnWrites: 'never',
  })
  .deleting(async (context) => {
    const versions = await syncRevisions(context)
    report(context, membersOf(context.object, await claimPods(context)), versions)
  })
  .reconcile(async (context) => {
    const versions = await syncRevisions(context)
    const members = membersOf(context.object, await claimPods(context))
    try {
      if (await scale(context, members, versions)) await replaceOldPods(context, members.replicas, versions.update)
    } finally {
      report(context, members, versions)
    }
    await trimHistory(context, versions.history, usedRevisions(context, members))
    return whenAvailable(context.object, members, context.now())
  })

function claimPods(context: SetContext): Promise<Live<Pod>[]> {
  const { metadata, spec } = context.object
  return adoptAndRelease({
    context,
    kind: Pod,
    selector: labelSelectorFrom(spec?.selector),
    isMember: (pod) => setNameOf(pod) === metadata.name,
  })
}

function report({ object: set, status, now }: SetContext, members: Members, versions: Versions): void {
  status.set(setStatus(set, members, versions, now()))
}

function usedRevisions({ status }: SetContext, { replicas, condemned }: Members): ReadonlySet<string | undefined> {
  const { currentRevision, updateRevision } = status.current
  return new Set([...[...replicas, ...condemned].map(podRevision), currentRevision, updateRevision])
}
