/** EndpointSlice: its address type is immutable, and changed labels increment its generation. */
import { appendAll } from '../../../api/append.ts'
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import { checkLabel, checkLabelValue, checkQualifiedName, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkImmutable, checkOneOf, checkSupported, reject } from '../shared/errors.ts'
import { strictAddressMessages } from '../shared/ip-name.ts'
import { addressMessages, addressWarnings, endpointAddressMessages, isAddress6 } from '../shared/ip.ts'
import { protocols } from '../shared/pod-spec/containers.ts'
import { entry, fill, items, nullWhenEmpty, strings, struct, text } from '../shared/values.ts'
import type { WriteContext } from '../../contract/resource.ts'

const maxEndpoints = 1000
const maxAddresses = 100
const maxPorts = 20000

function validate(object: KubeObject, old?: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const type = text(object.addressType)
  checkOneOf(errors, 'addressType', type, ['FQDN', 'IPv4', 'IPv6'])
  checkPorts(errors, items(object.ports))
  // Endpoints that an older server accepted stay valid while they are unchanged.
  if (old === undefined || !equalJson(object.endpoints ?? null, old.endpoints ?? null))
    checkEndpoints(errors, items(object.endpoints), type)
  return errors
}

function checkEndpoints(errors: FieldError[], endpoints: readonly JsonObject[], type: string): void {
  if (endpoints.length > maxEndpoints) {
    errors.push(fieldError.tooMany('endpoints', endpoints.length, maxEndpoints))
    return
  }
  for (const [i, endpoint] of endpoints.entries()) checkEndpoint(errors, `endpoints[${i}]`, endpoint, type)
}

function checkEndpoint(errors: FieldError[], field: string, endpoint: JsonObject, type: string): void {
  const addresses = strings(endpoint.addresses)
  const at = `${field}.addresses`
  if (addresses.length === 0) errors.push(fieldError.required(at, 'must contain at least 1 address'))
  if (addresses.length > maxAddresses) errors.push(fieldError.tooMany(at, addresses.length, maxAddresses))
  for (const [i, address] of addresses.entries()) {
    if (type === 'FQDN') {
      checkDomain(errors, `${at}[${i}]`, address)
    } else if (type === 'IPv4' || type === 'IPv6') {
      checkAddress(errors, at, i, address, type)
    }
  }
  if (endpoint.nodeName !== undefined) {
    reject(errors, `${field}.nodeName`, endpoint.nodeName, checkSubdomain(text(endpoint.nodeName)))
  }
  if (endpoint.hostname !== undefined) {
    reject(errors, `${field}.hostname`, endpoint.hostname, checkLabel(text(endpoint.hostname)))
  }
  const hints = struct(endpoint.hints)
  checkHints(errors, `${field}.hints.forZones`, items(hints?.forZones), checkLabelValue)
  checkHints(errors, `${field}.hints.forNodes`, items(hints?.forNodes), checkSubdomain)
}

/** At least two labels. Reports only the first problem, with all its messages. */
function checkDomain(errors: FieldError[], field: string, given: string): void {
  if (given === '') {
    errors.push(fieldError.required(field))
    return
  }
  const name = given.replace(/\.$/, '')
  const labels = name.split('.')
  const whole = [...checkSubdomain(name)]
  if (whole.length === 0 && labels.length < 2)
    whole.push('should be a domain with at least two segments separated by dots')
  if (whole.length > 0) {
    errors.push(fieldError.invalid(field, name, whole.join(',')))
    return
  }
  const wrong = labels.find((label) => checkLabel(label).length > 0)
  if (wrong !== undefined) errors.push(fieldError.invalid(field, wrong, checkLabel(wrong).join(',')))
}

const maxHints = 8

function checkHints(
  errors: FieldError[],
  field: string,
  hints: readonly JsonObject[],
  check: (name: string) => readonly string[],
): void {
  if (hints.length > maxHints) {
    errors.push(fieldError.tooMany(field, hints.length, maxHints))
    return
  }
  const names = new Set<string>()
  for (const [i, hint] of hints.entries()) {
    const name = text(hint.name)
    if (names.has(name)) errors.push(fieldError.duplicate(`${field}[${i}].name`, name))
    names.add(name)
    reject(errors, `${field}[${i}].name`, name, check(name))
  }
}

function checkAddress(errors: FieldError[], field: string, i: number, address: string, type: 'IPv4' | 'IPv6'): void {
  const messages = type === 'IPv4' ? addressMessages(address) : strictAddressMessages(address)
  reject(errors, `${field}[${i}]`, address, messages)
  if (messages.length > 0) return
  if (isAddress6(address) !== (type === 'IPv6')) {
    errors.push(fieldError.invalid(field, address, `must be an ${type} address`))
  }
  reject(errors, `${field}[${i}]`, address, endpointAddressMessages(address))
}

function checkPorts(errors: FieldError[], ports: readonly JsonObject[]): void {
  if (ports.length > maxPorts) {
    errors.push(fieldError.tooMany('ports', ports.length, maxPorts))
    return
  }
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const field = `ports[${i}]`
    const name = text(port.name)
    if (name !== '') reject(errors, `${field}.name`, name, checkLabel(name))
    if (names.has(name)) errors.push(fieldError.duplicate(`${field}.name`, name))
    names.add(name)
    checkSupported(errors, `${field}.protocol`, text(port.protocol), protocols)
    if (port.appProtocol !== undefined) {
      reject(errors, `${field}.appProtocol`, port.appProtocol, checkQualifiedName(text(port.appProtocol)))
    }
  }
}

const managers = new Set(['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'])

function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const found: string[] = []
  if (old === undefined && object.addressType === 'FQDN') {
    found.push('spec.addressType: FQDN endpoints are deprecated')
  }
  if (managers.has(entry(object.metadata.labels, 'endpointslice.kubernetes.io/managed-by') ?? '')) {
    return found
  }
  for (const [i, endpoint] of items(object.endpoints).entries()) {
    for (const [j, address] of strings(endpoint.addresses).entries()) {
      appendAll(found, addressWarnings(`endpoints[${i}].addresses[${j}]`, address))
    }
  }
  return found
}

/**
 * Empty lists are stored as null, but their writer owns them. So this is done here, after field tracking, and not when
 * defaulting.
 */
function prepare(object: KubeObject, context: WriteContext): void {
  // The topology of v1beta1 is dropped, but setting it counts as a change.
  for (const endpoint of items(object.endpoints)) {
    if (endpoint.deprecatedTopology === undefined) continue
    delete endpoint.deprecatedTopology
    context.newGeneration = true
  }
  nullWhenEmpty(object, 'endpoints')
  nullWhenEmpty(object, 'ports')
}

export const endpointSlice: KindStrategy = {
  default: (object) => {
    for (const port of items(object.ports)) {
      fill(port, 'name', '')
      fill(port, 'protocol', 'TCP')
    }
  },
  prepareForCreate: prepare,
  prepareForUpdate: (object, _old, context) => prepare(object, context),
  validate: (object) => validate(object),
  validateUpdate: (object, old) => {
    const errors = validate(object, old)
    checkImmutable(errors, 'addressType', object.addressType, old.addressType)
    return errors
  },
  generation: (object, old) =>
    ['addressType', 'endpoints', 'ports'].some((field) => !equalJson(object[field], old[field])) ||
    !equalJson(object.metadata.labels ?? {}, old.metadata.labels ?? {}),
  warnings,
}
