/**
 * Decodes built-in types: from any JSON to the canonical object that upstream would hold and write.
 *
 * Unknown fields are dropped, and so are nulls and zero values if Go omits them. Fields that Go always writes get their
 * zero value. Times and quantities get their canonical text, and fields are in upstream's order. The result shares
 * only frozen values with the input.
 */
import { ascendingKeys, cloneJson, isObject, setOwn, sortedKeys, type Json, type JsonObject } from '../api/json.ts'
import { zeroValue } from './builtin-shapes.ts'
import { copyMetadata } from './ordered-metadata.ts'
import { decodeScalar, UnmarshalError, wrongType } from './decode-scalar.ts'
import { EmptyFields } from './empty-fields.ts'
import { firstError, packageOf } from './first-error.ts'
import { recurringTypes, type FoundPart, type RecentParts } from './recent-parts.ts'
import {
  perShape,
  type FieldShape,
  type ListShape,
  type MapShape,
  type ScalarShape,
  type Shape,
  type StructShape,
} from './shape.ts'

export { UnmarshalError } from './decode-scalar.ts'

/** The canonical form of `value`; throws {@link UnmarshalError} in upstream's words if a value has the wrong type. */
export function decodeTyped(
  value: JsonObject,
  shape: StructShape,
): Pick<DecodedObject, 'object' | 'sawUnknown' | 'empty'> {
  return decodeFrom(value, shape, {}, 0, {})
}

/**
 * Same as {@link decodeTyped}, for an object of a known type: kind and apiVersion in the value are ignored.
 * `converted`: the value was not parsed from text, but is the result of an apply or a strategic merge patch.
 */
export function decodeObject(
  value: JsonObject,
  shape: StructShape,
  kind: string,
  apiVersion: string,
  options: DecodeOptions = {},
): DecodedObject {
  return decodeFrom(value, shape, { kind, apiVersion }, 2, options)
}

export interface DecodeOptions {
  readonly converted?: boolean
  /** Keep the contents of atomic lists as sent: quantities with their text, and empty values. */
  readonly asGiven?: boolean
  /** Memo of recurring parts. Default: none. */
  readonly parts?: RecentParts | undefined
  /**
   * Metadata of the stored object that the value was made from. If the value has the identical metadata, it is
   * canonical.
   */
  readonly liveMetadata?: object | undefined
  /** The spec of that object, to be shared with the result if the value has it. Default: it is copied. */
  readonly liveSpec?: Json | undefined
}

export interface DecodedObject {
  readonly object: JsonObject
  readonly sawUnknown: boolean
  /** Undefined: no empty list or map was sent. */
  readonly empty: EmptyFields | undefined
  /** An atomic list has contents that are stored in another form. */
  readonly oddForm: boolean
  /** The last recurring part, if it is known, or may be remembered because it was canonical. */
  readonly part: FoundPart | undefined
}

function decodeFrom(
  value: JsonObject,
  shape: StructShape,
  result: JsonObject,
  first: number,
  { converted = false, asGiven = false, parts, liveMetadata, liveSpec }: DecodeOptions,
): DecodedObject {
  const run: Run = {
    sawUnknown: false,
    path: [],
    struct: shape.goType ?? '',
    converted,
    atomic: 0,
    oddForm: false,
    asGiven,
    empty: undefined,
    emptied: 0,
    parts,
    part: undefined,
    liveMetadata,
    liveSpec,
  }
  try {
    const object = decodeStruct(value, shape, run, result, first)
    return { object, sawUnknown: run.sawUnknown, empty: run.empty, oddForm: run.oddForm, part: run.part }
  } catch (error) {
    if (converted || !(error instanceof UnmarshalError)) throw error
    throw firstError(value, shape, first === 0) ?? error
  }
}

/** The state of the decoder. */
interface Run {
  sawUnknown: boolean
  path: string[]
  struct: string
  readonly converted: boolean
  /** The number of atomic lists around the current value. */
  atomic: number
  oddForm: boolean
  readonly asGiven: boolean
  empty: EmptyFields | undefined
  /** How many empty lists and maps were found. */
  emptied: number
  readonly parts: RecentParts | undefined
  part: FoundPart | undefined
  readonly liveMetadata: object | undefined
  readonly liveSpec: Json | undefined
}

