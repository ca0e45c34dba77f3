/** The service types: which cluster IPs and node ports they need. */
import type { JsonObject } from '../../../api/json.ts'
import { size, strings } from '../shared/values.ts'

export const headless = 'None'

export function isHeadless(spec: JsonObject): boolean {
  const ips = strings(spec.clusterIPs)
  return ips.length === 1 && ips[0] === headless
}

export function needsClusterIp(spec: JsonObject): boolean {
  return spec.type !== 'ExternalName'
}

/** Reachable from outside the cluster. */
export function isExternal(spec: JsonObject): boolean {
  return hasNodePorts(spec) || (spec.type === 'ClusterIP' && size(spec.externalIPs) > 0)
}

/** May have node ports. */
export function hasNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer'
}

/** Must have node ports. */
export function needsNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
}

export function needsHealthCheck(spec: JsonObject): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local'
}
