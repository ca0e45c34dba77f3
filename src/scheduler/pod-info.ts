/** A pod together with what the filters need from its spec, computed once for each version of the pod. */
import type { Live, Pod } from '../index.ts'
import { hostPorts, type HostPort } from './host-ports.ts'
import { podRequests, type ResourceTotals } from './resources.ts'

export interface PodInfo {
  readonly pod: Live<Pod>
  readonly requests: ResourceTotals
  readonly hostPorts: readonly HostPort[]
}

export function podInfo(pod: Live<Pod>): PodInfo {
  return { pod, requests: podRequests(pod), hostPorts: hostPorts(pod) }
}
