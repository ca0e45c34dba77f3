/** Defaults of services. Allocation is in `allocate.ts`. */
import type { KubeObject } from '../../../api/object.ts'
import { fill, fillZero, int, items, specOf, struct, text } from '../shared/values.ts'
import { isExternal } from './service-type.ts'

/** Three hours. */
const affinitySeconds = 10800

export function setServiceDefaults(object: KubeObject): void {
  const spec = specOf(object)
  fillZero(spec, 'sessionAffinity', 'None')
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity === 'ClientIP') {
    const config = struct(struct(spec.sessionAffinityConfig)?.clientIP)
    if (config?.timeoutSeconds === undefined) {
      spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } }
    }
  }
  fillZero(spec, 'type', 'ClusterIP')
  for (const port of items(spec.ports)) {
    fillZero(port, 'protocol', 'TCP')
    fillZero(port, 'targetPort', int(port.port))
  }
  if (isExternal(spec)) fillZero(spec, 'externalTrafficPolicy', 'Cluster')
  if (['ClusterIP', 'NodePort', 'LoadBalancer'].includes(text(spec.type))) {
    fill(spec, 'internalTrafficPolicy', 'Cluster')
  }
  if (spec.type !== 'LoadBalancer') return
  fill(spec, 'allocateLoadBalancerNodePorts', true)
  for (const ingress of items(struct(struct(object.status)?.loadBalancer)?.ingress)) {
    if (text(ingress.ip) !== '') fill(ingress, 'ipMode', 'VIP')
  }
}
