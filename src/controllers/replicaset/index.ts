/**
 * ReplicaSets: as many pods as asked for. The steps are those of the books:
 * 1 the ReplicaSet, 2 its pods, 3 without those that end, 4 the difference, 5 create, 6 delete, 7 the status.
 */
import {
  controller, controllerOf, keyOf, labelSelectorFrom, Pod, ReplicaSet, type Live, type ObjectKey, type ReconcileContext, type ReconcileResult,
} from '../../index.ts'
import { claim } from '../claims/claim.ts'
import { isActive, isTerminating } from '../pods/pod-state.ts'
import { scalePods, type ScaleFailure } from './scale-pods.ts'
import { statusOf, untilAvailable } from './status.ts'

/** A pod that nobody controls may be what a ReplicaSet is looking for. */
function seekers(pod: Live<Pod>, sets: readonly Live<ReplicaSet>[]): ObjectKey[] {
  if (controllerOf(pod) !== undefined) return []
  return sets.filter(({ spec }) => labelSelectorFrom(spec?.selector).matches(pod.metadata.labels)).map(keyOf)
}

export const replicaSets = controller(ReplicaSet)
  .named('replicaset-controller')
  .owns(Pod)
  .watches(Pod, { map: (pod, reads) => seekers(pod, reads.lister(ReplicaSet).list({ namespace: pod.metadata.namespace })) })
  .options({ concurrency: 5, fieldManager: 'kube-controller-manager', observedGeneration: true })
  .deleting((context) => sync(context, async () => undefined))
  .reconcile((context) => sync(context, (active, pods) => scalePods(context, active, pods)))

type Scale = (active: readonly Live<Pod>[], all: readonly Live<Pod>[]) => Promise<ScaleFailure | undefined>

async function sync(context: ReconcileContext<ReplicaSet>, scale: Scale): Promise<ReconcileResult> {
  const { object: set, client, signal } = context
  const selector = labelSelectorFrom(set.spec?.selector)
  const pods = await context.list(Pod)
  const active = await claim(pods.filter(isActive), { client, signal, ownerKind: ReplicaSet, owner: set, kind: Pod, selector })
  const terminating = pods.filter((pod) => isTerminating(pod) && controllerOf(pod)?.uid === set.metadata.uid)
  const failure = await scale(active, pods)
  context.status.set(statusOf(set, active, terminating, failure, context.now()))
  if (failure !== undefined) throw failure.error
  return untilAvailable(set, active, context.now())
}
