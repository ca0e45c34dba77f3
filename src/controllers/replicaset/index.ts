/**
 * ReplicaSets: as many pods as asked for. The steps are those of the books:
 * 1 the ReplicaSet, 2 its pods, 3 without those that end, 4 the difference, 5 create, 6 delete, 7 the status.
 */
import { controller, controllerOf, keyOf, labelSelectorFrom, Pod, ReplicaSet, type Live, type ObjectKey } from '../../index.ts'
import { claim } from '../claims/claim.ts'
import { isActive, isTerminating } from '../pods/pod-state.ts'
import { scalePods } from './scale-pods.ts'
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
  .reconcile(async (context) => {
    const { object: set, client, signal } = context
    const selector = labelSelectorFrom(set.spec?.selector)
    const pods = await context.list(Pod)
    const active = await claim(pods.filter(isActive), { client, signal, ownerKind: ReplicaSet, owner: set, kind: Pod, selector })
    const terminating = pods.filter((pod) => isTerminating(pod) && controllerOf(pod)?.uid === set.metadata.uid)
    const failure = set.metadata.deletionTimestamp === undefined ? await scalePods(context, active, pods) : undefined
    context.status.set(statusOf(set, active, terminating, failure, context.now()))
    if (failure !== undefined) throw failure.error
    return untilAvailable(set, active, context.now())
  })
