/**
 * Operations on the spec of an object, from the schema of its kind: each sets, changes or removes one property of a
 * sample, or gives it a value that the schema forbids.
 *
 * An operation is a list of whole objects to apply. The first differs from the sample in the property only. The others
 * also differ in fields near it, because rules that only the server knows may ask for that: of two alternatives there
 * may be one only, and an autoscaler needs a metric.
 */
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { StructuralSchema } from '../../schema/node.ts'
import { compileSchema, type Schema } from '../../structural/schema.ts'
import { isMap, SpecValues, without, type GivenValues } from './values.ts'

/**
 * - `set`: a property that the sample does not have gets a value. Its rollback removes it again.
 * - `change`: a property of the sample gets another value.
 * - `remove`: a property of the sample is left out; if it has a default, it gets that.
 * - `out-of-range`: a value just beyond a limit of the schema.
 * - `invalid`: a value of another type, or one that the enum, the pattern or the format forbids.
 */
export type OperationClass = (typeof operationClasses)[number]

export const operationClasses = ['set', 'change', 'remove', 'out-of-range', 'invalid'] as const

export interface SpecOperation {
  /** The path and what is tried: `spec.replicas/min`. Unique. */
  readonly id: string
  /** `spec.replicas`, `spec.ports[].port`, `spec.env.*`. */
  readonly path: string
  readonly class: OperationClass
  /** By the schema. Rules and webhooks may reject what is accepted by the schema. */
  readonly expects: 'accepted' | 'rejected'
  /** Whole objects, the preferred one first. */
  objects(): Iterable<JsonObject>
}

export interface SpecOperations {
  /** The paths of all properties, in the order of the schema. */
  readonly properties: readonly string[]
  readonly operations: readonly SpecOperation[]
}

export interface OperationsInput {
  readonly schema: StructuralSchema
  /** A valid object, as a user writes it: without defaults. */
  readonly sample: JsonObject
  readonly values?: GivenValues | undefined
}

export function specOperations({ schema, sample, values }: OperationsInput): SpecOperations {
  const walk = new Walk(new SpecValues(values))
  for (const { name, schema: member } of compileSchema(schema).fields)
    if (!notSpec.has(name))
      walk.property({ schema: member, path: name, current: getOwn(sample, name) }, [
        [(inner) => put(sample, name, inner)],
      ])
  return walk
}

/** Not of the user, or not of the schema. */
const notSpec = new Set(['apiVersion', 'kind', 'metadata', 'status'])

interface Place {
  readonly schema: Schema
  readonly path: string
  /** What the sample has there. */
  readonly current: Json | undefined
}

/** The ways to put a value, or nothing, into the value around it; the usual one first. */
type Level = readonly ((inner: Json | undefined) => Json)[]

const maxObjects = 400

class Walk implements SpecOperations {
  readonly properties: string[] = []
  readonly operations: SpecOperation[] = []
  readonly #values: SpecValues

  constructor(values: SpecValues) {
    this.#values = values
  }

  /** `removal`: what the server must say to an object without it; undefined: there is nothing to leave out. */
  property(place: Place, levels: readonly Level[], removal?: SpecOperation['expects']): void {
    const { schema, path, current } = place
    this.properties.push(path)
    for (const { label, class: of, values } of this.#values.choices(schema, path, current)) {
      const isValid = of === 'valid'
      this.operations.push({
        id: `${path}/${label}`,
        path,
        class: isValid ? (current === undefined ? 'set' : 'change') : of,
        expects: isValid ? 'accepted' : 'rejected',
        objects: () => arrangements(levels, isValid ? values : values.slice(0, 1)),
      })
    }
    if (current !== undefined && removal !== undefined) {
      this.operations.push({
        id: `${path}/remove`,
        path,
        class: 'remove',
        expects: removal,
        objects: () => arrangements(levels, [undefined]),
      })
    }
    this.#below(place, levels)
  }

