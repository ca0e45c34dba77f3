/** NetworkPolicy. */
import { appendAll } from '../../../api/append.ts'
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { cidrMessages, cidrWarnings, isStrictSubset, parseCidr } from '../shared/cidr.ts'
import { checkSupported, reject } from '../shared/errors.ts'
import { portName, portNumber } from '../shared/formats.ts'
import { checkLabelSelector } from '../shared/label-selector.ts'
import { fill, items, maybeInt, size, specOf, strings, struct, text } from '../shared/values.ts'
import type { WriteContext } from '../../contract/resource.ts'

const directions = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  if (size(spec.policyTypes) === 0) {
    spec.policyTypes = size(spec.egress) === 0 ? ['Ingress'] : ['Ingress', 'Egress']
  }
  for (const [direction] of directions) {
    for (const rule of items(spec[direction])) {
      for (const port of items(rule.ports)) fill(port, 'protocol', 'TCP')
    }
  }
}

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkLabelSelector(errors, 'spec.podSelector', spec.podSelector)
  for (const [direction, peers] of directions) {
    for (const [i, rule] of items(spec[direction]).entries()) {
      const field = `spec.${direction}[${i}]`
      for (const [j, port] of items(rule.ports).entries()) checkPort(errors, `${field}.ports[${j}]`, port)
      for (const [j, peer] of items(rule[peers]).entries()) checkPeer(errors, `${field}.${peers}[${j}]`, peer)
    }
  }
  const types = strings(spec.policyTypes)
  if (types.length > 2) {
    errors.push(fieldError.invalid('spec.policyTypes', [...types], 'may not specify more than two policyTypes'))
    return errors
  }
  for (const [i, type] of types.entries()) {
    checkSupported(errors, `spec.policyTypes[${i}]`, type, ['Ingress', 'Egress'])
  }
  return errors
}

function checkPort(errors: FieldError[], field: string, given: JsonObject): void {
  if (given.protocol !== undefined) {
    checkSupported(errors, `${field}.protocol`, text(given.protocol), ['TCP', 'UDP', 'SCTP'])
  }
  const end = maybeInt(given.endPort)
  const port = given.port
  if (typeof port === 'number') {
    reject(errors, `${field}.port`, port, portNumber(port))
    if (end === undefined) return
    if (end < port) {
      errors.push(fieldError.invalid(`${field}.endPort`, port, 'must be greater than or equal to `port`'))
    }
    reject(errors, `${field}.endPort`, end, portNumber(end))
    return
  }
  if (end !== undefined) {
    const why = port === undefined ? 'not specified' : 'non-numeric'
    errors.push(fieldError.invalid(`${field}.endPort`, end, `may not be specified when \`port\` is ${why}`))
  }
  if (typeof port === 'string') reject(errors, `${field}.port`, port, portName(port))
}

function checkPeer(errors: FieldError[], field: string, peer: JsonObject): void {
  let count = 0
  for (const part of ['podSelector', 'namespaceSelector'] as const) {
    if (peer[part] === undefined) continue
    count++
    checkLabelSelector(errors, `${field}.${part}`, peer[part])
  }
  const block = struct(peer.ipBlock)
  if (block !== undefined) {
    count++
    checkBlock(errors, `${field}.ipBlock`, block)
  }
  if (count === 0) errors.push(fieldError.required(field, 'must specify a peer'))
  else if (count > 1 && block !== undefined) {
    errors.push(fieldError.forbidden(field, 'may not specify both ipBlock and another peer'))
  }
}

function checkBlock(errors: FieldError[], field: string, block: JsonObject): void {
  const cidr = text(block.cidr)
  if (cidr === '') {
    errors.push(fieldError.required(`${field}.cidr`))
    return
  }
  const messages = cidrMessages(cidr)
  reject(errors, `${field}.cidr`, cidr, messages)
  if (messages.length > 0) return
  const outer = parseCidr(cidr)
  for (const [i, except] of strings(block.except).entries()) {
    reject(errors, `${field}.except[${i}]`, except, cidrMessages(except))
    const inner = parseCidr(except)
    if (inner === undefined || outer === undefined || isStrictSubset(inner, outer)) continue
    errors.push(fieldError.invalid(`${field}.except[${i}]`, except, 'must be a strict subset of `cidr`'))
  }
}

function warnings(object: KubeObject): string[] {
  const spec = specOf(object)
  const found: string[] = []
  for (const [direction, side] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const [i, rule] of items(spec[direction]).entries()) {
      for (const [j, peer] of items(rule[side]).entries()) {
        const field = `spec.${direction}[${i}].${side}[${j}].ipBlock`
        const block = struct(peer.ipBlock)
        if (block === undefined) continue
        appendAll(found, cidrWarnings(`${field}.cidr`, text(block.cidr)))
        for (const [k, cidr] of strings(block.except).entries()) {
          appendAll(found, cidrWarnings(`${field}.except[${k}]`, cidr))
        }
      }
    }
  }
  return found
}

/** Upstream distinguishes an empty list from a missing one here, although it stores neither. */
function isNewGeneration(object: KubeObject, old: KubeObject, { decoded }: WriteContext): boolean {
  return !equalJson(object.spec, old.spec) || decoded?.empty?.isWithin(object.spec) === true
}

export const networkPolicy: KindStrategy = {
  generation: isNewGeneration,
  default: setDefaults,
  validate,
  // Upstream validates an updated policy twice.
  validateUpdate: (object) => [...validate(object), metadataMark('change'), ...validate(object)],
  warnings,
}
