/**
 * Memo of the fields that the creator of an object owns. A field set contains names of fields, not their values.
 * Objects made from one template have equal sets, and a new object has the set of a recent one with the same form.
 * Within one second even the list of entries is the same value. Shared values are frozen.
 */
import {
  anything,
  differentFrom,
  equalTo,
  hasForm,
  isLarger,
  listOf,
  mapOf,
  noFields,
  noItems,
  type Form,
} from '../../api/json-form.ts'
import { deepFreeze, equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { Memo, memoCounter } from '../../api/memo.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts'
import { emptyObject, type TrackContext } from './context.ts'
import type { FieldSet } from './field-set.ts'
import { isHollow, rootTree, type FieldTree, type ListTree, type MapTree } from './field-tree.ts'
import { newOwner, Owners, writeOwners } from './owners.ts'

/** Enough for several variants that are created alternately. */
const counter = memoCounter('forms of created objects', 4)

/** Larger objects rarely have the form of another one, and are not worth comparing. */
const maxValues = 1024

/** The forms of the objects that were created of one kind. */
export class CreatedForms {
  readonly #recent = new Memo<CreatedForm>(counter)

  /** The entries of a new object, if one of the same form was created recently. */
  entriesOf(object: KubeObject, manager: string, time: string): ManagedFieldsEntry[] | undefined {
    const value = object
    const { entries } = this.#recent
    for (let i = 0; i < entries.length; i++)
      if (hasForm(value, (entries[i] as CreatedForm).form)) return this.#recent.hit(i).entries(manager, time)
    return this.#recent.miss()
  }

  /** The form of a new object before it is tracked; undefined if it is too large. */
  formOf(object: KubeObject, context: TrackContext): Form | undefined {
    const value = object
    if (isLarger(value, maxValues)) return undefined
    return mapForm(rootTree(context.shape), value, emptyObject(context))
  }

  /** Remembers that the creator of an object of this form owns these fields. */
  remember(form: Form, fields: FieldSet, { apiVersion }: TrackContext): void {
    this.#recent.add(new CreatedForm(form, fields, apiVersion))
  }
}

/** A form, and the fields that the creator of such an object owns. */
class CreatedForm {
  readonly form: Form
  readonly #fields: FieldSet
  readonly #apiVersion: string
  #last: { readonly manager: string; readonly time: string; readonly entries: ManagedFieldsEntry[] } | undefined

  constructor(form: Form, fields: FieldSet, apiVersion: string) {
    this.form = form
    this.#fields = fields
    this.#apiVersion = apiVersion
  }

  entries(manager: string, time: string): ManagedFieldsEntry[] {
    if (this.#last?.manager === manager && this.#last.time === time) return this.#last.entries
    const owner = newOwner(manager, 'Update', this.#apiVersion, '', this.#fields, time)
    const entries = deepFreeze(writeOwners(new Owners([owner])) as ManagedFieldsEntry[])
    this.#last = { manager, time, entries }
    return entries
  }
}

/** `zero` is the value in the base of a create; undefined: none. */
function formOf(tree: FieldTree, value: Json, zero: Json | undefined): Form {
  if (tree.type === 'leaf') {
    if (zero === undefined) return anything
    return equalJson(zero, value) ? equalTo(zero) : differentFrom(zero)
  }
  if (tree.type === 'list' && Array.isArray(value) && value.length > 0) return listForm(tree, value)
  if (tree.type === 'map' && isObject(value) && !isHollow(value))
    return mapForm(tree, value, isObject(zero) ? zero : {})
  if (zero !== undefined) return equalTo(value)
  return tree.type === 'list' ? noItems : noFields
}

function mapForm(tree: MapTree, value: JsonObject, zero: JsonObject): Form {
  return mapOf(value, (key, field) => {
    const child = tree.child(key)
    return child === undefined ? anything : formOf(child.tree, field, getOwn(zero, key))
  })
}

/** Items are identified by their keys, or by their value. */
function listForm(tree: ListTree, items: readonly Json[]): Form {
  const { keys } = tree.shape
  return listOf(items, (item) => {
    if (!isObject(item) || isHollow(item)) return equalTo(item)
    const { items } = tree
    return mapOf(item, (key, field) => {
      if (keys.includes(key)) return equalTo(field)
      const child = items.type === 'map' ? items.child(key) : undefined
      return child === undefined ? anything : formOf(child.tree, field, undefined)
    })
  })
}
