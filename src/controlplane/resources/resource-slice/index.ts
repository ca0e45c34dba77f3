/** ResourceSlice: the devices that a driver offers, and on which nodes. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import { checkLabel, checkSubdomain } from '../../../api/names.ts'
import { goQuote } from '../../../api/go-format.ts'
import type { KubeObject } from '../../../api/object.ts'
import { checkAttributeName, checkList, checkPoolName, checkSet } from '../device-claim/lists.ts'
import { checkTaint } from '../device-claim/spec.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkImmutable, invalidStruct, reject } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { checkNodeSelector } from '../shared/pod-spec/affinity.ts'
import { checkDriverName } from '../shared/pod-spec/volumes.ts'
import { entries, int, items, size, specOf, struct, text } from '../shared/values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'
import type { WriteContext } from '../../contract/resource.ts'

const maxDevices = 128
const maxTaintedDevices = 64
const maxTaints = 16
const maxText = 64
const maxAttributes = 32

/** A semantic version: numbers without leading zeros, then a pre-release and build metadata, both optional. */
const number = String.raw`(0|[1-9]\d*)`
const preRelease = String.raw`(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`
const build = String.raw`[0-9a-zA-Z-]+`
const version = new RegExp(
  String.raw`^${number}\.${number}\.${number}(-${preRelease}(\.${preRelease})*)?(\+${build}(\.${build})*)?$`,
)

