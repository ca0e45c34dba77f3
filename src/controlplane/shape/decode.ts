/**
 * Decoding of built-in types: from any JSON to the canonical object that upstream would hold and write.
 *
 * Unknown fields go, nulls and zero values go where Go leaves them out, fields that Go always writes are filled with
 * their zero value, times and quantities take their canonical text, and fields stand in upstream's order.
 * The result shares nothing with the input.
 */
import { cloneJson, isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import { zeroValue } from './builtin-shapes.ts'
import { copyCanonical } from './canonical-metadata.ts'
import { decodeScalar, wrongType } from './decode-scalar.ts'
import type { FieldShape, ListShape, MapShape, Shape, StructShape } from './shape.ts'

export { UnmarshalError } from './decode-scalar.ts'

/** The canonical form of `value`; throws {@link UnmarshalError} in upstream's words when a type does not fit. */
export function decodeTyped(value: JsonObject, shape: StructShape): { object: JsonObject; sawUnknown: boolean } {
  const known = shape.goType === 'ObjectMeta' ? copyCanonical(value) : undefined
  if (known !== undefined) return { object: known, sawUnknown: false }
  const run: Run = { sawUnknown: false, path: [], struct: shape.goType ?? '' }
  const object = decodeStruct(value, shape, run, {}, 0)
  return { object, sawUnknown: run.sawUnknown }
}

/** As {@link decodeTyped}, of an object whose type is known: what it says of its own type is not looked at. */
export function decodeObject(
  value: JsonObject, shape: StructShape, kind: string, apiVersion: string,
): { object: JsonObject; sawUnknown: boolean } {
  const run: Run = { sawUnknown: false, path: [], struct: shape.goType ?? '' }
  const object = decodeStruct(value, shape, run, { kind, apiVersion }, 2)
  return { object, sawUnknown: run.sawUnknown }
}

/** Where the decoder is, for error messages. */
interface Run {
  sawUnknown: boolean
  path: string[]
  struct: string
}

interface CompiledField extends FieldShape {
  readonly zero: Json
}

const compiled = new WeakMap<StructShape, readonly CompiledField[]>()

function fieldsOf(shape: StructShape): readonly CompiledField[] {
  let fields = compiled.get(shape)
  if (fields === undefined) {
    fields = [...shape.fields.values()].map((field) => ({
      ...field, zero: field.emit === 'always' ? zeroValue(field) : null,
    }))
    compiled.set(shape, fields)
  }
  return fields
}

/** Fills `result` with the fields from `first` on; those before are there already. */
function decodeStruct(value: JsonObject, shape: StructShape, run: Run, result: JsonObject, first: number): JsonObject {
  const outer = run.struct
  run.struct = shape.goType ?? ''
  const fields = fieldsOf(shape)
  let matched = 0
  for (let i = 0; i < first; i++) if (Object.hasOwn(value, (fields[i] as CompiledField).name)) matched++
  for (let i = first; i < fields.length; i++) {
    const field = fields[i] as CompiledField
    const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined
    if (given !== undefined) matched++
    if (given === undefined || given === null) {
      if (field.emit === 'always') result[field.name] = cloneJson(field.zero)
      continue
    }
    run.path.push(field.name)
    const decoded = decodeShape(given, field.shape, run)
    run.path.pop()
    if (field.emit === 'nonzero' && isZero(decoded)) continue
    result[field.name] = decoded
  }
  if (matched !== Object.keys(value).length) run.sawUnknown = true
  run.struct = outer
  return result
}

function isZero(value: Json): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true
  if (typeof value !== 'object') return false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}

function decodeShape(value: Json, shape: Shape, run: Run): Json {
  switch (shape.type) {
    case 'scalar':
      return decodeScalar(value, shape, run)
    case 'struct':
      if (!isObject(value)) throw wrongType(value, `${packageOf(shape)}${shape.goType ?? ''}`, run)
      return (shape.goType === 'ObjectMeta' ? copyCanonical(value) : undefined) ?? decodeStruct(value, shape, run, {}, 0)
    case 'list':
      return decodeList(value, shape, run)
    case 'map':
      return decodeMap(value, shape, run)
    case 'any':
      return cloneJson(value)
  }
}

function decodeList(value: Json, shape: ListShape, run: Run): Json {
  if (!Array.isArray(value)) throw wrongType(value, shape.goType ?? '[]interface {}', run)
  return value.map((item) => (item === null ? zeroOf(shape.items) : decodeShape(item, shape.items, run)))
}

function decodeMap(value: Json, shape: MapShape, run: Run): Json {
  if (!isObject(value)) throw wrongType(value, shape.goType ?? 'map[string]interface {}', run)
  if (shape.values.type === 'any') return cloneJson(value)
  const result: JsonObject = {}
  const { values } = shape
  for (const key of Object.keys(value).sort()) {
    const item = value[key] as Json
    if (item === null) setOwn(result, key, zeroOf(values))
    else setOwn(result, key, values.type === 'scalar' ? decodeScalar(item, values, run, true) : decodeShape(item, values, run))
  }
  return result
}

function zeroOf(shape: Shape): Json {
  return zeroValue({ name: '', shape, required: false, emit: 'always', patchStrategy: [] })
}

/** Go names a type with the last part of its package: `v1.ObjectMeta`. */
function packageOf(shape: StructShape): string {
  const parts = shape.name.split('.')
  const last = parts[parts.length - 2]
  return last === undefined ? '' : `${last}.`
}

/** The paths of fields that the shape does not know, in the order of the document. */
export function unknownFields(value: Json, shape: Shape): string[] {
  const found: string[] = []
  collectUnknown(value, shape, '', found)
  return found
}

function collectUnknown(value: Json, shape: Shape, path: string, found: string[]): void {
  if (shape.type === 'struct' && isObject(value)) {
    for (const key of Object.keys(value)) {
      const below = path === '' ? key : `${path}.${key}`
      const field = shape.fields.get(key)
      if (field !== undefined) collectUnknown(value[key] as Json, field.shape, below, found)
      else if (!shape.preserveUnknown) found.push(below)
    }
  } else if (shape.type === 'map' && isObject(value)) {
    for (const key of Object.keys(value)) collectUnknown(value[key] as Json, shape.values, `${path}.${key}`, found)
  } else if (shape.type === 'list' && Array.isArray(value)) {
    value.forEach((item, i) => collectUnknown(item, shape.items, `${path}[${i}]`, found))
  }
}
