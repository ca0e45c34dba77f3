/** Nodes of objects, lists and maps, including how server-side apply merges them. */
import type { Json, JsonObject } from '../api/json.ts'
import {
  SchemaError,
  SchemaNode,
  type ItemNode,
  type NodeTypes,
  type ReadOf,
  type StructuralSchema,
  type WriteOf,
} from './node.ts'

export type Fields = Readonly<Record<string, SchemaNode>>

type Flat<T> = { [Name in keyof T]: T[Name] }

/** The type of reads: only optional fields may be missing. */
export type ReadFields<F extends Fields> = Flat<
  {
    -readonly [Name in keyof F as F[Name][NodeTypes]['presence'] extends 'optional' ? never : Name]: ReadOf<F[Name]>
  } & {
    -readonly [Name in keyof F as F[Name][NodeTypes]['presence'] extends 'optional' ? Name : never]?: ReadOf<F[Name]>
  }
>

/** The type of writes: only required fields must be present. */
export type WriteFields<F extends Fields> = Flat<
  {
    -readonly [Name in keyof F as F[Name][NodeTypes]['presence'] extends 'required' ? Name : never]: WriteOf<F[Name]>
  } & {
    -readonly [Name in keyof F as F[Name][NodeTypes]['presence'] extends 'required' ? never : Name]?: WriteOf<F[Name]>
  }
>

export class ObjectNode<F extends Fields> extends SchemaNode<ReadFields<F>, WriteFields<F>, 'required'> {
  readonly fields: F

  constructor(fields: F) {
    super(fieldsSchema(fields))
    this.fields = fields
  }

  /** A copy with more fields, or with other nodes for some of them. Keeps description and rules. */
  extend<More extends Fields>(more: More): ObjectNode<Flat<Omit<F, keyof More> & More>> {
    const fields = { ...this.fields, ...more }
    const { properties: _, required: __, ...rest } = this.schema
    return Object.assign(this.copy({ schema: Object.freeze({ ...rest, ...fieldsSchema(fields) }) }), {
      fields,
    }) as never
  }

  /** Keeps fields that are not in the schema. Without this, the server prunes them. */
  open(): this {
    return this.with({ 'x-kubernetes-preserve-unknown-fields': true })
  }

  /** Server-side apply tracks one owner for the whole object. Default: one for each field. */
  atomic(): this {
    return this.with({ 'x-kubernetes-map-type': 'atomic' })
  }
}

function fieldsSchema(fields: Fields): JsonObject {
  const properties: JsonObject = {}
  for (const [name, node] of Object.entries(fields)) properties[name] = node.schema
  const required = Object.keys(fields)
    .filter((name) => fields[name]?.presence === 'required')
    .sort()
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
}

export class MapNode<N extends ItemNode> extends SchemaNode<
  Record<string, ReadOf<N>>,
  Record<string, WriteOf<N>>,
  'required'
> {
  constructor(values: N) {
    super({ type: 'object', additionalProperties: values.schema })
  }

  minProperties(minProperties: number): this {
    return this.with({ minProperties })
  }

  maxProperties(maxProperties: number): this {
    return this.with({ maxProperties })
  }

  /** Server-side apply tracks one owner for the whole map. Default: one for each key. */
  atomic(): this {
    return this.with({ 'x-kubernetes-map-type': 'atomic' })
  }
}

interface ItemsSchema extends StructuralSchema {
  readonly properties?: Record<string, JsonObject>
  readonly required?: string[]
}

const scalars = new Set<Json | undefined>(['string', 'integer', 'number', 'boolean'])

/** A list. Server-side apply tracks one owner for all of it, unless it is a set or a map. */
export class ArrayNode<N extends ItemNode> extends SchemaNode<ReadOf<N>[], WriteOf<N>[], 'required'> {
  constructor(items: N) {
    super({ type: 'array', items: items.schema })
  }

  private get items(): ItemsSchema {
    return this.schema['items'] as ItemsSchema
  }

  minItems(minItems: number): this {
    return this.with({ minItems })
  }

  maxItems(maxItems: number): this {
    return this.with({ maxItems })
  }

  /** Values are unique, and several managers may each own some of them. Throws unless items are scalars or atomic. */
  set(): this {
    const items = this.items
    const atomic = items['x-kubernetes-map-type'] === 'atomic' || items['x-kubernetes-list-type'] === 'atomic'
    if (items['nullable'] === true) throw new SchemaError('items of a set cannot be nullable')
    if (!scalars.has(items['type']) && items['x-kubernetes-int-or-string'] !== true && !atomic) {
      throw new SchemaError('items of a set are scalars, or atomic objects or lists')
    }
    return this.with({ 'x-kubernetes-list-type': 'set' })
  }

  /**
   * Items are identified by these fields, and several managers may each own some of them. Throws unless items are
   * objects and each key is a scalar that is required or has a default.
   */
  mapBy(...keys: [keyof ReadOf<N> & string, ...(keyof ReadOf<N> & string)[]]): this {
    const { type, properties = {}, required = [], nullable } = this.items
    if (type !== 'object') throw new SchemaError(`items of a list that is a map by ${keys.join(', ')} are objects`)
    if (nullable === true) throw new SchemaError('items of a list that is a map cannot be nullable')
    for (const key of keys) {
      const field = properties[key]
      if (field === undefined || !scalars.has(field['type']))
        throw new SchemaError(`${key}: a key is a scalar field of the items`)
      if (field['nullable'] === true) throw new SchemaError(`${key}: a key cannot be nullable`)
      if (!required.includes(key) && field['default'] === undefined) {
        throw new SchemaError(`${key}: a key is required or has a default`)
      }
    }
    return this.with({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys })
  }

  /** Server-side apply tracks one owner for the whole list, which is also the default. */
  atomic(): this {
    return this.with({ 'x-kubernetes-list-type': 'atomic' })
  }
}
