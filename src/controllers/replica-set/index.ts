/**
 * The controllers of ReplicaSets and ReplicationControllers: keep the desired number of pods. The steps follow
 * kube-controller-manager, where both kinds have one program too: 1 read the object, 2 claim its pods, 3 leave out
 * finished ones, 4 compute the difference, 5 create, 6 delete, 7 update the status.
 */
import { changed } from '../../controller/index.ts'
import {
  controller,
  Pod,
  ReplicaSet,
  ReplicationController,
  type ControllerDefinition,
  type Kind,
  type Live,
  type ReconcileContext,
  type ReconcileResult,
} from '../../index.ts'
import { labelSelectorFrom } from '../../api/index.ts'
import { adoptAndRelease, adoptableInformer, adoptersOf } from '../shared/adoption.ts'
import { isActive, isTerminating, readySince } from '../shared/pod-state.ts'
import { selectorOf, type Replicated } from './replicated.ts'
import { scalePods, type Scaled } from './scale-pods.ts'
import { replicaSetStatus, msUntilAvailable } from './status.ts'

/** Ignores changes of containers and nodes, which do not count. */
const countedFieldsChanged = changed<Pod>((pod) => [
  pod.status?.phase,
  readySince(pod),
  pod.metadata.labels,
  pod.metadata.ownerReferences,
])

export const replicaSets = replicasOf(ReplicaSet, { name: 'replicaset-controller' })

export const replicationControllers = replicasOf(ReplicationController, {
  name: 'replicationcontroller-controller',
  eventSource: 'replication-controller',
})

function replicasOf(
  kind: Kind<Replicated>,
  { name, eventSource }: { readonly name: string; readonly eventSource?: string },
): ControllerDefinition<Replicated> {
  return controller(kind)
    .named(name)
    .ownsWith(Pod, { when: countedFieldsChanged })
    .watches(Pod, { map: adoptersOf(kind, (set) => selectorOf(kind, set)), informer: adoptableInformer })
    .options({
      concurrency: 5,
      fieldManager: 'kube-controller-manager',
      eventSource,
      observedGeneration: true,
      batchPerTick: true,
      reconcileOwnWrites: 'never',
    })
    .deleting((context) => sync(context, async () => ({ created: [] })))
    .reconcile((context) => sync(context, (active) => scalePods(context, active)))
}

type Scale = (active: readonly Live<Pod>[]) => Promise<Scaled>

async function sync(context: ReconcileContext<Replicated>, scale: Scale): Promise<ReconcileResult> {
  const { object: set } = context
  const active = await adoptAndRelease({
    context,
    kind: Pod,
    selector: labelSelectorFrom(selectorOf(context.kind, set)),
    among: isActive,
  })
  // The status of a ReplicationController has no such field.
  const terminating = context.kind === ReplicaSet ? (await context.owned(Pod)).filter(isTerminating).length : undefined
  const { created, failure } = await scale(active)
  context.status.set(replicaSetStatus(set, [...active, ...created], terminating, failure, context.now()))
  if (failure !== undefined) throw failure.error
  return msUntilAvailable(set, active, context.now())
}
