/**
 * Form: what a JSON value must have in common with another one so that a result for that one holds for it, too. A form
 * says of each place in the value whether it must be equal, of the same type, empty, or may be anything. Memos compare
 * by forms: it is several times quicker than the walk whose result they keep, and allocates nothing.
 *
 * A form holds copies of names and scalars. The value that it was made from may change later.
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
  /** Anything but a list with items. */
  | 'noItems'
  /** Anything but an object with fields. */
  | 'noFields'
  | 'list'
  | 'map'

/** One class for all types, so that the engine has one layout to compare by. */
export class Form {
  readonly type: FormType
  /** Of `equal` and `different`. */
  readonly value: Json
  /** Of `map`: its keys, in their order. */
  readonly keys: readonly string[]
  /** Of `map` and `list`: one for each key or item. */
  readonly forms: readonly Form[]
  /** How many values a value of this form has at most, for a `map` or `list`; else 1. */
  readonly size: number
  /** Of `map` and `list`: the last frozen value that had the form, and always will. */
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

/** Values that are equal to this one. */
export function equalTo(value: Json): Form {
  return value === null ? nullForm : new Form('equal', cloneJson(value), none, none)
}

export function differentFrom(value: Json): Form {
  return new Form('different', cloneJson(value), none, none)
}

/** Scalars of the type of this one. */
export function sameType(value: string | number | boolean): Form {
  return ofType[typeof value as keyof typeof ofType]
}

/** Objects with these keys in the order of `value`, and values of the forms that `formOf` gives. */
export function mapOf(value: JsonObject, formOf: (key: string, value: Json) => Form): Form {
  const keys = Object.keys(value)
  const forms = keys.map((key) => formOf(key, value[key] as Json))
  return new Form('map', null, keys, forms)
}

/** Lists of as many items, each of the form that `formOf` gives. */
export function listOf(items: readonly Json[], formOf: (item: Json) => Form): Form {
  const forms = items.map(formOf)
  return new Form('list', null, none, forms)
}

/** Values that are equal to this one, with all keys in the same order. */
export function exactly(value: Json): Form {
  if (Array.isArray(value)) return listOf(value, exactly)
  return isObject(value) ? mapOf(value, (_, field) => exactly(field)) : equalTo(value)
}

/** Whether the value consists of more values than this. Large values rarely come again in the same form. */
export function isLarger(value: Json, maxValues: number): boolean {
  return countDown(value, maxValues) < 0
}

/** What is left of `left` values after those of `value`; less than 0 when they are too many. */
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

/** From here on comparing by identity is cheaper than asking whether the value is frozen. */
const worthNoting = 8

function noted(value: Json, form: Form): true {
  if (form.size >= worthNoting && Object.isFrozen(value)) form.lastFrozen = value
  return true
}
