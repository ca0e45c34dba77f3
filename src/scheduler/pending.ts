/** Pods that have no node yet. */
import { keyOf, type Live, type ObjectKey, type Pod } from '../index.ts'

/** As pods name it that want to be placed by this one. */
export const schedulerName = 'default-scheduler'

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

/** Nodes may fit now: unschedulable pods are tried again, highest priority first. */
export function unschedulablePods(pods: readonly Live<Pod>[]): ObjectKey[] {
  return pods
    .filter((pod) => isPending(pod) && isUnschedulable(pod))
    .sort((a, b) => priorityOf(b) - priorityOf(a))
    .map(keyOf)
}
