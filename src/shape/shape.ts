/**
 * Shape: a type, compiled from a schema once. Used by everything that handles objects by type: decoding and pruning,
 * field ownership (server-side apply), strategic merge patch, validation of custom resources.
 *
 * Built-in types are compiled from `facts/` (see `builtin-shapes.ts`), custom resources from their CRD (see
 * `extensions/`). Shapes may be recursive, so struct fields are behind a getter; compare shapes by identity, never by
 * structure.
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

/** Members that every shape has. */
interface WithComputed {
  /** Values that {@link perShape} computed from this shape, by slot. They depend on the shape alone. */
  readonly computed?: unknown[]
}

export interface ScalarShape extends WithComputed {
  readonly type: 'scalar'
  readonly scalar: ScalarType
  /** `int32`, `int64`, … if the schema has a format. */
  readonly format?: string
  /** The Go type in upstream's decoding errors: `string`, `int32`, `v1.Protocol`. */
  readonly goType?: string
}

/** An object with known fields. */
export interface StructShape extends WithComputed {
  readonly type: 'struct'
  /** The OpenAPI name, such as `io.k8s.api.core.v1.Container`; '' if the schema is inline. */
  readonly name: string
  /** In the order in which upstream writes them. */
  readonly fields: ReadonlyMap<string, FieldShape>
  /** One owner for the whole value (`x-kubernetes-map-type: atomic`). */
  readonly atomic: boolean
  /** Undeclared fields are kept, with the shape {@link any}. */
  readonly preserveUnknown: boolean
  /** The Go type in decoding errors: `ConfigMap`, `ObjectMeta`. */
  readonly goType?: string
}

export interface FieldShape {
  readonly name: string
  readonly shape: Shape
  readonly required: boolean
  /** From the schema; for built-in types mostly zero values, but also the defaults of list-map keys (protocol TCP). */
  readonly default?: Json
  /**
   * When upstream's encoder writes the field: `always` (including the zero value), `set` (a pointer: any value that was
   * set), `nonzero` (omitted if it is the zero value).
   */
  readonly emit: 'always' | 'set' | 'nonzero'
  /** A pointer without omitempty: null if unset, such as `spec.selector` of a Deployment. */
  readonly nullable?: true
  /**
   * Strategic merge patch: `x-kubernetes-patch-strategy` split at the comma, and the key of a list of objects that
   * merges.
   */
  readonly patchStrategy: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchMergeKey?: string
}

/** An object with arbitrary keys. */
export interface MapShape extends WithComputed {
  readonly type: 'map'
  readonly values: Shape
  readonly atomic: boolean
  readonly goType?: string
}

export interface ListShape extends WithComputed {
  readonly type: 'list'
  readonly items: Shape
  /** The unit of ownership: the whole list, each value, or each item by its keys. */
  readonly ownership: 'atomic' | 'set' | 'map'
  /** The key fields if ownership is `map`. */
  readonly keys: readonly string[]
  readonly goType?: string
}

/** No schema: any JSON. Server-side apply treats maps as granular and lists as atomic. */
export interface AnyShape extends WithComputed {
  readonly type: 'any'
}

export const any: AnyShape = { type: 'any' }

/**
 * The shape of a struct field or of a map value; `any` below values without a schema; undefined for an undeclared
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
 * A function of shapes whose result is kept on the shape itself, since shapes are few and long-lived. A shape may
 * contain itself: `whileComputing` is the result for it until the computation ends.
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

/** Not enumerable: a copy of a shape is another shape, without computed values. */
function withComputed(shape: Shape): unknown[] {
  const computed: unknown[] = []
  Object.defineProperty(shape, 'computed', { value: computed })
  return computed
}

/** Whether values of the shape have raw JSON in them (RawExtension), in which the order of keys is visible. */
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
 * Whether a string below the shape, except in metadata, has a format. Validation accepts a list for such a string;
 * field ownership does not.
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