  #below({ schema, path, current }: Place, levels: readonly Level[]): void {
    const { items } = schema
    if (items !== undefined) {
      const list = Array.isArray(current) ? current : []
      const inList: Level = [(item) => [item ?? null, ...list.slice(1)]]
      this.#inside({ schema: items, path: `${path}[]`, current: list[0] }, [...levels, inList])
    }
    if (isMap(schema)) {
      const values = schema.additionalProperties?.schema
      const map = isObject(current) ? current : {}
      const key = Object.keys(map)[0] ?? this.#values.keyOf(schema)
      const inMap: Level = [(value) => put(map, key, value)]
      if (values !== undefined)
        this.#inside({ schema: values, path: `${path}.*`, current: getOwn(map, key) }, [...levels, inMap])
      return
    }
    this.#fields({ schema, path, current }, levels)
  }

  /** An item of a list, or a value of a map: objects are tried field by field, others as the list or map itself. */
  #inside(place: Place, levels: readonly Level[]): void {
    if (place.schema.fields.length > 0 || place.schema.items !== undefined || isMap(place.schema))
      this.#below(place, levels)
    else this.property(place, levels)
  }

  #fields({ schema, path, current }: Place, levels: readonly Level[]): void {
    for (const { name, schema: member } of schema.fields) {
      const removal = schema.required.includes(name) && member.default === undefined ? 'rejected' : 'accepted'
      const around = isObject(current)
        ? withFewer(current, schema.required, name)
        : this.#values.objects(schema, path, name)
      const inObject: Level = around.map((object) => (inner) => put(object, name, inner))
      const value = isObject(current) ? getOwn(current, name) : undefined
      this.property({ schema: member, path: `${path}.${name}`, current: value }, [...levels, inObject], removal)
    }
  }
}

/** The object as it is, then without one of its other optional fields each. */
function withFewer(object: JsonObject, required: readonly string[], except: string): readonly JsonObject[] {
  const optional = Object.keys(object).filter((name) => name !== except && !required.includes(name))
  return [object, ...optional.map((name) => without(object, name))]
}

function put(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  return value === undefined ? without(object, name) : { ...object, [name]: value }
}

/** The usual way at every level first, then another way at one level, then at two. */
function* arrangements(levels: readonly Level[], values: readonly (Json | undefined)[]): Generator<JsonObject> {
  const inside: Level = values.map((value) => () => value as Json)
  const all = [...levels, inside]
  let count = 0
  for (const chosen of choices(all.map(({ length }) => length))) {
    if (count++ === maxObjects) return
    let inner: Json | undefined
    for (let at = all.length - 1; at >= 0; at--) inner = all[at]?.[chosen[at] ?? 0]?.(inner)
    yield inner as JsonObject
  }
}

function* choices(counts: readonly number[]): Generator<readonly number[]> {
  const usual = counts.map(() => 0)
  yield usual
  const others = counts.flatMap((count, at) =>
    Array.from({ length: Math.max(0, count - 1) }, (_, index) => ({ at, way: index + 1 })),
  )
  for (const { at, way } of others) yield usual.with(at, way)
  for (const [index, first] of others.entries())
    for (const second of others.slice(index + 1))
      if (second.at !== first.at) yield usual.with(first.at, first.way).with(second.at, second.way)
}

export function isAtOrBelow(path: string, property: string): boolean {
  return path === property || path.startsWith(`${property}.`) || path.startsWith(`${property}[`)
}

/** The JSON merge patch that makes `to` of `from`; undefined if they are equal. */
export function mergePatch(from: Json | undefined, to: Json | undefined): Json | undefined {
  if (equalJson(from, to)) return undefined
  if (!isObject(from) || !isObject(to)) return to ?? null
  const patch: JsonObject = {}
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const part = mergePatch(getOwn(from, name), getOwn(to, name))
    if (part !== undefined) patch[name] = part
  }
  return patch
}
