/** Service: cluster IPs and node ports are allocated before validation. */
import { appendAll } from '../../../api/append.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { cidrWarnings } from '../shared/cidr.ts'
import { addressWarnings, loadBalancerWarnings } from '../shared/ip.ts'
import { entry, int, items, specOf, strings, text } from '../shared/values.ts'
import { allocateForCreate, allocateForUpdate, dropTypeDependent } from './allocate.ts'
import { setServiceDefaults } from './defaults.ts'
import { isHeadless, needsNodePorts } from './service-type.ts'
import { decorateService } from './decorate.ts'
import { validateService, validateServiceStatusUpdate, validateServiceUpdate } from './validate.ts'

function warnings(object: KubeObject): string[] {
  const spec = specOf(object)
  const found: string[] = []
  if (entry(object.metadata.annotations, 'service.kubernetes.io/topology-aware-hints') !== undefined) {
    const instead = 'please use service.kubernetes.io/topology-mode instead'
    found.push(`annotation service.kubernetes.io/topology-aware-hints is deprecated, ${instead}`)
  }
  if (!isHeadless(spec)) {
    for (const [i, ip] of strings(spec.clusterIPs).entries()) {
      appendAll(found, addressWarnings(`spec.clusterIPs[${i}]`, ip))
    }
  } else if (spec.type === 'ClusterIP') {
    if (text(spec.loadBalancerIP) !== '') found.push('spec.loadBalancerIP is ignored for headless services')
    if (strings(spec.externalIPs).length > 0) found.push('spec.externalIPs is ignored for headless services')
    if (spec.sessionAffinity !== 'None') found.push('spec.SessionAffinity is ignored for headless services')
  }
  for (const [i, ip] of strings(spec.externalIPs).entries()) {
    appendAll(found, addressWarnings(`spec.externalIPs[${i}]`, ip))
  }
  appendAll(found, addressWarnings('spec.loadBalancerIP', text(spec.loadBalancerIP)))
  for (const [i, range] of strings(spec.loadBalancerSourceRanges).entries()) {
    appendAll(found, cidrWarnings(`spec.loadBalancerSourceRanges[${i}]`, range))
  }
  if (spec.type === 'ExternalName') {
    if (strings(spec.externalIPs).length > 0) {
      found.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
    }
  } else if (text(spec.externalName) !== '') {
    found.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  }
  if (spec.trafficDistribution === 'PreferClose') {
    found.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  }
  return found
}

function isUnallocated(object: KubeObject): boolean {
  const spec = specOf(object)
  if (spec.type === 'ExternalName') return false
  if (spec.ipFamilies === undefined || spec.ipFamilyPolicy === undefined) return true
  return needsNodePorts(spec) && items(spec.ports).some((port) => int(port.nodePort) === 0)
}

export const service: KindStrategy = {
  default: setServiceDefaults,
  prepareForCreate: (object, context) => {
    // A service that is created through the status subresource gets neither cluster IPs nor node ports.
    if (context.subresource !== 'status') allocateForCreate(object, context)
  },
  prepareForUpdate: (object, old, context) => {
    const before = decorateService(old)
    allocateForUpdate(object, before, context)
    dropTypeDependent(object, before)
  },
  // Even a no-op update allocates cluster IPs for a service that has none.
  checksUnchanged: isUnallocated,
  validate: validateService,
  validateUpdate: (object, old) => validateServiceUpdate(object, decorateService(old)),
  validateStatusUpdate: validateServiceStatusUpdate,
  shown: decorateService,
  warnings,
  statusWarnings: loadBalancerWarnings,
}
