/** A pod together with what the filters need from its spec, computed once for each version of the pod. */
import type { Live, Pod } from '../index.ts'
import { podRequests, type ResourceTotals } from './resources.ts'

export interface PodInfo {
  readonly pod: Live<Pod>
  readonly requests: ResourceTotals
  /** As `TCP/8080/10.0.0.1`; an empty address means all addresses. */
  readonly hostPorts: readonly string[]
}

export function podInfo(pod: Live<Pod>): PodInfo {
  return { pod, requests: podRequests(pod), hostPorts: hostPorts(pod) }
}

const noPorts: readonly string[] = []

function hostPorts({ spec }: Live<Pod>): readonly string[] {
  const ports = (spec?.containers ?? [])
    .flatMap((container) => container.ports ?? [])
    .filter(({ hostPort }) => (hostPort ?? 0) > 0)
  return ports.length === 0
    ? noPorts
    : ports.map(({ hostPort, protocol, hostIP }) => `${protocol ?? 'TCP'}/${hostPort}/${hostIP ?? ''}`)
}
