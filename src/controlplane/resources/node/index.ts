/** Node. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { cloneJson, type JsonObject } from '../../../api/json.ts'
import { checkLabelValue } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark, type DecodeNotes, type WriteContext } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { cidrMessages, parseCidr } from '../shared/cidr.ts'
import { checkOneOf, reject } from '../shared/errors.ts'
import { checkLabelKey } from '../shared/label-selector.ts'
import { taintEffects } from '../shared/pod-spec/scheduling.ts'
import { checkResourceQuantity } from '../shared/quantities.ts'
import { roundResourceList } from '../shared/resource-list.ts'
import { entries, items, specOf, strings, struct, text } from '../shared/values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'

function setDefaults(object: KubeObject, notes?: DecodeNotes): void {
  const spec = specOf(object)
  const status = struct(object.status)
  if (!givesNothing(object, notes?.empty)) allocateAll(status)
  roundResourceList(status?.capacity)
  roundResourceList(status?.allocatable)
  // podCIDR is the first of podCIDRs. Copies the one that was set to the other.
  const single = text(spec.podCIDR)
  const first = strings(spec.podCIDRs)[0] ?? ''
  if (single !== '' && single !== first) spec.podCIDRs = [single]
  else if (single === '' && first !== '') spec.podCIDR = first
}

function allocateAll(status: JsonObject | undefined): void {
  if (status !== undefined && status.allocatable === undefined && status.capacity !== undefined) {
    status.allocatable = cloneJson(status.capacity)
  }
}

/** Whether the client sent an explicit empty allocatable map. */
function givesNothing(object: KubeObject, empty: EmptyFields | undefined): boolean {
  return empty?.get(struct(object.status), 'allocatable') !== undefined
}

/** An empty map is not stored, and after a read counts as missing. */
function defaultAllocatable(object: KubeObject, context: WriteContext): void {
  if (!givesNothing(object, context.decoded?.empty) || struct(object.status)?.capacity === undefined) return
  allocateAll(struct(object.status))
  context.needsRewrite = true
}

function prepareForCreate(object: KubeObject, context: WriteContext): void {
  // Dynamic kubelet configuration was removed from Kubernetes.
  delete specOf(object).configSource
  defaultAllocatable(object, context)
}

function checkTaints(errors: FieldError[], taints: readonly JsonObject[]): void {
  const seen = new Set<string>()
  for (const [i, taint] of taints.entries()) {
    const field = `metadata.taints[${i}]`
    const key = text(taint.key)
    checkLabelKey(errors, `${field}.key`, key)
    const messages = checkLabelValue(text(taint.value))
    if (messages.length > 0) {
      errors.push(fieldError.invalid(`${field}.value`, text(taint.value), messages.join(';')))
    }
    checkOneOf(errors, `${field}.effect`, text(taint.effect), taintEffects)
    const pair = `${key}:${text(taint.effect)}`
    if (seen.has(pair)) {
      const shown = {
        Key: key,
        Value: text(taint.value),
        Effect: text(taint.effect),
        TimeAdded: taint.timeAdded ?? null,
      }
      const summary = `Duplicate value: ${JSON.stringify(shown)}`
      const detail = 'taints must be unique by key and effect pair'
      errors.push({ type: 'Duplicate', field, summary, detail })
    }
    seen.add(pair)
  }
}

function checkResources(errors: FieldError[], object: KubeObject, { decoded }: WriteContext): void {
  const status = struct(object.status)
  for (const list of givesNothing(object, decoded?.empty) ? ['capacity'] : ['capacity', 'allocatable']) {
    for (const [name, quantity] of entries(status?.[list])) {
      checkResourceQuantity(errors, `status.${list}.${name}`, name, quantity)
    }
  }
}

function validate(object: KubeObject, context: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkTaints(errors, items(spec.taints))
  checkResources(errors, object, context)
  for (const [i, cidr] of strings(spec.podCIDRs).entries()) {
    reject(errors, `spec.podCIDRs[${i}]`, cidr, cidrMessages(cidr))
  }
  const ranges = strings(spec.podCIDRs)
  const families = ranges.map((cidr) => parseCidr(cidr)?.address.family)
  const unread = families.indexOf(undefined)
  if (ranges.length > 1 && unread >= 0) {
    const why = `invalid CIDR[${unread}]: <nil> (invalid CIDR address: ${ranges[unread]})`
    errors.push(
      fieldError.internal('spec.podCIDRs', `invalid PodCIDRs. failed to check with dual stack with error:${why}`),
    )
  }
  if (ranges.length > 1 && (unread >= 0 || ranges.length > new Set(families).size)) {
    const message = 'may specify no more than one CIDR for each IP family'
    errors.push(fieldError.invalid('spec.podCIDRs', [...strings(spec.podCIDRs)], message))
  }
  return errors
}

function checkChange(errors: FieldError[], object: KubeObject, old: KubeObject, context: WriteContext): void {
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  checkAddresses(errors, object)
  checkResources(errors, object, context)
  checkRanges(errors, strings(spec.podCIDRs), strings(before.podCIDRs))
  if (text(before.providerID) !== '' && spec.providerID !== before.providerID) {
    const message = 'node updates may not change providerID except from "" to valid'
    errors.push(fieldError.forbidden('spec.providerID', message))
  }
  checkTaints(errors, items(spec.taints))
  if (text(spec.externalID) !== text(before.externalID)) {
    errors.push(fieldError.forbidden('spec.externalID', 'may not be updated'))
  }
}

/** As upstream: one error for each changed range, or one error if their number changes. */
function checkRanges(errors: FieldError[], ranges: readonly string[], before: readonly string[]): void {
  if (before.length === 0) return
  const changed = ranges.length === before.length ? before.filter((range, i) => range !== ranges[i]).length : 1
  for (let i = 0; i < changed; i++) {
    errors.push(fieldError.forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'))
  }
}

/** Addresses must be unique. */
function checkAddresses(errors: FieldError[], object: KubeObject): void {
  const seen = new Set<string>()
  for (const [i, address] of items(struct(object.status)?.addresses).entries()) {
    const shown = JSON.stringify({ Type: text(address.type), Address: text(address.address) })
    if (seen.has(shown))
      errors.push({ ...fieldError.duplicate(`status.addresses[${i}]`, ''), summary: `Duplicate value: ${shown}` })
    seen.add(shown)
  }
}

/** configSource is kept only if the old object has it. */
function prepareForUpdate(object: KubeObject, old: KubeObject): void {
  if (struct(old.spec)?.configSource === undefined) delete specOf(object).configSource
}

function warnings(object: KubeObject): string[] {
  const spec = struct(object.spec)
  const found: string[] = []
  if (spec?.configSource !== undefined) found.push('spec.configSource: the feature is no longer available')
  if (text(spec?.externalID) !== '')
    found.push('spec.externalID: this field is deprecated, and is unused by Kubernetes')
  return found
}

export const node: KindStrategy = {
  default: setDefaults,
  prepareForCreate,
  prepareForUpdate,
  prepareForStatusUpdate: (object, _old, context) => defaultAllocatable(object, context),
  warnings,
  validate,
  validateUpdate: (object, old, context) => {
    const errors: FieldError[] = [...validate(object, context), metadataMark('change')]
    checkChange(errors, object, old, context)
    return errors
  },
  validateStatusUpdate: (object, old, context) => {
    const errors: FieldError[] = []
    checkChange(errors, object, old, context)
    return errors
  },
  selectableField: (object, field) =>
    field === 'spec.unschedulable' ? String(struct(object.spec)?.unschedulable === true) : '',
}
