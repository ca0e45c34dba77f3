/** The internal Go form of a v1 value, which some of upstream's messages show. */
import type { Json, JsonObject } from '../../../api/json.ts'
import { internalTypes } from './internal-types.ts'
import { struct } from './values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'

interface Field {
  readonly goName: string
  readonly name: string
  readonly zero: Json
  /** The type of the value, of the items of a list, or of the target of a pointer. */
  readonly type: string | undefined
  readonly byValue: boolean
}

const zeros: Readonly<Record<string, Json>> = { $: '', '#': 0, '?': false, '%': '0', '*': null, '.': null }
const compiled = new Map<string, readonly Field[]>()

function fieldsOf(type: string): readonly Field[] {
  let fields = compiled.get(type)
  if (fields === undefined) {
    const text = Object.hasOwn(internalTypes, type) ? (internalTypes[type] as string) : ''
    fields = text === '' ? [] : text.split(' ').map(parseField)
    compiled.set(type, fields)
  }
  return fields
}

function parseField(token: string): Field {
  if (token === '~') return { goName: '~', name: 'metadata', zero: null, type: undefined, byValue: false }
  const match = /^(\w+)(?::(\w+))?([$#?%*.])(\w*)$/.exec(token) as RegExpExecArray
  const goName = match[1] as string
  const kind = match[3] as string
  const type = match[4] as string
  return {
    goName,
    name: match[2] ?? jsonName(goName),
    zero: zeros[kind] as Json,
    type: type === '' ? undefined : type,
    byValue: kind === '.',
  }
}

/** `HTTPGet` is httpGet, `OS` is os, `FSType` is fsType. */
export function jsonName(goName: string): string {
  const run = (/^[A-Z]+/.exec(goName) as RegExpExecArray)[0]
  const length = run.length === goName.length || run.length === 1 ? run.length : run.length - 1
  return goName.slice(0, length).toLowerCase() + goName.slice(length)
}

/**
 * The internal form of a v1 value whose type is in `internal-types.ts`. Keys are in Go's order. `empty`: explicit empty
 * values of the request, which are shown.
 */
export function internalJson(type: string, value: JsonObject, empty?: EmptyFields): JsonObject {
  const source = type === 'PodSpec' ? withHostFields(value, empty) : value
  const result: JsonObject = {}
  for (const field of fieldsOf(type)) {
    if (field.goName === '~') Object.assign(result, struct(source.metadata))
    else result[field.goName] = internalValue(field, source[field.name] ?? empty?.get(value, field.name), empty)
  }
  return result
}

function internalValue(field: Field, value: Json | undefined, empty: EmptyFields | undefined): Json {
  if (value === undefined || value === null) {
    return field.byValue && field.type !== undefined ? internalJson(field.type, {}) : field.zero
  }
  const type = field.type
  if (type === undefined) return sortedMap(value)
  if (Array.isArray(value)) return value.map((item) => internalJson(type, struct(item) ?? {}, empty))
  return internalJson(type, struct(value) ?? {}, empty)
}

/** Go prints maps sorted by key. */
function sortedMap(value: Json): Json {
  const map = struct(value)
  // A label selector is not a map: its fields have an order.
  if (map === undefined || Object.hasOwn(map, 'matchLabels')) return value
  return Object.fromEntries(
    Object.keys(map)
      .toSorted()
      .map((key) => [key, map[key] as Json]),
  )
}

/** Fields that v1 has in the pod spec and the internal type in its security context. */
const hostFields = ['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers', 'shareProcessNamespace']

function withHostFields(spec: JsonObject, empty: EmptyFields | undefined): JsonObject {
  const own = struct(spec.securityContext)
  const context: JsonObject = { ...own }
  empty?.copy(context, own)
  let given = spec.securityContext !== undefined
  for (const name of hostFields) {
    const value = spec[name]
    if (value === undefined) continue
    context[name] = value
    given = true
  }
  return given ? { ...spec, securityContext: context } : spec
}
