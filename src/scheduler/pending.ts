/** Pods without a node. */
import { keyOf, type Live, type ObjectKey, type Pod } from '../index.ts'

/** The `schedulerName` of pods that this scheduler places. */
export const schedulerName = 'default-scheduler'

/** The index of pods without a node. */
export const unboundPods = 'coxswain.dev/unbound'

export function isPending({ spec, metadata, status }: Live<Pod>): boolean {
  return (
    (spec?.nodeName ?? '') === '' &&
    metadata.deletionTimestamp === undefined &&
    (spec?.schedulerName ?? schedulerName) === schedulerName &&
    (spec?.schedulingGates ?? []).length === 0 &&
    status?.phase !== 'Failed'
  )
}

/** A scheduling attempt failed. */
export function isUnschedulable({ status }: Live<Pod>): boolean {
  return status?.conditions?.some(({ type }) => type === 'PodScheduled') === true
}

export function priorityOf({ spec }: Live<Pod>): number {
  return spec?.priority ?? 0
}

/** Unschedulable pods, highest priority first, to be tried again because nodes may fit now. */
export function unschedulablePods(pods: readonly Live<Pod>[]): ObjectKey[] {
  return pods
    .filter((pod) => isPending(pod) && isUnschedulable(pod))
    .sort((a, b) => priorityOf(b) - priorityOf(a))
    .map(keyOf)
}
