/** Validation of services. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel, checkQualifiedName, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { cidrMessages } from '../shared/cidr.ts'
import { checkOneOf, checkSupported, duplicateStruct, reject } from '../shared/errors.ts'
import { portNumber } from '../shared/formats.ts'
import { internalJson } from '../shared/internal-json.ts'
import { addressMessages, endpointAddressMessages, isAddress } from '../shared/ip.ts'
import { checkLabels } from '../shared/label-selector.ts'
import { protocols } from '../shared/pod-spec/containers.ts'
import { checkPort } from '../shared/pod-spec/probes.ts'
import { entry, int, items, size, specOf, strings, struct, text } from '../shared/values.ts'
import { checkClusterIps, checkClusterIpsUpdate } from './cluster-ips.ts'
import { isExternal, isHeadless, needsHealthCheck } from './service-type.ts'

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const onlyBalanced = "may only be used when `type` is 'LoadBalancer'"

function checkService(errors: FieldError[], object: KubeObject, before: JsonObject | undefined): void {
  const spec = specOf(object)
  const ports = items(spec.ports)
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== 'ExternalName') {
    errors.push(fieldError.required('spec.ports'))
  }
  checkByType(errors, spec)
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    checkServicePort(errors, `spec.ports[${i}]`, port, ports.length > 1, names)
  }
  checkLabels(errors, 'spec.selector', spec.selector)
  checkAffinity(errors, spec)
  checkClusterIps(errors, spec, before)
  checkExternalIps(errors, spec, before)
  checkOneOf(errors, 'spec.type', text(spec.type), types)
  checkRepeatedPorts(errors, spec, ports)
  checkSourceRanges(errors, object, spec)
  if (spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== 'LoadBalancer') {
    errors.push(fieldError.forbidden('spec.allocateLoadBalancerNodePorts', onlyBalanced))
  }
  checkClass(errors, spec)
  checkExternalTraffic(errors, spec)
  if (spec.internalTrafficPolicy !== undefined) {
    checkSupported(errors, 'spec.internalTrafficPolicy', text(spec.internalTrafficPolicy), ['Cluster', 'Local'])
  } else if (['ClusterIP', 'NodePort', 'LoadBalancer'].includes(text(spec.type))) {
    errors.push(fieldError.required('spec.internalTrafficPolicy'))
  }
  if (spec.trafficDistribution !== undefined) {
    const supported = ['PreferClose', 'PreferSameZone', 'PreferSameNode']
    checkSupported(errors, 'spec.trafficDistribution', text(spec.trafficDistribution), supported)
  }
}

function checkByType(errors: FieldError[], spec: JsonObject): void {
  if (spec.type === 'LoadBalancer' || spec.type === 'NodePort') {
    if (!isHeadless(spec)) return
    const message = `may not be set to 'None' for ${spec.type} services`
    errors.push(fieldError.invalid('spec.clusterIPs[0]', 'None', message))
  } else if (spec.type === 'ExternalName') {
    for (const field of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
      if (spec[field] === undefined || (field !== 'ipFamilyPolicy' && size(spec[field]) === 0)) continue
      errors.push(fieldError.forbidden(`spec.${field}`, 'may not be set for ExternalName services'))
    }
    const name = text(spec.externalName).replace(/\.$/, '')
    if (name === '') errors.push(fieldError.required('spec.externalName'))
    else reject(errors, 'spec.externalName', name, checkSubdomain(name))
  }
}

function checkServicePort(
  errors: FieldError[],
  field: string,
  port: JsonObject,
  needsName: boolean,
  names: Set<string>,
): void {
  const name = text(port.name)
  if (name !== '') {
    reject(errors, `${field}.name`, name, checkLabel(name))
    if (names.has(name)) errors.push(fieldError.duplicate(`${field}.name`, name))
    names.add(name)
  } else if (needsName) {
    errors.push(fieldError.required(`${field}.name`))
  }
  reject(errors, `${field}.port`, int(port.port), portNumber(int(port.port)))
  checkOneOf(errors, `${field}.protocol`, text(port.protocol), protocols)
  checkPort(errors, `${field}.targetPort`, port.targetPort)
  if (port.appProtocol !== undefined) {
    reject(errors, `${field}.appProtocol`, port.appProtocol, checkQualifiedName(text(port.appProtocol)))
  }
}

function checkAffinity(errors: FieldError[], spec: JsonObject): void {
  const affinity = text(spec.sessionAffinity)
  const field = 'spec.sessionAffinityConfig'
  checkOneOf(errors, 'spec.sessionAffinity', affinity, ['ClientIP', 'None'])
  if (affinity === 'ClientIP') {
    const seconds = int(struct(struct(spec.sessionAffinityConfig)?.clientIP)?.timeoutSeconds)
    if (seconds > 0 && seconds <= 86400) return
    const message = 'must be greater than 0 and less than 86400'
    errors.push(fieldError.invalid(`${field}.clientIP.timeoutSeconds`, seconds, message))
  } else if (affinity === 'None' && spec.sessionAffinityConfig !== undefined) {
    errors.push(fieldError.forbidden(field, 'must not be set when session affinity is None'))
  }
}

function checkExternalIps(errors: FieldError[], spec: JsonObject, before: JsonObject | undefined): void {
  const known = new Set(strings(before?.externalIPs))
  for (const [i, ip] of strings(spec.externalIPs).entries()) {
    const wrong = known.has(ip) ? [] : addressMessages(ip)
    reject(errors, `spec.externalIPs[${i}]`, ip, wrong.length > 0 ? wrong : endpointAddressMessages(ip))
  }
}

function checkRepeatedPorts(errors: FieldError[], spec: JsonObject, ports: readonly JsonObject[]): void {
  if (spec.type === 'ClusterIP') {
    for (const [i, port] of ports.entries()) {
      if (int(port.nodePort) === 0) continue
      errors.push(fieldError.forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'"))
    }
  }
  const nodePorts = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const nodePort = int(port.nodePort)
    if (nodePort === 0) continue
    const key = `${text(port.protocol)}/${nodePort}`
    if (nodePorts.has(key)) errors.push(fieldError.duplicate(`spec.ports[${i}].nodePort`, nodePort))
    nodePorts.add(key)
  }
  const numbers = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const key = `${text(port.protocol)}/${int(port.port)}`
    if (numbers.has(key)) {
      const shown = internalJson('ServicePort', { protocol: text(port.protocol), port: int(port.port) })
      errors.push(duplicateStruct(`spec.ports[${i}]`, shown))
    }
    numbers.add(key)
  }
}

const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges'

function checkSourceRanges(errors: FieldError[], object: KubeObject, spec: JsonObject): void {
  const ranges = strings(spec.loadBalancerSourceRanges)
  if (ranges.length === 0) {
    checkRangesAnnotation(errors, spec, entry(object.metadata.annotations, rangesAnnotation))
    return
  }
  const field = 'spec.LoadBalancerSourceRanges'
  if (spec.type !== 'LoadBalancer') errors.push(fieldError.forbidden(field, onlyBalanced))
  for (const [i, range] of ranges.entries()) {
    reject(errors, `${field}[${i}]`, range.trim(), cidrMessages(range.trim()))
  }
}

/** The annotation is older than the field and only used if the field is absent. */
function checkRangesAnnotation(errors: FieldError[], spec: JsonObject, value: string | undefined): void {
  if (value === undefined) return
  const field = `metadata.annotations[${rangesAnnotation}]`
  if (spec.type !== 'LoadBalancer') errors.push(fieldError.forbidden(field, onlyBalanced))
  if (value.trim() === '') return
  for (const range of value.split(',')) reject(errors, field, range.trim(), cidrMessages(range.trim()))
}

