/** Endpoints: the predecessor of EndpointSlice. */
import { appendAll } from '../../../api/append.ts'
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import { checkLabel, checkQualifiedName, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkOneOf, reject } from '../shared/errors.ts'
import { portNumber } from '../shared/formats.ts'
import { addressMessages, addressWarnings, endpointAddressMessages } from '../shared/ip.ts'
import { protocols } from '../shared/pod-spec/containers.ts'
import { entry, fillZero, int, items, size, text } from '../shared/values.ts'

const addressLists = ['addresses', 'notReadyAddresses'] as const

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  for (const [i, subset] of items(object.subsets).entries()) {
    const field = `subsets[${i}]`
    if (size(subset.addresses) + size(subset.notReadyAddresses) === 0) {
      errors.push(fieldError.required(field, 'must specify `addresses` or `notReadyAddresses`'))
    }
    for (const list of addressLists) {
      for (const [j, address] of items(subset[list]).entries()) {
        checkAddress(errors, `${field}.${list}[${j}]`, address)
      }
    }
    const ports = items(subset.ports)
    for (const [j, port] of ports.entries()) {
      checkEndpointPort(errors, `${field}.ports[${j}]`, port, ports.length > 1)
    }
  }
  return errors
}

function checkAddress(errors: FieldError[], field: string, address: JsonObject): void {
  const ip = text(address.ip)
  reject(errors, `${field}.ip`, ip, addressMessages(ip))
  const host = text(address.hostname)
  if (host !== '') reject(errors, `${field}.hostname`, host, checkLabel(host))
  if (address.nodeName !== undefined) {
    reject(errors, `${field}.nodeName`, address.nodeName, checkSubdomain(text(address.nodeName)))
  }
  reject(errors, `${field}.ip`, ip, endpointAddressMessages(ip))
}

function checkEndpointPort(errors: FieldError[], field: string, port: JsonObject, needsName: boolean): void {
  const name = text(port.name)
  if (name !== '') reject(errors, `${field}.name`, name, checkLabel(name))
  else if (needsName) errors.push(fieldError.required(`${field}.name`))
  reject(errors, `${field}.port`, int(port.port), portNumber(int(port.port)))
  checkOneOf(errors, `${field}.protocol`, text(port.protocol), protocols)
  if (port.appProtocol !== undefined) {
    reject(errors, `${field}.appProtocol`, port.appProtocol, checkQualifiedName(text(port.appProtocol)))
  }
}

function warnings(object: KubeObject): string[] {
  const found: string[] = []
  const managed = entry(object.metadata.labels, 'endpoints.kubernetes.io/managed-by') === 'endpoint-controller'
  for (const [i, subset] of (managed ? [] : items(object.subsets)).entries()) {
    for (const list of addressLists) {
      for (const [j, address] of items(subset[list]).entries()) {
        appendAll(found, addressWarnings(`subsets[${i}].${list}[${j}].ip`, text(address.ip)))
      }
    }
  }
  return found
}

export const endpoints: KindStrategy = {
  default: (object) => {
    for (const subset of items(object.subsets)) {
      for (const port of items(subset.ports)) fillZero(port, 'protocol', 'TCP')
    }
  },
  validate,
  validateUpdate: (object, old) => (equalJson(object.subsets, old.subsets) ? [] : validate(object)),
  warnings,
}
