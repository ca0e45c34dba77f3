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

/** What every shape has room for. */
interface WithComputed {
  /** Values that {@link perShape} computed from this shape, by slot. They are functions of the shape alone. */
  readonly computed?: unknown[]
}

export interface ScalarShape extends WithComputed {
  readonly type: 'scalar'
  readonly scalar: ScalarType
  /** `int32`, `int64`, … where the schema says so. */
  readonly format?: string
  /** The Go type that upstream names in decoding errors: `string`, `int32`, `v1.Protocol`. */
  readonly goType?: string
}

/** An object with known fields. */
export interface StructShape extends WithComputed {
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
export interface MapShape extends WithComputed {
  readonly type: 'map'
  readonly values: Shape
  readonly atomic: boolean
  readonly goType?: string
}

export interface ListShape extends WithComputed {
  readonly type: 'list'
  readonly items: Shape
  /** Who owns what: the whole list, each value, or each item by its keys. */
  readonly ownership: 'atomic' | 'set' | 'map'
  /** Key fields when ownership is `map`. */
  readonly keys: readonly string[]
  readonly goType?: string
}

/** No schema: any JSON. Server-side apply treats maps as granular and lists as atomic. */
export interface AnyShape extends WithComputed {
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

let slots = 0

/**
 * A function of shapes whose result is kept on the shape itself, since shapes are few and live long. A shape may
 * contain itself: `whileComputing`, if given, is the result there until the computation ends.
 */
export function perShape<S extends Shape, T>(compute: (shape: S) => T, whileComputing?: T): (shape: S) => T {
  const slot = slots++
  return (shape) => {
    const computed = shape.computed ?? withComputed(shape)
    const known = computed[slot] as T | undefined
    if (known !== undefined) return known
    computed[slot] = whileComputing
    const value = compute(shape)
    computed[slot] = value
    return value
  }
}

/** Not enumerable: a copy of a shape is another shape, of which nothing is computed yet. */
function withComputed(shape: Shape): unknown[] {
  const computed: unknown[] = []
  Object.defineProperty(shape, 'computed', { value: computed })
  return computed
}

/** Whether values of the shape hold parts that are kept as their text: the order of their keys shows. */
export const holdsRaw: (shape: Shape) => boolean = perShape((shape: Shape) => {
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
}, false)

/**
 * Whether a text below the shape, metadata left aside, has a format. Such a text may be a list as far as validation
 * goes, but not as far as field ownership goes.
 */
export const hasFormats: (shape: Shape) => boolean = perShape((shape: Shape) => {
  switch (shape.type) {
    case 'scalar':
      return shape.scalar === 'string' && shape.format !== undefined
    case 'struct':
      return [...shape.fields.values()].some((field) => field.name !== 'metadata' && hasFormats(field.shape))
    case 'map':
      return hasFormats(shape.values)
    case 'list':
      return hasFormats(shape.items)
    case 'any':
      return false
  }
}, false)
