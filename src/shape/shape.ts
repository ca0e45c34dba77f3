/**
 * Shape: what a type looks like, compiled from a schema once and walked by everything that treats objects by type:
 * decoding and pruning, field ownership (server-side apply), strategic merge, validation of custom resources.
 *
 * Built-ins get theirs from `facts/` (see `builtin-shapes.ts`), custom resources from their CRD (see `extensions/`).
 * Shapes may be recursive, so struct fields are behind a getter; compare shapes by identity, never by structure.
 */
import type { Json } from '../api/json.ts'

export type Shape = ScalarShape | StructShape | MapShape | ListShape | AnyShape

export type ScalarType =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'number'
  | 'intOrString'
  /** base64 text */
  | 'bytes'
  /** RFC 3339 to the second; null when unset */
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'

export interface ScalarShape {
  readonly type: 'scalar'
  readonly scalar: ScalarType
  /** `int32`, `int64`, … where the schema says so. */
  readonly format?: string
  /** The Go type that upstream names in decoding errors: `string`, `int32`, `v1.Protocol`. */
  readonly goType?: string
}

/** An object with known fields. */
export interface StructShape {
  readonly type: 'struct'
  /** The OpenAPI name, such as `io.k8s.api.core.v1.Container`; '' where the schema is inline. */
  readonly name: string
  /** In the order in which upstream writes them. */
  readonly fields: ReadonlyMap<string, FieldShape>
  /** One owner for the whole value (`x-kubernetes-map-type: atomic`). */
  readonly atomic: boolean
  /** Fields that are not listed are kept as they are, with the shape of {@link any}. */
  readonly preserveUnknown: boolean
  /** The Go type in decoding errors: `ConfigMap`, `ObjectMeta`. */
  readonly goType?: string
}

export interface FieldShape {
  readonly name: string
  readonly shape: Shape
  readonly required: boolean
  /**
   * From the schema; for built-ins mostly zero values, but it also gives list-map keys their defaults (protocol TCP).
   */
  readonly default?: Json
  /**
   * When upstream's encoder writes the field:
   * `always` (zero value included), `set` (a pointer: any value that was given), `nonzero` (dropped when it is the zero
   * value).
   */
  readonly emit: 'always' | 'set' | 'nonzero'
  /** A pointer that is always written: null when unset, such as a Deployment's `spec.selector`. */
  readonly nullable?: true
  /** Strategic merge: `x-kubernetes-patch-strategy` split at the comma, and the key of a merging list of objects. */
  readonly patchStrategy: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchMergeKey?: string
}

/** An object with free keys. */
export interface MapShape {
  readonly type: 'map'
  readonly values: Shape
  readonly atomic: boolean
  readonly goType?: string
}

export interface ListShape {
  readonly type: 'list'
  readonly items: Shape
  /** Who owns what: the whole list, each value, or each item by its keys. */
  readonly ownership: 'atomic' | 'set' | 'map'
  /** Key fields when ownership is `map`. */
  readonly keys: readonly string[]
  readonly goType?: string
}

/** No schema: any JSON. Server-side apply treats maps as granular and lists as atomic. */
export interface AnyShape {
  readonly type: 'any'
}

export const any: AnyShape = { type: 'any' }

/**
 * The shape of a struct's field, of a map's value, or `any` below what has no schema; undefined for an undeclared
 * field.
 */
export function fieldShape(shape: Shape, name: string): Shape | undefined {
  switch (shape.type) {
    case 'struct':
      return shape.fields.get(name)?.shape ?? (shape.preserveUnknown ? any : undefined)
    case 'map':
      return shape.values
    case 'any':
      return any
    default:
      return undefined
  }
}

const raw = new WeakMap<Shape, boolean>()

/** Whether values of the shape hold parts that are kept as their text: the order of their keys shows. */
export function holdsRaw(shape: Shape): boolean {
  let found = raw.get(shape)
  if (found === undefined) {
    // A shape within itself adds nothing.
    raw.set(shape, false)
    found = partsHoldRaw(shape)
    raw.set(shape, found)
  }
  return found
}

function partsHoldRaw(shape: Shape): boolean {
  switch (shape.type) {
    case 'struct':
      return [...shape.fields.values()].some((field) => holdsRaw(field.shape))
    case 'map':
      return shape.goType === 'runtime.RawExtension' || holdsRaw(shape.values)
    case 'list':
      return holdsRaw(shape.items)
    default:
      return false
  }
}
