/** Allocates cluster IPs, IP families and node ports before a service is validated. The cluster is IPv4 only. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { apiError } from '../../../api/status.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { isAddress6 } from '../shared/ip.ts'
import { int, items, size, specOf, strings, struct, text } from '../shared/values.ts'
import { checkClusterIps } from './cluster-ips.ts'
import { Pools } from './pools.ts'
import {
  hasNodePorts,
  headless,
  isExternal,
  isHeadless,
  needsClusterIp,
  needsHealthCheck,
  needsNodePorts,
} from './service-type.ts'

export function allocateForCreate(object: KubeObject, context: WriteContext): void {
  const spec = specOf(object)
  if (text(spec.clusterIP) !== '' && size(spec.clusterIPs) === 0) spec.clusterIPs = [spec.clusterIP as string]
  const pools = new Pools(context)
  fillFamilies(object, spec, undefined)
  allocateClusterIps(object, spec, pools)
  if (hasNodePorts(spec)) allocateNodePorts(object, spec, pools)
  if (needsHealthCheck(spec)) allocateHealthCheck(spec, pools)
}

export function allocateForUpdate(object: KubeObject, old: KubeObject, context: WriteContext): void {
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  keepAllocated(spec, before)
  followSingular(spec, before)
  const pools = new Pools(context)
  fillFamilies(object, spec, before)
  if (before.type === 'ExternalName' && spec.type !== 'ExternalName') allocateClusterIps(object, spec, pools)
  if (hasNodePorts(spec)) updateNodePorts(object, spec, before, pools)
  if (needsHealthCheck(spec) && !needsHealthCheck(before)) allocateHealthCheck(spec, pools)
}

function invalid(object: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw apiError.invalid('', 'Service', object.metadata.name ?? '', errors)
}

function sameList(a: unknown, b: unknown): boolean {
  const [x, y] = [strings(a), strings(b)]
  return x.length === y.length && x.every((value, i) => value === y[i])
}

/** An update that leaves out allocated values keeps them. */
function keepAllocated(spec: JsonObject, before: JsonObject): void {
  if (needsClusterIp(before) && needsClusterIp(spec)) {
    if (text(spec.clusterIP) === '' && before.clusterIP !== undefined) spec.clusterIP = before.clusterIP
    if (size(spec.clusterIPs) === 0 && size(before.clusterIPs) > 0) {
      spec.clusterIPs = [...strings(before.clusterIPs)]
    }
  }
  if (needsNodePorts(before) && needsNodePorts(spec)) keepNodePorts(items(spec.ports), items(before.ports))
  if (needsHealthCheck(before) && needsHealthCheck(spec) && int(spec.healthCheckNodePort) === 0) {
    spec.healthCheckNodePort = int(before.healthCheckNodePort)
  }
}

function keepNodePorts(ports: readonly JsonObject[], before: readonly JsonObject[]): void {
  const given = new Set(ports.map((port) => int(port.nodePort)))
  const byName = new Map(before.map((port) => [text(port.name), int(port.nodePort)]))
  for (const port of ports) {
    if (int(port.nodePort) !== 0) continue
    const old = byName.get(text(port.name)) ?? 0
    if (old !== 0 && !given.has(old)) port.nodePort = old
  }
}

/** clusterIP is the first of clusterIPs; old clients only know clusterIP. */
function followSingular(spec: JsonObject, before: JsonObject): void {
  const ip = text(spec.clusterIP)
  const old = text(before.clusterIP)
  if (ip === old) {
    if (size(before.clusterIPs) > 0 && size(spec.clusterIPs) === 0) {
      spec.clusterIPs = [...strings(before.clusterIPs)]
    }
  } else if (sameList(spec.clusterIPs, before.clusterIPs)) {
    if (old !== '' && ip === '') delete spec.clusterIPs
    else spec.clusterIPs = [ip]
  }
}

