/**
 * Decorates services on reads with fields that are implied by others. Most services have them in storage. Services that
 * were created through the status subresource, or whose type changed to ExternalName, do not.
 */
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { isAddress6 } from '../shared/ip.ts'
import { size, strings, struct, text } from '../shared/values.ts'
import { headless } from './service-type.ts'

export function decorateService(object: KubeObject): KubeObject {
  const spec = struct(object.spec)
  if (spec === undefined) return object
  const more = implied(spec)
  // An ExternalName service has no traffic of its own, so internalTrafficPolicy is hidden.
  const hidden = spec.type === 'ExternalName' && spec.internalTrafficPolicy !== undefined
  if (more === undefined && !hidden) return object
  const { internalTrafficPolicy: _, ...visible } = spec
  return { ...object, spec: { ...(hidden ? visible : spec), ...more } }
}

/** Undefined if nothing is missing. */
function implied(spec: JsonObject): JsonObject | undefined {
  const ip = text(spec.clusterIP)
  const ips = size(spec.clusterIPs) === 0 && ip !== '' ? [ip] : strings(spec.clusterIPs)
  const plural = size(spec.clusterIPs) === ips.length ? undefined : { clusterIPs: [...ips] }
  if (spec.type === 'ExternalName' || size(spec.ipFamilies) > 0) return plural
  if (ip === headless) {
    const families = size(spec.selector) === 0 ? ['IPv4', 'IPv6'] : ['IPv4']
    return { ...plural, ...withFamilies(families) }
  }
  return ips.length === 0
    ? plural
    : { ...plural, ...withFamilies(ips.map((each) => (isAddress6(each) ? 'IPv6' : 'IPv4'))) }
}

function withFamilies(ipFamilies: string[]): JsonObject {
  return { ipFamilies, ipFamilyPolicy: ipFamilies.length === 1 ? 'SingleStack' : 'RequireDualStack' }
}
