/**
 * The ReplicaSet controller: keeps the desired number of pods. The steps follow kube-controller-manager: 1 read the
 * ReplicaSet, 2 claim its pods, 3 leave out finished ones, 4 compute the difference, 5 create, 6 delete, 7 update the
 * status.
 */
import { changed, type MapReads } from '../../controller/index.ts'
import {
  controller,
  controllerOf,
  keyOf,
  Pod,
  ReplicaSet,
  type Live,
  type ObjectKey,
  type ReconcileContext,
  type ReconcileResult,
} from '../../index.ts'
import { labelSelectorFrom } from '../../api/index.ts'
import { adoptAndRelease, adoptableInformer } from '../shared/adoption.ts'
import { isActive, isTerminating, readySince } from '../shared/pod-state.ts'
import { scalePods, type Scaled } from './scale-pods.ts'
import { replicaSetStatus, msUntilAvailable } from './status.ts'

/** A ReplicaSet may adopt a pod without a controller. */
function adoptingReplicaSets(pod: Live<Pod>, reads: MapReads): ObjectKey[] {
  if (controllerOf(pod) !== undefined) return []
  const sets = reads.lister(ReplicaSet).list({ namespace: pod.metadata.namespace })
  return sets.filter(({ spec }) => labelSelectorFrom(spec?.selector).matches(pod.metadata.labels)).map(keyOf)
}

/** Ignores changes of containers and nodes, which the ReplicaSet does not count. */
const countedFieldsChanged = changed<Pod>((pod) => [
  pod.status?.phase,
  readySince(pod),
  pod.metadata.labels,
  pod.metadata.ownerReferences,
])

export const replicaSets = controller(ReplicaSet)
  .named('replicaset-controller')
  .ownsWith(Pod, { when: countedFieldsChanged })
  .watches(Pod, { map: adoptingReplicaSets, informer: adoptableInformer })
  .options({
    concurrency: 5,
    fieldManager: 'kube-controller-manager',
    observedGeneration: true,
    batchPerTick: true,
    reconcileOwnWrites: 'never',
  })
  .deleting((context) => sync(context, async () => ({ created: [] })))
  .reconcile((context) => sync(context, (active) => scalePods(context, active)))

type Scale = (active: readonly Live<Pod>[]) => Promise<Scaled>

async function sync(context: ReconcileContext<ReplicaSet>, scale: Scale): Promise<ReconcileResult> {
  const { object: set } = context
  const active = await adoptAndRelease({
    context,
    kind: Pod,
    selector: labelSelectorFrom(set.spec?.selector),
    among: isActive,
  })
  const terminating = (await context.owned(Pod)).filter(isTerminating)
  const { created, failure } = await scale(active)
  context.status.set(replicaSetStatus(set, [...active, ...created], terminating, failure, context.now()))
  if (failure !== undefined) throw failure.error
  return msUntilAvailable(set, active, context.now())
}
