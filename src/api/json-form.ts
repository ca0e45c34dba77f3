/**
 * Form: what a JSON value must have in common with another one so that a result for that one also holds for it. For
 * each place in the value, a form says whether it must be equal, of the same type, empty, or may be anything. Memos
 * compare by forms: that is several times faster than the computation whose result they keep, and allocates nothing.
 *
 * A form contains copies of names and scalars. The value that it was made from may change later.
 */
import { cloneJson, equalJson, isObject, type Json, type JsonObject } from './json.ts'

type FormType =
  | 'any'
  | 'none'
  | 'string'
  | 'number'
  | 'boolean'
  | 'equal'
  | 'different'
  /** Anything except a list with items. */
  | 'noItems'
  /** Anything except an object with fields. */
  | 'noFields'
  | 'list'
  | 'map'

/** One class for all types, so that V8 has one object layout to compare by. */
export class Form {
  readonly type: FormType
  /** For `equal` and `different`. */
  readonly value: Json
  /** For `map`: its keys, in order. */
  readonly keys: readonly string[]
  /** For `map` and `list`: one for each key or item. */
  readonly forms: readonly Form[]
  /** The maximum number of values in a value of this form, for a `map` or `list`; otherwise 1. */
  readonly size: number
  /** For `map` and `list`: the last frozen value that matched, and therefore always will. */
  lastFrozen: Json = null

  constructor(type: FormType, value: Json, keys: readonly string[], forms: readonly Form[]) {
    this.type = type
    this.value = value
    this.keys = keys
    this.forms = forms
    let size = 1
    for (const form of forms) size += form.size
    this.size = size
  }
}

const none: readonly never[] = []
const simple = (type: FormType): Form => new Form(type, null, none, none)

export const anything = simple('any')
/** The form that no value has. */
export const nothing = simple('none')
export const noItems = simple('noItems')
export const noFields = simple('noFields')
const ofType = { string: simple('string'), number: simple('number'), boolean: simple('boolean') }
const nullForm = new Form('equal', null, none, none)

/** Matches values that are equal to this one. */
export function equalTo(value: Json): Form {
  return value === null ? nullForm : new Form('equal', cloneJson(value), none, none)
}

export function differentFrom(value: Json): Form {
  return new Form('different', cloneJson(value), none, none)
}

/** Matches scalars of the type of this one. */
export function sameType(value: string | number | boolean): Form {
  return ofType[typeof value as keyof typeof ofType]
}

/** Matches objects with the keys of `value` in their order, whose values match the forms from `formOf`. */
export function mapOf(value: JsonObject, formOf: (key: string, value: Json) => Form): Form {
  const keys = Object.keys(value)
  const forms = keys.map((key) => formOf(key, value[key] as Json))
  return new Form('map', null, keys, forms)
}

/** Matches lists of the same length, whose items match the forms from `formOf`. */
export function listOf(items: readonly Json[], formOf: (item: Json) => Form): Form {
  const forms = items.map(formOf)
  return new Form('list', null, none, forms)
}

/** Matches values that are equal to this one, with all keys in the same order. */
export function exactly(value: Json): Form {
  if (Array.isArray(value)) return listOf(value, exactly)
  return isObject(value) ? mapOf(value, (_, field) => exactly(field)) : equalTo(value)
}

/** Whether the value consists of more values than this. Large values rarely recur in the same form. */
export function isLarger(value: Json, maxValues: number): boolean {
  return countDown(value, maxValues) < 0
}

/** `left` minus the number of values in `value`; negative if they are too many. */
function countDown(value: Json, left: number): number {
  let rest = left - 1
  if (typeof value !== 'object' || value === null) return rest
  if (Array.isArray(value)) for (let i = 0; i < value.length && rest >= 0; i++) rest = countDown(value[i] as Json, rest)
  else
    for (const key in value) {
      rest = countDown(value[key] as Json, rest)
      if (rest < 0) break
    }
  return rest
}

export function hasForm(value: Json, form: Form): boolean {
  switch (form.type) {
    case 'any':
      return true
    case 'none':
      return false
    case 'string':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'equal':
      return value === form.value || (typeof value === 'object' && equalJson(value, form.value))
    case 'different':
      return !equalJson(value, form.value)
    case 'noItems':
      return !(Array.isArray(value) && value.length > 0)
    case 'noFields':
      return !isObject(value) || !hasFields(value)
    case 'list':
      return Array.isArray(value) && hasListForm(value, form)
    case 'map':
      return isObject(value) && hasMapForm(value, form)
  }
}

function hasFields(value: JsonObject): boolean {
  for (const _ in value) return true
  return false
}

function hasMapForm(value: JsonObject, form: Form): boolean {
  if (value === form.lastFrozen) return true
  const { keys, forms } = form
  let i = 0
  for (const key in value) {
    if (keys[i] !== key || !hasForm(value[key] as Json, forms[i] as Form)) return false
    i++
  }
  return i === keys.length && noted(value, form)
}

function hasListForm(items: Json[], form: Form): boolean {
  if (items === form.lastFrozen) return true
  const { forms } = form
  if (items.length !== forms.length) return false
  for (let i = 0; i < items.length; i++) if (!hasForm(items[i] as Json, forms[i] as Form)) return false
  return noted(items, form)
}

/** From this size on, comparing by identity is cheaper than checking whether the value is frozen. */
const worthNoting = 8

function noted(value: Json, form: Form): true {
  if (form.size >= worthNoting && Object.isFrozen(value)) form.lastFrozen = value
  return true
}
