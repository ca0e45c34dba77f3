/** StorageClass and VolumeAttributesClass: nearly all fields are immutable. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkImmutable, checkSupported, reject, repeat } from '../shared/errors.ts'
import { checkLabelKey } from '../shared/label-selector.ts'
import { deprecatedLabel } from '../shared/node-labels.ts'
import { entries, fill, items, size, strings, text } from '../shared/values.ts'
import type { WriteContext } from '../../contract/resource.ts'

const maxParameters = 512
const maxParametersBytes = 256 * 1024

function checkProvisioner(errors: FieldError[], field: string, name: string): void {
  if (name === '') errors.push(fieldError.required(field))
  else reject(errors, field, name.toLowerCase(), checkQualifiedName(name.toLowerCase()))
}

function checkParameters(errors: FieldError[], parameters: unknown, allowsNone: boolean): void {
  const given = entries(parameters)
  if (given.length > maxParameters) {
    errors.push(fieldError.tooLong('parameters', maxParameters))
    return
  }
  let size = 0
  for (const [key, value] of given) {
    if (key === '') errors.push(fieldError.invalid('parameters', key, 'field can not be empty.'))
    size += key.length + text(value).length
  }
  if (size > maxParametersBytes) errors.push(fieldError.tooLong('parameters', maxParametersBytes))
  if (!allowsNone && given.length === 0) {
    errors.push(fieldError.required('parameters', 'must contain at least one key/value pair'))
  }
}

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkProvisioner(errors, 'provisioner', text(object.provisioner))
  checkParameters(errors, object.parameters, true)
  const policy = text(object.reclaimPolicy)
  if (policy !== '') checkSupported(errors, 'reclaimPolicy', policy, ['Delete', 'Retain'])
  checkSupported(errors, 'volumeBindingMode', text(object.volumeBindingMode), ['Immediate', 'WaitForFirstConsumer'])
  checkTopologies(errors, items(object.allowedTopologies))
  return errors
}

/**
 * Rejects duplicate topologies. An empty topology is reported once for each topology in the list, as upstream does: its
 * list of seen terms starts with that many empty entries.
 */
function checkTopologies(errors: FieldError[], topologies: readonly JsonObject[]): void {
  const seen = new Map([['', topologies.length]])
  for (const [i, topology] of topologies.entries()) {
    const field = `allowedTopologies[${i}].matchLabelExpressions`
    const terms = new Map<string, string>()
    for (const [j, expression] of items(topology.matchLabelExpressions).entries()) {
      const at = `${field}[${j}]`
      const key = text(expression.key)
      const values = new Set<string>()
      if (size(expression.values) === 0) errors.push(fieldError.required(`${at}.values`))
      for (const [k, value] of strings(expression.values).entries()) {
        if (values.has(value)) errors.push(fieldError.duplicate(`${at}.values[${k}]`, value))
        values.add(value)
      }
      checkLabelKey(errors, `${at}.key`, key)
      if (terms.has(key)) errors.push(fieldError.duplicate(`${at}.key`, key))
      terms.set(key, [...values].sort().join())
    }
    const whole = [...terms]
      .map((term) => term.join())
      .sort()
      .join(';')
    const before = seen.get(whole) ?? 0
    repeat(errors, fieldError.duplicate(field, ''), before)
    seen.set(whole, before + 1)
  }
}

function checkFixed(
  errors: FieldError[],
  object: KubeObject,
  old: KubeObject,
  fields: readonly string[],
  { decoded }: WriteContext,
): void {
  for (const field of fields) {
    // An explicit empty value counts as a change.
    if (equalJson(object[field], old[field]) && decoded?.empty?.get(object, field) === undefined) continue
    errors.push(fieldError.forbidden(field, `updates to ${field} are forbidden.`))
  }
}

export const storageClass: KindStrategy = {
  default: (object) => {
    fill(object, 'reclaimPolicy', 'Delete')
    fill(object, 'volumeBindingMode', 'Immediate')
  },
  validate,
  validateUpdate: (object, old, context) => {
    const errors: FieldError[] = [...validate(object), metadataMark('change')]
    checkFixed(errors, object, old, ['parameters', 'provisioner', 'reclaimPolicy'], context)
    checkImmutable(errors, 'volumeBindingMode', object.volumeBindingMode, old.volumeBindingMode)
    return errors
  },
  warnings: (object) =>
    items(object.allowedTopologies).flatMap((topology, i) => {
      return items(topology.matchLabelExpressions).flatMap(({ key }, j) => {
        const message = deprecatedLabel(text(key))
        return message === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${message}`]
      })
    }),
}

function validateAttributes(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkProvisioner(errors, 'driverName', text(object.driverName))
  checkParameters(errors, object.parameters, false)
  return errors
}

export const volumeAttributesClass: KindStrategy = {
  validate: validateAttributes,
  validateUpdate: (object, old, context) => {
    const errors: FieldError[] = []
    checkFixed(errors, object, old, ['driverName', 'parameters'], context)
    errors.push(metadataMark('full'), ...validateAttributes(object))
    return errors
  },
}
