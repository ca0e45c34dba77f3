/**
 * The first entry of managedFields: who creates an object owns all that it has.
 *
 * What a set of fields is made of are the names of fields, not their values. So objects made from one template have
 * equal sets, and the set of a new object is that of a recent one whenever the two have the same form. Within a second
 * of the clock even the entry is the same. What may be shared is frozen when it is made, as in `recent-nodes.ts`.
 */
import { cloneJson, deepFreeze, equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts'
import { timestamp } from '../../env/env.ts'
import type { Shape } from '../../shape/shape.ts'
import { emptyObject, type TrackContext } from './context.ts'
import type { FieldSet } from './field-set.ts'
import { newOwner, Owners, writeOwners } from './owners.ts'
import { isHollow, rootPlan, type ListPlan, type MapPlan, type Plan } from './plan.ts'
import { trackUpdate } from './track-update.ts'

/** What is created; the same value for all objects that are tracked alike. */
export interface Created {
  readonly shape: Shape
}

/**
 * Sets `metadata.managedFields` of a new object as {@link trackUpdate} does. `now` is in milliseconds since the epoch;
 * `contextOf` is only asked for what is not known yet; `asSent` is as for {@link trackUpdate}.
 */
export function trackCreate(
  next: KubeObject,
  manager: string,
  created: Created,
  now: number,
  contextOf: () => TrackContext,
  asSent?: () => KubeObject,
): void {
  const { shape } = created
  const recent = known.get(created) ?? []
  if (next.metadata.managedFields === undefined && asSent === undefined) {
    for (const each of recent) {
      if (each.shape !== shape || !fits(each.form, next)) continue
      next.metadata.managedFields = each.entries(manager, timestamp(now))
      return
    }
  }
  const context = contextOf()
  const form = asSent === undefined && isOrdinary(next, context) ? wholeForm(next, context) : undefined
  trackUpdate(undefined, next, manager, context, asSent)
  const entries: ManagedFieldsEntry[] | undefined = next.metadata.managedFields
  const set = entries?.length === 1 ? entries[0]?.fieldsV1 : undefined
  if (form === undefined || set === undefined || sizeOf(form) > maxSize) return
  deepFreeze(entries)
  known.set(created, [new KnownForm(shape, form, set, context), ...recent.slice(0, kept - 1)])
}

/** Whether nothing but the form of the object says who owns what. */
function isOrdinary(next: KubeObject, { subresource, mayNotFit }: TrackContext): boolean {
  return next.metadata.managedFields === undefined && subresource === '' && mayNotFit !== true
}

function wholeForm(next: KubeObject, context: TrackContext): Form {
  return mapForm(rootPlan(context.shape), next, emptyObject(context))
}

/** For one kind: enough for several variants that are written in turn. */
const kept = 4

/** In fields. Larger objects are unlikely to have the form of another one, and not worth comparing. */
const maxSize = 512

const known = new WeakMap<Created, readonly KnownForm[]>()

/** A form and what its creator owns. */
class KnownForm {
  readonly shape: Shape
  readonly form: Form
  readonly #set: FieldSet
  readonly #apiVersion: string
  #last: { readonly manager: string; readonly time: string; readonly entries: ManagedFieldsEntry[] } | undefined

  constructor(shape: Shape, form: Form, set: FieldSet, { apiVersion }: TrackContext) {
    this.shape = shape
    this.form = form
    this.#set = set
    this.#apiVersion = apiVersion
  }

  entries(manager: string, time: string): ManagedFieldsEntry[] {
    if (this.#last?.manager === manager && this.#last.time === time) return this.#last.entries
    const owner = newOwner(manager, 'Update', this.#apiVersion, '', this.#set, time)
    const entries = deepFreeze(writeOwners(new Owners([owner])) as ManagedFieldsEntry[])
    this.#last = { manager, time, entries }
    return entries
  }
}

/** What a value must have in common with another one to be owned alike. Undefined: nothing. */
type Form = MapForm | ListForm | { readonly type: 'hollow'; readonly plan: Plan } | SameForm | undefined

interface MapForm {
  readonly type: 'map'
  readonly keys: readonly string[]
  readonly forms: readonly Form[]
  /** What is frozen fits once and for all. */
  lastFrozen: Json | undefined
}

interface ListForm {
  readonly type: 'list'
  /** Names of keys; empty for a set of scalars. */
  readonly keys: readonly string[]
  /** Of each item its keys, or the item itself. */
  readonly ids: readonly (readonly (Json | undefined)[])[]
  readonly forms: readonly Form[]
  lastFrozen: Json | undefined
}

/** Where a field is there before the object is: equal to that, or to the value that was seen. */
interface SameForm {
  readonly type: 'same'
  readonly value: Json
  readonly isEqual: boolean
}

/** `zero` is what stood in the place before the object was created; undefined: nothing. */
function formOf(plan: Plan, value: Json, zero: Json | undefined): Form {
  if (plan.type === 'leaf')
    return zero === undefined ? undefined : { type: 'same', value: zero, isEqual: equalJson(zero, value) }
  if (plan.type === 'list' && Array.isArray(value) && value.length > 0) return listForm(plan, value)
  if (plan.type === 'map' && isObject(value) && !isHollow(value))
    return mapForm(plan, value, isObject(zero) ? zero : {})
  // A copy: rules of the kind may fill it later.
  return zero === undefined ? { type: 'hollow', plan } : { type: 'same', value: cloneJson(value), isEqual: true }
}

function mapForm(plan: MapPlan, value: JsonObject, zero: JsonObject): MapForm {
  const keys = Object.keys(value)
  const forms = keys.map((key) => {
    const child = plan.child(key)
    return child && formOf(child.plan, value[key] as Json, getOwn(zero, key))
  })
  return { type: 'map', keys, forms, lastFrozen: undefined }
}

function listForm(plan: ListPlan, items: readonly Json[]): ListForm {
  const { keys } = plan.shape
  const ids = items.map((item) => idOf(keys, item))
  return {
    type: 'list',
    keys,
    ids,
    forms: items.map((item) => formOf(plan.items, item, undefined)),
    lastFrozen: undefined,
  }
}

function sizeOf(form: Form): number {
  if (form?.type !== 'map' && form?.type !== 'list') return 1
  return form.forms.reduce((sum, each) => sum + sizeOf(each), 1)
}

function idOf(keys: readonly string[], item: Json): (Json | undefined)[] {
  return keys.length === 0 ? [item] : keys.map((key) => (isObject(item) ? getOwn(item, key) : undefined))
}

function fits(form: Form, value: Json): boolean {
  if (form === undefined) return true
  switch (form.type) {
    case 'map':
      return fitsMap(form, value)
    case 'list':
      return fitsList(form, value)
    case 'same':
      return equalJson(form.value, value) === form.isEqual
    case 'hollow':
      return form.plan.type === 'list'
        ? !(Array.isArray(value) && value.length > 0)
        : !isObject(value) || isHollow(value)
  }
}

function fitsMap(form: MapForm, value: Json): boolean {
  if (form.lastFrozen === value) return true
  if (!isObject(value)) return false
  const { keys, forms } = form
  let i = 0
  for (const key in value) {
    if (keys[i] !== key || !fits(forms[i], value[key] as Json)) return false
    i++
  }
  if (i !== keys.length) return false
  if (Object.isFrozen(value)) form.lastFrozen = value
  return true
}

function fitsList(form: ListForm, items: Json): boolean {
  if (form.lastFrozen === items) return true
  const { keys, ids, forms } = form
  if (!Array.isArray(items) || items.length !== ids.length) return false
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Json
    const id = ids[i] as readonly (Json | undefined)[]
    if (keys.length === 0) {
      if (item !== id[0]) return false
    } else {
      if (!isObject(item)) return false
      for (let k = 0; k < keys.length; k++) if (getOwn(item, keys[k] as string) !== id[k]) return false
    }
    if (!fits(forms[i], item)) return false
  }
  if (Object.isFrozen(items)) form.lastFrozen = items
  return true
}
