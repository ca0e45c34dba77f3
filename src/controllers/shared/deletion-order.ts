/** The order in which surplus pods are deleted. */
import type { Live, Pod } from '../../index.ts'
import { isReady, readySince, restarts } from './pod-state.ts'

type LivePod = Live<Pod>

const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost'

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/**
 * In order of deletion: not assigned to a node; not running; not ready; lower deletion cost; more of `related` on the
 * same node; ready for a shorter time; more restarts; younger. Times are compared by magnitude, so pods of about the
 * same age have no particular order.
 */
export function inDeletionOrder(pods: readonly LivePod[], related: readonly LivePod[], now: number): LivePod[] {
  const onNode = new Map<string, number>()
  for (const { spec } of related)
    if (spec?.nodeName !== undefined) onNode.set(spec.nodeName, (onNode.get(spec.nodeName) ?? 0) + 1)
  const crowd = ({ spec }: LivePod): number => onNode.get(spec?.nodeName ?? '') ?? 0
  const magnitude = (since: number | undefined): number =>
    since === undefined ? -1 : Math.floor(Math.log2(Math.max(1, (now - since) / 1000)))
  const keys: readonly ((pod: LivePod) => number)[] = [
    (pod) => ((pod.spec?.nodeName ?? '') === '' ? 0 : 1),
    (pod) => phaseOrder[pod.status?.phase ?? ''] ?? 0,
    (pod) => (isReady(pod) ? 1 : 0),
    (pod) => deletionCost(pod),
    (pod) => -crowd(pod),
    (pod) => magnitude(readySince(pod)),
    (pod) => -restarts(pod),
    (pod) => magnitude(Date.parse(pod.metadata.creationTimestamp ?? '')),
  ]
  return [...pods].sort((a, b) => {
    for (const key of keys) {
      const difference = key(a) - key(b)
      if (difference !== 0) return difference
    }
    return a.metadata.uid < b.metadata.uid ? -1 : 1
  })
}

function deletionCost({ metadata }: LivePod): number {
  const text = metadata.annotations?.[costAnnotation] ?? '0'
  return /^-?\d{1,10}$/.test(text) ? Number(text) : 0
}
