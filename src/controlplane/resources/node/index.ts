/** Node: new ones are not ready, and nothing is scheduled on them until they are. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { cloneJson, equalJson, type JsonObject } from '../../../api/json.ts'
import { checkLabelValue } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindRules } from '../kind-rules.ts'
import { cidrMessages, parseCidr } from '../shared/cidr.ts'
import { checkOneOf, reject } from '../shared/errors.ts'
import { checkLabelKey } from '../shared/label-selector.ts'
import { taintEffects } from '../shared/pod-spec/scheduling.ts'
import { checkResourceQuantity } from '../shared/quantities.ts'
import { roundResourceList } from '../shared/resource-list.ts'
import { entries, items, size, specOf, strings, struct, text } from '../shared/values.ts'

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  const status = struct(object.status)
  if (status !== undefined && status.allocatable === undefined && status.capacity !== undefined) {
    status.allocatable = cloneJson(status.capacity)
  }
  roundResourceList(status?.capacity)
  roundResourceList(status?.allocatable)
  // podCIDR is the first of podCIDRs, whichever of the two was written.
  const single = text(spec.podCIDR)
  const first = strings(spec.podCIDRs)[0] ?? ''
  if (single !== '' && single !== first) spec.podCIDRs = [single]
  else if (single === '' && first !== '') spec.podCIDR = first
}

/** Where a kubelet finds its configuration is no longer said here. */
function prepareForCreate(object: KubeObject): void {
  delete specOf(object).configSource
}

function admitCreate(object: KubeObject): void {
  const spec = specOf(object)
  const taints = items(spec.taints)
  if (taints.some((taint) => taint.key === notReady.key && taint.effect === notReady.effect)) return
  spec.taints = [...taints, { ...notReady }]
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

function checkResources(errors: FieldError[], object: KubeObject): void {
  const status = struct(object.status)
  for (const list of ['capacity', 'allocatable'] as const) {
    for (const [name, quantity] of entries(status?.[list])) {
      checkResourceQuantity(errors, `status.${list}.${name}`, name, quantity)
    }
  }
}

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkTaints(errors, items(spec.taints))
  checkResources(errors, object)
  for (const [i, cidr] of strings(spec.podCIDRs).entries()) {
    reject(errors, `spec.podCIDRs[${i}]`, cidr, cidrMessages(cidr))
  }
  const families = new Set(strings(spec.podCIDRs).map((cidr) => parseCidr(cidr)?.address.family))
  if (size(spec.podCIDRs) > families.size) {
    const message = 'may specify no more than one CIDR for each IP family'
    errors.push(fieldError.invalid('spec.podCIDRs', [...strings(spec.podCIDRs)], message))
  }
  return errors
}

function checkChange(errors: FieldError[], object: KubeObject, old: KubeObject): void {
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  checkResources(errors, object)
  if (size(before.podCIDRs) > 0 && !equalJson(spec.podCIDRs, before.podCIDRs)) {
    const message = 'node updates may not change podCIDR except from "" to valid'
    errors.push(fieldError.forbidden('spec.podCIDRs', message))
  }
  if (text(before.providerID) !== '' && spec.providerID !== before.providerID) {
    const message = 'node updates may not change providerID except from "" to valid'
    errors.push(fieldError.forbidden('spec.providerID', message))
  }
  checkTaints(errors, items(spec.taints))
}

export const node: KindRules = {
  default: setDefaults,
  admitCreate,
  prepareForCreate,
  validate,
  validateUpdate: (object, old) => {
    const errors = validate(object)
    checkChange(errors, object, old)
    return errors
  },
  validateStatusUpdate: (object, old) => {
    const errors: FieldError[] = []
    checkChange(errors, object, old)
    return errors
  },
  selectableField: (object, field) =>
    field === 'spec.unschedulable' ? String(struct(object.spec)?.unschedulable === true) : '',
}
