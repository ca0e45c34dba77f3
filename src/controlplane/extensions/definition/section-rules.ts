/** Validation of the sections of a CRD: names, printer columns, subresources and selectable fields. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { getOwn, isObject, type JsonObject } from '../../../api/json.ts'
import { checkLabel1035 } from '../../../api/names.ts'
import { goQuote } from '../../../api/go-format.ts'
import { goJson } from '../../../api/go-json.ts'
import { maybeText, stringsOf, textOf } from '../../../structural/reading.ts'
import type { Schema } from '../../../structural/schema.ts'
import { findField } from '../../../structural/field-path.ts'

/** Names must be DNS labels if they are set. The caller checks which are required. */
export function namesErrors(path: string, names: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['plural', 'singular'] as const) checkName(`${path}.${name}`, textOf(names, name), errors)
  for (const name of ['kind', 'listKind'] as const) {
    const given = textOf(names, name)
    const problems = given === '' ? [] : checkLabel1035(given.toLowerCase())
    if (problems.length > 0) {
      const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`
      errors.push(invalid(`${path}.${name}`, given, detail))
    }
  }
  stringsOf(names, 'shortNames').forEach((name, i) => checkLabelOf(`${path}.shortNames[${i}]`, name, errors))
  const kind = textOf(names, 'kind')
  if (kind !== '' && kind === textOf(names, 'listKind')) {
    errors.push(invalid(`${path}.listKind`, kind, 'kind and listKind may not be the same'))
  }
  stringsOf(names, 'categories').forEach((name, i) => checkLabelOf(`${path}.categories[${i}]`, name, errors))
  return errors
}

function checkName(field: string, name: string, errors: FieldError[]): void {
  if (name !== '') checkLabelOf(field, name, errors)
}

/** Adds an error if the name is not a DNS label. */
export function checkLabelOf(field: string, name: string, errors: FieldError[]): void {
  const problems = checkLabel1035(name)
  if (problems.length > 0) errors.push(invalid(field, name, problems.join(',')))
}

function invalid(field: string, value: string, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${goQuote(value)}`, detail }
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

export function columnErrors(path: string, column: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  const type = textOf(column, 'type')
  const format = textOf(column, 'format')
  const jsonPath = textOf(column, 'jsonPath')
  if (textOf(column, 'name') === '') errors.push(fieldError.required(`${path}.name`))
  const oneType = `must be one of ${columnTypes.join(',')}`
  if (type === '') errors.push(fieldError.required(`${path}.type`, oneType))
  else if (!columnTypes.includes(type)) errors.push(invalid(`${path}.type`, type, oneType))
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalid(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`))
  }
  if (jsonPath === '') errors.push(fieldError.required(`${path}.JSONPath`))
  else if (!jsonPath.startsWith('.')) errors.push(invalid(`${path}.JSONPath`, jsonPath, simplePath))
  return errors
}

const simplePath = 'must be a simple json path starting with .'

export function subresourceErrors(path: string, subresources: JsonObject | undefined): FieldError[] {
  const scale = subresources === undefined ? undefined : getOwn(subresources, 'scale')
  if (!isObject(scale)) return []
  const errors: FieldError[] = []
  for (const [name, under] of [
    ['specReplicasPath', '.spec'],
    ['statusReplicasPath', '.status'],
  ] as const) {
    const field = `${path}.scale.${name}`
    const given = textOf(scale, name)
    if (given === '') errors.push(fieldError.required(field))
    else if (!given.startsWith('.')) errors.push(invalid(field, given, simplePath))
    else if (!given.startsWith(`${under}.`)) errors.push(invalid(field, given, `should be a json path under ${under}`))
  }
  const selector = maybeText(scale, 'labelSelectorPath') ?? ''
  const field = `${path}.scale.labelSelectorPath`
  if (selector !== '' && !selector.startsWith('.')) {
    errors.push(invalid(field, selector, simplePath))
  } else if (selector !== '' && !/^\.(?:spec|status)\./.test(selector)) {
    errors.push({
      type: 'Invalid',
      field,
      summary: `Invalid value: ${goJson(selector)}`,
      detail: 'should be a json path under either .spec or .status',
    })
  }
  return errors
}

const maxSelectableFields = 8

export function selectableErrors(path: string, fields: readonly JsonObject[], schema: Schema): FieldError[] {
  const errors: FieldError[] = []
  const unique = new Set<string>()
  fields.forEach((selectable, i) => {
    const field = `${path}[${i}].jsonPath`
    const jsonPath = textOf(selectable, 'jsonPath')
    if (jsonPath === '') {
      errors.push(fieldError.required(field))
      return
    }
    const found = findField(jsonPath, schema, false)
    if (typeof found === 'string') {
      errors.push(invalid(field, jsonPath, `is an invalid path: ${found}`))
      return
    }
    if (found.names[0] === 'metadata') errors.push(invalid(field, jsonPath, 'must not point to fields in metadata'))
    if (!['string', 'boolean', 'integer'].includes(found.schema.type)) {
      errors.push(
        invalid(
          field,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with ' +
            'formats are allowed.',
        ),
      )
    }
    const name = found.names.join('.')
    if (unique.has(name)) errors.push(fieldError.duplicate(field, jsonPath))
    unique.add(name)
  })
  if (unique.size > maxSelectableFields) errors.push(fieldError.tooMany(path, unique.size, maxSelectableFields))
  return errors
}
