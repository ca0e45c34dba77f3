/**
 * Plan: a shape compiled for the walkers of this folder. Everything that a walk needs at each step (who owns
 * what, path elements, the alphabetical order of fields, list keys with their defaults) is worked out once
 * per shape.
 */
import { getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { any, type ListShape, type Shape } from '../../shape/shape.ts'
import { goQuote } from '../../api/go-format.ts'
import { goJson, goJsonString } from '../../api/go-json.ts'
import { RecentConfigurations } from './recent-configurations.ts'
import { RecentNodes } from './recent-nodes.ts'
import { RecentSets } from './recent-sets.ts'

/** A value does not fit its shape in a way that leaves its parts without a path. */
export class TypedValueError extends Error {}

/** The object cannot be had in a version through which somebody owns parts of it. */
export class ConversionError extends TypedValueError {}

export type Plan = LeafPlan | MapPlan | ListPlan

/** One owner for the whole value: scalars, and whatever is atomic. */
export interface LeafPlan {
  readonly type: 'leaf'
  readonly shape: Shape
}

const mostMet = 64

/** An object whose fields have owners of their own. */
export class MapPlan {
  readonly type = 'map'
  readonly shape: Shape
  /** Values of any kind fit; what is not an object is one leaf. */
  readonly untyped: boolean
  readonly recentNodes = new RecentNodes()
  #recentSets: RecentSets | undefined
  #recentConfigurations: RecentConfigurations | undefined
  /** Those declared, and the first few free keys that were met: labels and the like come again. */
  #fields: Map<string, Child> | undefined
  #met = 0
  /** The plan of keys that are not declared; undefined when there must be none. */
  #free: Plan | undefined

  constructor(shape: Shape) {
    this.shape = shape
    this.untyped = shape.type === 'any'
  }

  /** Undefined for a field that the shape does not declare. */
  child(key: string): Child | undefined {
    const fields = this.#fields ?? this.#compile()
    const field = fields.get(key)
    if (field !== undefined) return field
    if (this.#free === undefined) return undefined
    const { shape } = this.#free
    const child = new Child(key, false, shape)
    if (this.#met++ < mostMet) fields.set(key, child)
    return child
  }

  /** Of a whole object. */
  get recentSets(): RecentSets {
    return (this.#recentSets ??= new RecentSets())
  }

  /** Of a whole object. */
  get recentConfigurations(): RecentConfigurations {
    return (this.#recentConfigurations ??= new RecentConfigurations())
  }

  #compile(): Map<string, Child> {
    const { shape } = this
    const fields = new Map<string, Child>()
    this.#fields = fields
    if (shape.type === 'struct') {
      for (const [name, field] of shape.fields) fields.set(name, new Child(name, true, field.shape))
      if (shape.preserveUnknown) this.#free = planOf(any)
    } else {
      this.#free = shape.type === 'map' ? planOf(shape.values) : this
    }
    return fields
  }
}

/** A field or a free key. Shapes may be recursive, so its plan is made when it is first needed. */
export class Child {
  readonly name: string
  readonly element: string
  /** Not a free key. */
  readonly declared: boolean
  readonly #shape: Shape
  #plan: Plan | undefined

  constructor(name: string, declared: boolean, shape: Shape) {
    this.name = name
    this.element = `f:${name}`
    this.declared = declared
    this.#shape = shape
  }

  get plan(): Plan {
    return (this.#plan ??= planOf(this.#shape))
  }
}

/** A list whose items have owners of their own: a set of scalars, or objects with keys. */
export class ListPlan {
  readonly type = 'list'
  readonly shape: ListShape
  readonly recentNodes = new RecentNodes()
  readonly #keys: readonly KeyField[]
  #items: Plan | undefined

  constructor(shape: ListShape) {
    this.shape = shape
    const { items } = shape
    this.#keys = shape.keys.toSorted().map((name) => {
      const fallback = items.type === 'struct' ? (items.fields.get(name)?.default ?? undefined) : undefined
      const text = fallback === undefined ? undefined : goJson(fallback)
      return { name, prefix: `${goJsonString(name)}:`, fallback, text }
    })
  }

  get items(): Plan {
    return (this.#items ??= planOf(this.shape.items))
  }

  /** The path element of an item. Throws {@link TypedValueError} when it has none. */
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

  /** An item's keys with their values, defaults included. */
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
  /** The schema's default, and its JSON. */
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

const plans = new WeakMap<Shape, Plan>()

export function planOf(shape: Shape): Plan {
  let plan = plans.get(shape)
  if (plan === undefined) {
    plan = compile(shape)
    plans.set(shape, plan)
  }
  return plan
}

/** The plan of a whole object, which nobody owns as one. */
export function rootPlan(shape: Shape): MapPlan {
  const plan = planOf(shape)
  if (plan.type !== 'map') throw new TypeError('an object must have a shape whose fields can be owned')
  return plan
}

function compile(shape: Shape): Plan {
  switch (shape.type) {
    case 'scalar':
      return { type: 'leaf', shape }
    case 'list':
      return shape.ownership === 'atomic' ? { type: 'leaf', shape } : new ListPlan(shape)
    case 'struct':
    case 'map':
      return shape.atomic ? { type: 'leaf', shape } : new MapPlan(shape)
    case 'any':
      return new MapPlan(shape)
  }
}

/** An object or an array with nothing in it, or anything else. */
export function isHollow(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}