interface CompiledField extends FieldShape {
  /** The position in upstream's order. */
  readonly rank: number
  readonly zero: Json
  readonly recurs: boolean
}

interface CompiledStruct {
  readonly fields: ReadonlyMap<string, CompiledField>
  /** Fields that are written even if they are not set, in order. */
  readonly always: readonly CompiledField[]
}

const compiledOf = perShape((shape: StructShape): CompiledStruct => {
  const fields = [...shape.fields.values()].map((field, rank) => ({
    ...field,
    rank,
    zero: field.emit === 'always' ? zeroValue(field) : null,
    recurs: field.shape.type === 'struct' && recurringTypes.has(field.shape.name),
  }))
  return {
    fields: new Map(fields.map((field) => [field.name, field])),
    always: fields.filter((field) => field.emit === 'always'),
  }
})

/**
 * Adds the fields from rank `first` on to `result`; those before are there already. Iterates over the fields of the
 * value, which are mostly few of those that the type has.
 */
function decodeStruct(value: JsonObject, shape: StructShape, run: Run, result: JsonObject, first: number): JsonObject {
  const outer = run.struct
  run.struct = shape.goType ?? ''
  const { fields, always } = compiledOf(shape)
  let next = 0
  for (const field of givenFields(value, fields, run)) {
    const { name, rank } = field
    if (rank < first) continue
    for (; next < always.length && (always[next] as CompiledField).rank <= rank; next++) {
      const missing = always[next] as CompiledField
      if (missing.rank < rank && missing.rank >= first) result[missing.name] = cloneJson(missing.zero)
    }
    run.path.push(name)
    const decoded = field.recurs
      ? decodePart(value[name] as Json, field, run, result)
      : decodeShape(value[name] as Json, field.shape, run)
    run.path.pop()
    if (field.emit === 'always' && Array.isArray(decoded) && decoded.length === 0) {
      run.emptied++
      ;(run.empty ??= new EmptyFields()).addWritten(result, name, decoded)
    }
    if (field.emit !== 'nonzero' || !isZero(decoded)) result[name] = decoded
    else if (typeof decoded === 'object' && decoded !== null) {
      if (run.atomic > 0) run.oddForm = true
      run.emptied++
      if (run.asGiven && run.atomic > 0) result[name] = decoded
      else (run.empty ??= new EmptyFields()).add(result, name, decoded)
    }
  }
  for (; next < always.length; next++) {
    const missing = always[next] as CompiledField
    if (missing.rank >= first) result[missing.name] = cloneJson(missing.zero)
  }
  run.struct = outer
  return result
}

/**
 * Reuses the decoded form of a recurring part. Parts with unknown fields, empty values or odd forms are not remembered,
 * because these must be reported for each request.
 */
function decodePart(given: Json, { name, shape }: FieldShape, run: Run, holder: JsonObject): Json {
  const { parts } = run
  if (parts === undefined || !isObject(given) || given === run.liveSpec) return decodeShape(given, shape, run)
  const known = parts.find(given)
  if (known !== undefined) {
    run.part = { holder, name, given, isKnown: true }
    return known
  }
  const { sawUnknown, oddForm, emptied } = run
  run.sawUnknown = false
  run.oddForm = false
  const part = decodeShape(given, shape, run)
  if (!run.sawUnknown && !run.oddForm && run.emptied === emptied) run.part = { holder, name, given, isKnown: false }
  run.sawUnknown ||= sawUnknown
  run.oddForm ||= oddForm
  return part
}

