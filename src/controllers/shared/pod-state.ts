/** What the status of a pod says. */
import type { Live, Pod } from '../../index.ts'

type LivePod = Live<Pod>

/** Not finished and not in deletion. */
export function isActive({ status, metadata }: LivePod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && metadata.deletionTimestamp === undefined
}

/** In deletion and not finished. */
export function isTerminating({ status, metadata }: LivePod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && metadata.deletionTimestamp !== undefined
}

export function isReady(pod: LivePod): boolean {
  return readyCondition(pod)?.status === 'True'
}

/** Milliseconds since the epoch; undefined if the pod is not ready. */
export function readySince(pod: LivePod): number | undefined {
  const condition = readyCondition(pod)
  return condition?.status === 'True' ? Date.parse(condition.lastTransitionTime ?? '') : undefined
}

/** Ready for at least this many seconds. */
export function isAvailable(pod: LivePod, minReadySeconds: number, now: number): boolean {
  const since = readySince(pod)
  return since !== undefined && (minReadySeconds === 0 || since + minReadySeconds * 1000 <= now)
}

/** The highest restart count of any container. */
export function restarts({ status }: LivePod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount))
}

function readyCondition({ status }: LivePod) {
  return status?.conditions?.find(({ type }) => type === 'Ready')
}
