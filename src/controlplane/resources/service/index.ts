/** Service: addresses and ports are allocated before anything else is looked at. */
import type { KubeObject } from '../../../api/object.ts'
import type { KindRules } from '../kind-rules.ts'
import { addressWarnings } from '../shared/ip.ts'
import { specOf, strings, text } from '../shared/values.ts'
import { allocateForCreate, allocateForUpdate, dropTypeDependent } from './allocate.ts'
import { setDefaults } from './defaults.ts'
import { isHeadless } from './service-type.ts'
import { validate, validateStatusUpdate, validateUpdate } from './validate.ts'

function warnings(object: KubeObject): string[] {
  const spec = specOf(object)
  const found: string[] = []
  if (!isHeadless(spec)) {
    for (const [i, ip] of strings(spec.clusterIPs).entries()) found.push(...addressWarnings(`spec.clusterIPs[${i}]`, ip))
  } else if (spec.type === 'ClusterIP') {
    if (text(spec.loadBalancerIP) !== '') found.push('spec.loadBalancerIP is ignored for headless services')
    if (strings(spec.externalIPs).length > 0) found.push('spec.externalIPs is ignored for headless services')
    if (spec.sessionAffinity !== 'None') found.push('spec.SessionAffinity is ignored for headless services')
  }
  for (const [i, ip] of strings(spec.externalIPs).entries()) found.push(...addressWarnings(`spec.externalIPs[${i}]`, ip))
  if (spec.type === 'ExternalName') {
    if (strings(spec.externalIPs).length > 0) found.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  } else if (text(spec.externalName) !== '') {
    found.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  }
  if (spec.trafficDistribution === 'PreferClose') {
    found.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  }
  return found
}

export const service: KindRules = {
  default: setDefaults,
  prepareForCreate: allocateForCreate,
  prepareForUpdate: (object, old, context) => {
    allocateForUpdate(object, old, context)
    dropTypeDependent(object, old)
  },
  validate,
  validateUpdate,
  validateStatusUpdate,
  warnings,
}