/** The fields that have a value, in upstream's order. */
function givenFields(value: JsonObject, fields: CompiledStruct['fields'], run: Run): CompiledField[] {
  const given: CompiledField[] = []
  for (const key in value) {
    const field = fields.get(key)
    if (field === undefined) {
      run.sawUnknown = true
      continue
    }
    if (value[key] === null || value[key] === undefined) continue
    let at = given.length
    while (at > 0 && (given[at - 1] as CompiledField).rank > field.rank) {
      given[at] = given[at - 1] as CompiledField
      at--
    }
    given[at] = field
  }
  return given
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
      return shape.scalar === 'quantity' ? decodeQuantity(value, shape, run, false) : decodeScalar(value, shape, run)
    case 'struct':
      if (!isObject(value)) throw wrongType(value, `${packageOf(shape)}${shape.goType ?? ''}`, 'struct', run)
      if (value === run.liveSpec) return value
      return value === run.liveMetadata ? copyMetadata(value) : decodeStruct(value, shape, run, {}, 0)
    case 'list':
      return decodeList(value, shape, run)
    case 'map':
      return decodeMap(value, shape, run)
    case 'any':
      return cloneJson(value)
  }
}

function decodeList(value: Json, shape: ListShape, run: Run): Json {
  if (!Array.isArray(value)) throw wrongType(value, shape.goType ?? '[]interface {}', 'slice', run)
  if (shape.ownership !== 'atomic')
    return value.map((item) => (item === null ? zeroOf(shape.items) : decodeShape(item, shape.items, run)))
  run.atomic++
  const list = value.map((item) => (item === null ? zeroOf(shape.items) : decodeShape(item, shape.items, run)))
  run.atomic--
  return list
}

function decodeQuantity(value: Json, shape: ScalarShape, run: Run, inMap: boolean): Json {
  const quantity = decodeScalar(value, shape, run, inMap)
  if (run.atomic === 0 || quantity === value || quantity === String(value)) return quantity
  run.oddForm = true
  return run.asGiven ? value : quantity
}

function decodeMap(value: Json, shape: MapShape, run: Run): Json {
  // Upstream converts the result of an apply or a strategic merge patch from maps, which sorts the keys.
  if (shape.goType === 'runtime.RawExtension') return run.converted ? sortedKeys(value) : cloneJson(value)
  if (!isObject(value)) throw wrongType(value, shape.goType ?? 'map[string]interface {}', 'map', run)
  if (shape.values.type === 'any') return cloneJson(value)
  const result: JsonObject = {}
  const { values } = shape
  for (const key of ascendingKeys(value)) {
    const item = value[key] as Json
    if (item === null) setOwn(result, key, values.type === 'scalar' && values.scalar === 'bytes' ? '' : zeroOf(values))
    else if (values.type !== 'scalar') setOwn(result, key, decodeShape(item, values, run))
    else
      setOwn(
        result,
        key,
        values.scalar === 'quantity' ? decodeQuantity(item, values, run, true) : decodeScalar(item, values, run, true),
      )
  }
  return result
}

function zeroOf(shape: Shape): Json {
  return zeroValue({ name: '', shape, required: false, emit: 'always', patchStrategy: [] })
}

/** The paths of unknown fields, in the order of the document. */
export function unknownFields(value: Json, shape: Shape, converted = false): string[] {
  const found: string[] = []
  collectUnknown(value, shape, '', found, converted)
  // For the result of an apply or a strategic merge patch, upstream sorts the messages and leaves out map keys.
  return converted ? found.sort((a, b) => (`${a}"` < `${b}"` ? -1 : 1)) : found
}

function collectUnknown(value: Json, shape: Shape, path: string, found: string[], converted: boolean): void {
  if (shape.type === 'struct' && isObject(value)) {
    for (const key of Object.keys(value)) {
      const below = path === '' ? key : `${path}.${key}`
      const field = shape.fields.get(key)
      if (field !== undefined) collectUnknown(value[key] as Json, field.shape, below, found, converted)
      else if (!shape.preserveUnknown) found.push(below)
    }
  } else if (shape.type === 'map' && isObject(value)) {
    for (const key of Object.keys(value)) {
      collectUnknown(value[key] as Json, shape.values, converted ? path : `${path}.${key}`, found, converted)
    }
  } else if (shape.type === 'list' && Array.isArray(value)) {
    value.forEach((item, i) => collectUnknown(item, shape.items, `${path}[${i}]`, found, converted))
  }
}
