/**
 * FieldTree: a shape compiled for the functions of this folder. What they need at each node (granularity of ownership,
 * path elements, alphabetical order of fields, list keys with their defaults) is computed once per shape.
 */
import { getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { any, perShape, type ListShape, type Shape } from '../../shape/shape.ts'
import { TypedValueError } from './typed-value-error.ts'
import { goQuote } from '../../api/go-format.ts'
import { goJson, goJsonString } from '../../api/go-json.ts'
import { RecentNodes } from './node-builder.ts'

export type FieldTree = LeafTree | MapTree | ListTree

/** A value with one owner: scalars, and everything atomic. */
export interface LeafTree {
  readonly type: 'leaf'
  readonly shape: Shape
}

/** How many undeclared keys of one map are kept: those of labels and the like repeat. */
const maxFreeKeys = 64

/** An object whose fields are owned separately. */
export class MapTree {
  readonly type = 'map'
  readonly shape: Shape
  /** Any value is valid; a value that is not an object is one leaf. */
  readonly untyped: boolean
  readonly recentNodes = new RecentNodes()
  /** Declared fields, and the first undeclared keys that were seen. */
  #fields: Map<string, TreeChild> | undefined
  #freeKeys = 0
  /** The tree of undeclared keys; undefined if they are not allowed. */
  #free: FieldTree | undefined

  constructor(shape: Shape) {
    this.shape = shape
    this.untyped = shape.type === 'any'
  }

  /** Undefined for a field that the shape does not declare. */
  child(key: string): TreeChild | undefined {
    const fields = this.#fields ?? this.#compile()
    const field = fields.get(key)
    if (field !== undefined) return field
    if (this.#free === undefined) return undefined
    const { shape } = this.#free
    const child = new TreeChild(key, false, shape)
    if (this.#freeKeys++ < maxFreeKeys) fields.set(key, child)
    return child
  }

  #compile(): Map<string, TreeChild> {
    const { shape } = this
    const fields = new Map<string, TreeChild>()
    this.#fields = fields
    if (shape.type === 'struct') {
      for (const [name, field] of shape.fields) fields.set(name, new TreeChild(name, true, field.shape))
      if (shape.preserveUnknown) this.#free = treeOf(any)
    } else {
      this.#free = shape.type === 'map' ? treeOf(shape.values) : this
    }
    return fields
  }
}

/** A field or a map key. Its tree is compiled on first use, since shapes may be recursive. */
export class TreeChild {
  readonly name: string
  readonly element: string
  /** False for a map key. */
  readonly declared: boolean
  readonly #shape: Shape
  #tree: FieldTree | undefined

  constructor(name: string, declared: boolean, shape: Shape) {
    this.name = name
    this.element = `f:${name}`
    this.declared = declared
    this.#shape = shape
  }

  get tree(): FieldTree {
    return (this.#tree ??= treeOf(this.#shape))
  }
}

/** A list whose items are owned separately: a set of scalars, or objects with keys. */
export class ListTree {
  readonly type = 'list'
  readonly shape: ListShape
  readonly recentNodes = new RecentNodes()
  readonly #keys: readonly KeyField[]
  #items: FieldTree | undefined

  constructor(shape: ListShape) {
    this.shape = shape
    const { items } = shape
    this.#keys = shape.keys.toSorted().map((name) => {
      const fallback = items.type === 'struct' ? (items.fields.get(name)?.default ?? undefined) : undefined
      const text = fallback === undefined ? undefined : goJson(fallback)
      return { name, prefix: `${goJsonString(name)}:`, fallback, text }
    })
  }

  get items(): FieldTree {
    return (this.#items ??= treeOf(this.shape.items))
  }

  /** The path element of an item. Throws {@link TypedValueError} if it has none. */
  element(item: Json): string {
    return this.#keys.length === 0 ? setElement(item) : this.#keyedElement(item)
  }

  #keyedElement(item: Json): string {
    if (!isObject(item)) {
      const what = item === null ? 'a null element' : 'non-map elements'
      throw new TypedValueError(`associative list with keys may not have ${what}`)
    }
    let element = 'k:{'
    for (const key of this.#keys) {
      const text = keyText(item, key)
      if (text !== undefined) element += (element.length > 3 ? ',' : '') + key.prefix + text
    }
    if (element.length > 3) return `${element}}`
    const keys = this.shape.keys.map(goQuote).join(' ')
    throw new TypedValueError(
      `associative list with keys has an element that omits all key fields [${keys}]` +
        " (and doesn't have default values for any key fields)",
    )
  }

  /** The keys of an item with their values, including defaults. */
  keysOf(item: JsonObject): [name: string, value: Json][] {
    const found: [string, Json][] = []
    for (const { name, fallback } of this.#keys) {
      const value = Object.hasOwn(item, name) ? item[name] : fallback
      if (value !== undefined) found.push([name, value])
    }
    return found
  }
}

interface KeyField {
  readonly name: string
  /** `"port":` */
  readonly prefix: string
  /** The default in the schema, and its JSON. */
  readonly fallback: Json | undefined
  readonly text: string | undefined
}

function keyText(item: JsonObject, key: KeyField): string | undefined {
  const value = getOwn(item, key.name)
  if (value === undefined) return key.text
  if (typeof value === 'string') return goJsonString(value)
  return Number.isSafeInteger(value) ? String(value) : goJson(value)
}

function setElement(item: Json): string {
  if (typeof item === 'string') return `v:${goJsonString(item)}`
  if (typeof item !== 'object') return `v:${String(item)}`
  if (Array.isArray(item)) throw new TypedValueError('not supported: associative list with lists as elements')
  const what = item === null ? 'an explicit null' : 'a map type'
  throw new TypedValueError(`associative list without keys has an element that's ${what}`)
}

export const treeOf: (shape: Shape) => FieldTree = perShape(compile)

/** The tree of a whole object, which cannot be a leaf. */
export function rootTree(shape: Shape): MapTree {
  const tree = treeOf(shape)
  if (tree.type !== 'map') throw new TypeError('an object must have a shape whose fields can be owned')
  return tree
}

function compile(shape: Shape): FieldTree {
  switch (shape.type) {
    case 'scalar':
      return { type: 'leaf', shape }
    case 'list':
      return shape.ownership === 'atomic' ? { type: 'leaf', shape } : new ListTree(shape)
    case 'struct':
    case 'map':
      return shape.atomic ? { type: 'leaf', shape } : new MapTree(shape)
    case 'any':
      return new MapTree(shape)
  }
}

/** A value without fields or items: an empty object or array, or a scalar. */
export function isHollow(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}
