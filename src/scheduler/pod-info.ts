/** A pod together with what the filters need from its spec, computed once as long as that does not change. */
import type { Live, Pod } from '../index.ts'
import { hostPorts, type HostPort } from './host-ports.ts'
import { podRequests, type ResourceTotals } from './resources.ts'

export interface PodInfo {
  readonly pod: Live<Pod>
  readonly requests: ResourceTotals
  readonly hostPorts: readonly HostPort[]
  /** Affinity, or topology spread constraints. */
  readonly hasRules: boolean
}

export function podInfo(pod: Live<Pod>): PodInfo {
  const { affinity, topologySpreadConstraints } = pod.spec ?? {}
  const hasRules = affinity !== undefined || topologySpreadConstraints !== undefined
  return { pod, requests: podRequests(pod), hostPorts: hostPorts(pod), hasRules }
}

/** For the next version of a pod, of which usually only the status or the node has changed. */
export function nextPodInfo(known: PodInfo, pod: Live<Pod>): PodInfo {
  const [old, spec] = [known.pod.spec, pod.spec]
  const isSame =
    old?.containers === spec?.containers &&
    old?.initContainers === spec?.initContainers &&
    old?.overhead === spec?.overhead &&
    old?.affinity === spec?.affinity &&
    old?.topologySpreadConstraints === spec?.topologySpreadConstraints
  return isSame ? { ...known, pod } : podInfo(pod)
}