function fillFamilies(object: KubeObject, spec: JsonObject, before: JsonObject | undefined): void {
  if (spec.type === 'ExternalName' || keepsPreferred(spec, before)) return
  const free = spec.clusterIP === headless && size(spec.selector) === 0
  if (spec.ipFamilyPolicy === undefined) {
    spec.ipFamilyPolicy = before?.ipFamilyPolicy ?? (free ? 'RequireDualStack' : 'SingleStack')
  }
  const errors: FieldError[] = []
  checkClusterIps(errors, spec, before)
  invalid(object, errors)
  if (before !== undefined) followPolicy(errors, spec, before)
  checkPolicy(errors, spec)
  familiesOfAddresses(errors, spec)
  invalid(object, errors)
  if (free) {
    fillFreeFamilies(spec)
    return
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack') {
    const message = 'this cluster is not configured for dual-stack services'
    errors.push(fieldError.invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, message))
  }
  for (const [i, family] of strings(spec.ipFamilies).entries()) {
    if (family === 'IPv4') continue
    errors.push(fieldError.invalid(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'))
  }
  invalid(object, errors)
  if (size(spec.ipFamilies) === 0) spec.ipFamilies = ['IPv4']
}

/** With PreferDualStack, an unrelated update neither adds nor removes the second family. */
function keepsPreferred(spec: JsonObject, before: JsonObject | undefined): boolean {
  if (before === undefined || spec.type !== before.type || spec.ipFamilyPolicy !== 'PreferDualStack') return false
  if (before.ipFamilyPolicy !== undefined && before.ipFamilyPolicy !== 'PreferDualStack') return false
  return sameList(spec.clusterIPs, before.clusterIPs) && sameList(spec.ipFamilies, before.ipFamilies)
}

const dualFields = [
  ['clusterIPs', 'cluster IP', 'cluster IPs'],
  ['ipFamilies', 'IP family', 'IP families'],
] as const

/** SingleStack drops the second family. Removing it without a change to SingleStack is an error. */
function followPolicy(errors: FieldError[], spec: JsonObject, before: JsonObject): void {
  for (const [field, what] of dualFields) {
    const [now, old] = [strings(spec[field]), strings(before[field])]
    if (spec.ipFamilyPolicy === 'SingleStack') {
      if (now.length > 1 && sameList(now, old)) spec[field] = now.slice(0, 1)
    } else if (now.length > 0 && now.length < old.length) {
      const message = `must be 'SingleStack' to release the secondary ${what}`
      errors.push(fieldError.invalid('spec.ipFamilyPolicy', text(spec.ipFamilyPolicy), message))
    }
  }
}

function checkPolicy(errors: FieldError[], spec: JsonObject): void {
  if (spec.ipFamilyPolicy !== 'SingleStack') return
  for (const [field, , what] of dualFields) {
    if (size(spec[field]) !== 2) continue
    const message = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`
    errors.push(fieldError.invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, message))
  }
}

/** A requested cluster IP implies its family. */
function familiesOfAddresses(errors: FieldError[], spec: JsonObject): void {
  const ips = strings(spec.clusterIPs)
  for (const [i, ip] of ips.entries()) {
    if (ip === headless) break
    const families = strings(spec.ipFamilies)
    if (i < families.length) continue
    if (isAddress6(ip)) {
      errors.push(fieldError.invalid(`spec.clusterIPs[${i}]`, [...ips], 'IPv6 is not configured on this cluster'))
    } else {
      spec.ipFamilies = [...families, 'IPv4']
    }
  }
}

/** A headless service without a selector may have endpoints of both families. */
function fillFreeFamilies(spec: JsonObject): void {
  const families = strings(spec.ipFamilies)
  const first = families[0] ?? 'IPv4'
  if (families.length < 2) {
    const both = [first, first === 'IPv4' ? 'IPv6' : 'IPv4']
    spec.ipFamilies = spec.ipFamilyPolicy === 'SingleStack' ? [first] : both
  }
}

function allocateClusterIps(object: KubeObject, spec: JsonObject, pools: Pools): void {
  if (spec.type === 'ExternalName' || isHeadless(spec)) return
  const ips = [...strings(spec.clusterIPs)]
  for (const i of strings(spec.ipFamilies).keys()) {
    const requested = ips[i] ?? ''
    if (requested === '') {
      ips[i] = pools.nextAddress()
      continue
    }
    const rejection = pools.takeAddress(requested)
    if (rejection === undefined) continue
    const message = `failed to allocate IP ${requested}: ${rejection}`
    invalid(object, [fieldError.invalid('spec.clusterIPs', [...strings(spec.clusterIPs)], message)])
  }
  spec.clusterIPs = ips
  spec.clusterIP = ips[0] ?? ''
}

function takePort(object: KubeObject, i: number, port: number, pools: Pools): void {
  const rejection = pools.takePort(port)
  if (rejection !== undefined) invalid(object, [fieldError.invalid(`spec.ports[${i}].nodePort`, port, rejection)])
}

/** Ports with the same number and different protocols share a node port. */
function allocateNodePorts(object: KubeObject, spec: JsonObject, pools: Pools): void {
  const ports = items(spec.ports)
  const chosen = new Map<number, number>()
  const requests = new Map<number, number>()
  for (const port of ports) {
    if (int(port.nodePort) !== 0 && !requests.has(int(port.port))) requests.set(int(port.port), int(port.nodePort))
  }
  for (const [i, port] of ports.entries()) {
    const nodePort = int(port.nodePort)
    if (nodePort === 0 && !needsNodePorts(spec)) continue
    const number = int(port.port)
    const shared = chosen.get(number)
    if (shared !== undefined) {
      if (nodePort === 0) port.nodePort = shared
      else if (nodePort !== shared) takePort(object, i, nodePort, pools)
      continue
    }
    const requested = requests.get(number)
    if (requested === undefined) {
      port.nodePort = pools.nextPort()
    } else {
      takePort(object, i, requested, pools)
      port.nodePort = requested
    }
    chosen.set(number, int(port.nodePort))
  }
}

function updateNodePorts(object: KubeObject, spec: JsonObject, before: JsonObject, pools: Pools): void {
  const known = new Set(items(before.ports).map((port) => int(port.nodePort)))
  const seen = new Set<string>()
  for (const [i, port] of items(spec.ports).entries()) {
    const nodePort = int(port.nodePort)
    if (nodePort === 0) {
      if (!needsNodePorts(spec)) continue
      port.nodePort = pools.nextPort()
    } else if (!known.has(nodePort)) {
      takePort(object, i, nodePort, pools)
      known.add(nodePort)
    }
    const shown = `{${text(port.protocol)} ${int(port.nodePort)}}`
    if (seen.has(shown)) throw apiError.internal(`duplicate nodePort: ${shown}`)
    seen.add(shown)
  }
}

function allocateHealthCheck(spec: JsonObject, pools: Pools): void {
  const requested = int(spec.healthCheckNodePort)
  if (requested === 0) {
    spec.healthCheckNodePort = pools.nextPort()
    return
  }
  const rejection = pools.takePort(requested)
  if (rejection === undefined) return
  throw apiError.internal(
    `Internal error occurred: failed to allocate requested HealthCheck NodePort ${requested}: ${rejection}`,
  )
}

/** Values that belong to the old type are dropped, unless the client changed them. */
export function dropTypeDependent(object: KubeObject, old: KubeObject): void {
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    if (text(spec.clusterIP) === text(before.clusterIP) && sameList(spec.clusterIPs, before.clusterIPs)) {
      delete spec.clusterIP
      delete spec.clusterIPs
    }
    if (sameList(spec.ipFamilies, before.ipFamilies)) delete spec.ipFamilies
    if (spec.ipFamilyPolicy === before.ipFamilyPolicy) delete spec.ipFamilyPolicy
  }
  if (hasNodePorts(before) && !hasNodePorts(spec)) dropNodePorts(items(spec.ports), items(before.ports))
  const healthCheck = int(spec.healthCheckNodePort)
  if (needsHealthCheck(before) && !needsHealthCheck(spec) && healthCheck === int(before.healthCheckNodePort)) {
    delete spec.healthCheckNodePort
  }
  const wasBalanced = before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer'
  for (const field of wasBalanced ? ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] : []) {
    if (spec[field] === before[field]) delete spec[field]
  }
  const closed = isExternal(before) && !isExternal(spec)
  if (closed && spec.externalTrafficPolicy === before.externalTrafficPolicy) delete spec.externalTrafficPolicy
  if (spec.type !== 'LoadBalancer') object.status = { ...struct(object.status), loadBalancer: {} }
}

function dropNodePorts(ports: readonly JsonObject[], before: readonly JsonObject[]): void {
  const old = new Set(before.map((port) => int(port.nodePort)))
  if (!ports.every((port) => int(port.nodePort) === 0 || old.has(int(port.nodePort)))) return
  for (const port of ports) delete port.nodePort
}