function checkClass(errors: FieldError[], spec: JsonObject): void {
  if (spec.loadBalancerClass === undefined) return
  const name = text(spec.loadBalancerClass)
  if (spec.type === 'LoadBalancer') reject(errors, 'spec.loadBalancerClass', name, checkQualifiedName(name))
  else errors.push(fieldError.forbidden('spec.loadBalancerClass', onlyBalanced))
}

function checkExternalTraffic(errors: FieldError[], spec: JsonObject): void {
  const policy = text(spec.externalTrafficPolicy)
  const field = 'spec.externalTrafficPolicy'
  if (isExternal(spec)) checkOneOf(errors, field, policy, ['Cluster', 'Local'])
  else if (policy !== '') {
    errors.push(fieldError.invalid(field, policy, 'may only be set for externally-accessible services'))
  }
  const port = int(spec.healthCheckNodePort)
  const portField = 'spec.healthCheckNodePort'
  if (needsHealthCheck(spec)) {
    if (port === 0) errors.push(fieldError.required(portField))
    else reject(errors, portField, port, portNumber(port))
  } else if (port !== 0) {
    const message = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    errors.push(fieldError.invalid(portField, port, message))
  }
}

export function validateService(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkService(errors, object, undefined)
  return errors
}

export function validateServiceUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  checkClusterIpsUpdate(errors, spec, before)
  const bothBalanced = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer'
  if (bothBalanced && spec.loadBalancerClass !== before.loadBalancerClass) {
    const shown = spec.loadBalancerClass ?? null
    errors.push(fieldError.invalid('spec.loadBalancerClass', shown, 'may not change once set'))
  }
  checkClass(errors, spec)
  const checked = needsHealthCheck(spec) && needsHealthCheck(before)
  if (checked && spec.healthCheckNodePort !== before.healthCheckNodePort) {
    errors.push(fieldError.forbidden('spec.healthCheckNodePort', 'field is immutable'))
  }
  checkService(errors, object, before)
  return errors
}

export function validateServiceStatusUpdate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const ingresses = items(struct(struct(object.status)?.loadBalancer)?.ingress)
  const field = 'status.loadBalancer.ingress'
  if (struct(object.spec)?.type !== 'LoadBalancer') {
    if (ingresses.length > 0) {
      errors.push(fieldError.forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'"))
    }
    return errors
  }
  for (const [i, ingress] of ingresses.entries()) {
    const ip = text(ingress.ip)
    const mode = ingress.ipMode
    if (ip !== '') reject(errors, `${field}[${i}].ip`, ip, addressMessages(ip))
    if (mode === undefined && ip !== '') {
      errors.push(fieldError.required(`${field}[${i}].ipMode`, 'must be specified when `ip` is set'))
    } else if (mode !== undefined && ip === '') {
      errors.push(fieldError.forbidden(`${field}[${i}].ipMode`, 'may not be specified when `ip` is not set'))
    } else if (mode !== undefined) {
      checkSupported(errors, `${field}[${i}].ipMode`, text(mode), ['Proxy', 'VIP'])
    }
    const host = text(ingress.hostname)
    if (host === '') continue
    reject(errors, `${field}[${i}].hostname`, host, checkSubdomain(host))
    if (isAddress(host)) {
      errors.push(fieldError.invalid(`${field}[${i}].hostname`, host, 'must be a DNS name, not an IP address'))
    }
  }
  return errors
}
