/**
 * What the walkers over typed values share: the children of a struct with their path elements at hand, and the path
 * element of a list's item. Both are worked out once per shape.
 */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { any, type ListShape, type Shape, type StructShape } from '../shape/shape.ts'
import { goJson, goJsonString, goQuote } from './go-text.ts'

/** A value does not fit its shape in a way that leaves its parts without a path. */
export class TypedValueError extends Error {}

export interface Child {
  readonly element: string
  readonly shape: Shape
  /** A declared field of a struct, not a free key. */
  readonly named: boolean
}

const structs = new WeakMap<StructShape, ReadonlyMap<string, Child>>()

function childrenOf(shape: StructShape): ReadonlyMap<string, Child> {
  const known = structs.get(shape)
  if (known !== undefined) return known
  const children = new Map<string, Child>()
  for (const field of shape.fields.values()) {
    children.set(field.name, { element: `f:${field.name}`, shape: field.shape, named: true })
  }
  structs.set(shape, children)
  return children
}

/** Gives the child for each key of one object; undefined for a field that the shape does not declare. */
export type ChildLookup = (key: string) => Child | undefined

const lookups = new WeakMap<Shape, ChildLookup>()

/** Keys of structs are looked up, free keys of maps and of untyped objects make a child each. */
export function childLookup(shape: Shape): ChildLookup {
  const known = lookups.get(shape)
  if (known !== undefined) return known
  const lookup = makeLookup(shape)
  lookups.set(shape, lookup)
  return lookup
}

function makeLookup(shape: Shape): ChildLookup {
  switch (shape.type) {
    case 'struct': {
      const children = childrenOf(shape)
      if (!shape.preserveUnknown) return (key) => children.get(key)
      return (key) => children.get(key) ?? freeKey(key, any)
    }
    case 'map': {
      const values = shape.values
      return (key) => freeKey(key, values)
    }
    default:
      return (key) => freeKey(key, any)
  }
}

function freeKey(key: string, shape: Shape): Child {
  return { element: `f:${key}`, shape, named: false }
}

/** One owner for the whole value, whatever it is. */
export function isAtomic(shape: Shape): boolean {
  switch (shape.type) {
    case 'scalar':
      return true
    case 'struct':
    case 'map':
      return shape.atomic
    case 'list':
      return shape.ownership === 'atomic'
    case 'any':
      return false
  }
}

/** An object or an array with nothing in it, or anything else. */
export function isHollow(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}

interface KeyField {
  readonly name: string
  /** `"port":` */
  readonly prefix: string
  /** The schema's default, encoded. */
  readonly fallback: string | undefined
}

const keyFields = new WeakMap<ListShape, readonly KeyField[]>()

function keyFieldsOf(shape: ListShape): readonly KeyField[] {
  const known = keyFields.get(shape)
  if (known !== undefined) return known
  const { items } = shape
  const fields = shape.keys.toSorted().map((name) => {
    const fallback = items.type === 'struct' ? items.fields.get(name)?.default : undefined
    return {
      name,
      prefix: `${goJsonString(name)}:`,
      fallback: fallback === undefined || fallback === null ? undefined : goJson(fallback),
    }
  })
  keyFields.set(shape, fields)
  return fields
}

/** The path element of an item of a list that is a map or a set. Throws {@link TypedValueError} when it has none. */
export function itemElement(shape: ListShape, item: Json): string {
  return shape.keys.length === 0 ? setElement(item) : keyedElement(shape, item)
}

function setElement(item: Json): string {
  if (typeof item === 'string') return `v:${goJsonString(item)}`
  if (item === null) throw new TypedValueError("associative list without keys has an element that's an explicit null")
  if (typeof item !== 'object') return `v:${String(item)}`
  throw new TypedValueError(
    Array.isArray(item)
      ? 'not supported: associative list with lists as elements'
      : "associative list without keys has an element that's a map type",
  )
}

function keyedElement(shape: ListShape, item: Json): string {
  if (!isObject(item)) {
    throw new TypedValueError(
      `associative list with keys may not have ${item === null ? 'a null element' : 'non-map elements'}`,
    )
  }
  let element = 'k:{'
  for (const field of keyFieldsOf(shape)) {
    const text = keyText(item, field)
    if (text !== undefined) element += (element.length > 3 ? ',' : '') + field.prefix + text
  }
  if (element.length > 3) return `${element}}`
  throw new TypedValueError(
    `associative list with keys has an element that omits all key fields [${shape.keys.map(goQuote).join(' ')}]` +
      " (and doesn't have default values for any key fields)",
  )
}

function keyText(item: JsonObject, field: KeyField): string | undefined {
  if (!Object.hasOwn(item, field.name)) return field.fallback
  const value = item[field.name] as Json
  return typeof value === 'string' ? goJsonString(value) : goJson(value)
}