function check(object: KubeObject, old: KubeObject | undefined, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkDriverName(errors, 'spec.driver', text(spec.driver))
  const pool = struct(spec.pool) ?? {}
  checkPoolName(errors, 'spec.pool.name', text(pool.name), checkSubdomain)
  if (int(pool.resourceSliceCount) <= 0) {
    errors.push(
      fieldError.invalid('spec.pool.resourceSliceCount', int(pool.resourceSliceCount), 'must be greater than zero'),
    )
  }
  if (int(pool.generation) < 0) {
    errors.push(
      fieldError.invalid('spec.pool.generation', int(pool.generation), 'must be greater than or equal to zero'),
    )
  }
  if (old !== undefined) {
    const before = struct(old.spec) ?? {}
    checkImmutable(errors, 'spec.pool.name', text(pool.name), text(struct(before.pool)?.name))
    checkImmutable(errors, 'spec.driver', text(spec.driver), text(before.driver))
    checkImmutable(errors, 'spec.nodeName', spec.nodeName, before.nodeName)
  }
  checkPlace(errors, spec, decoded?.empty)
  const devices = items(spec.devices)
  if (spec.sharedCounters !== undefined && spec.devices !== undefined) {
    errors.push(fieldError.invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed'))
  }
  const isLimited = devices.some((device) => size(device.taints) > 0 || size(device.consumesCounters) > 0)
  const known = new Map(items(struct(old?.spec)?.devices).map((device) => [text(device.name), device]))
  checkSet(
    errors,
    'spec.devices',
    devices,
    isLimited ? maxTaintedDevices : maxDevices,
    (device, at) => checkDevice(errors, at, device, known.get(text(device.name)), spec.perDeviceNodeSelection === true),
    ({ name }) => text(name),
  )
  return errors
}

const places = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'

function checkPlace(errors: FieldError[], spec: JsonObject, empty: EmptyFields | undefined): void {
  const given: string[] = []
  if (spec.nodeName !== undefined) {
    const name = text(spec.nodeName)
    if (name !== '') {
      given.push('`nodeName`')
      reject(errors, 'spec.nodeName', name, checkSubdomain(name))
    } else {
      errors.push(fieldError.invalid('spec.nodeName', name, 'must be either unset or set to a non-empty string'))
    }
  }
  const selector = struct(spec.nodeSelector)
  if (selector !== undefined) {
    given.push('`nodeSelector`')
    checkNodeSelector(errors, 'spec.nodeSelector', selector)
    const terms = items(selector.nodeSelectorTerms)
    if (terms.length !== 1) {
      const shown = terms.map((term) => internalJson('NodeSelectorTerm', term, empty))
      const reported = terms.length === 0 ? (selector.nodeSelectorTerms ?? null) : shown
      errors.push(
        invalidStruct('spec.nodeSelector.nodeSelectorTerms', reported, 'must have exactly one node selector term'),
      )
    }
  }
  for (const field of ['allNodes', 'perDeviceNodeSelection'] as const) {
    if (spec[field] === true) given.push(`\`${field}\``)
    else if (spec[field] === false)
      errors.push(fieldError.invalid(`spec.${field}`, false, 'must be either unset or set to true'))
  }
  if (given.length === 0) errors.push(fieldError.required('spec', places))
  if (given.length > 1)
    errors.push(fieldError.invalid('spec', `{${given.join(', ')}}`, `${places}, but multiple fields are set`))
}

function checkDevice(
  errors: FieldError[],
  field: string,
  device: JsonObject,
  old: JsonObject | undefined,
  hasPlaces: boolean,
): void {
  reject(errors, `${field}.name`, text(device.name), checkLabel(text(device.name)))
  const attributes = entries(device.attributes)
  const capacity = entries(device.capacity)
  const count = attributes.length + capacity.length
  if (count > maxAttributes) {
    errors.push(
      fieldError.invalid(
        field,
        count,
        `the total number of attributes and capacities must not exceed ${maxAttributes}`,
      ),
    )
  }
  for (const [name, attribute] of attributes)
    checkAttribute(errors, `${field}.attributes[${name}]`, name, struct(attribute) ?? {})
  for (const [name, amount] of capacity) {
    checkAttributeName(errors, `${field}.capacity[${name}]`, name)
    if (struct(amount)?.requestPolicy !== undefined && device.allowMultipleAllocations !== true) {
      errors.push(
        fieldError.forbidden(`${field}.capacity[${name}].requestPolicy`, 'allowMultipleAllocations must be true'),
      )
    }
  }
  if (old === undefined || !equalJson(old.taints, device.taints)) {
    checkList(errors, `${field}.taints`, items(device.taints), maxTaints, (taint, at) => checkTaint(errors, at, taint))
  }
  if (
    hasPlaces ||
    (device.nodeName === undefined && device.nodeSelector === undefined && device.allNodes === undefined)
  )
    return
  const message =
    '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in ' +
    'the ResourceSlice spec'
  errors.push(fieldError.invalid(field, null, message))
}

function checkAttribute(errors: FieldError[], field: string, name: string, attribute: JsonObject): void {
  checkAttributeName(errors, field, name)
  const given = ['bool', 'int', 'string', 'version'].filter((kind) => attribute[kind] !== undefined)
  if (attribute.string !== undefined && Buffer.byteLength(text(attribute.string)) > maxText) {
    errors.push(fieldError.tooLong(`${field}.string`, maxText))
  }
  if (attribute.version !== undefined) {
    const value = text(attribute.version)
    if (!version.test(value))
      errors.push(
        fieldError.invalid(`${field}.version`, value, 'must be a string compatible with semver.org spec 2.0.0'),
      )
    if (Buffer.byteLength(value) > maxText) errors.push(fieldError.tooLong(`${field}.version`, maxText))
  }
  const message = 'exactly one value must be specified'
  if (given.length === 0) errors.push(fieldError.invalid(field, '', message))
  if (given.length > 1) errors.push(invalidStruct(field, internalJson('DeviceAttribute', attribute), message))
}

const laterDeviceFields = [
  'taints',
  'consumesCounters',
  'nodeName',
  'nodeSelector',
  'allNodes',
  'bindsToNode',
  'bindingConditions',
  'bindingFailureConditions',
  'allowMultipleAllocations',
]

/** Drops fields whose feature gates are off, as upstream does. */
function dropLaterFields(object: KubeObject): void {
  const spec = specOf(object)
  delete spec.perDeviceNodeSelection
  delete spec.sharedCounters
  for (const device of items(spec.devices)) {
    for (const field of laterDeviceFields) delete device[field]
    for (const [, amount] of entries(device.capacity)) delete struct(amount)?.requestPolicy
  }
}

export const resourceSlice: KindStrategy = {
  prepareForCreate: dropLaterFields,
  prepareForUpdate: (object, old) => {
    // Setting a dropped field counts as a change.
    if (!equalJson(object.spec, old.spec)) object.metadata.generation = (old.metadata.generation ?? 0) + 1
    dropLaterFields(object)
  },
  validate: (object, context) => check(object, undefined, context),
  validateUpdate: (object, old, context) => check(object, old, context),
  warnings: (object) => {
    const driver = text(specOf(object).driver)
    if (driver === driver.toLowerCase()) return []
    return [`spec.driver: driver names should be lowercase; ${goQuote(driver)} contains uppercase characters`]
  },
}
