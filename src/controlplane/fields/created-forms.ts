/**
 * What the creator of an object owns. A field set consists of the names of fields, not of their values: objects made
 * from one template have equal sets, and the set of a new object is that of a recent one whenever the two have the same
 * form. Within a second of the clock even the list of entries is the same value. What is shared is frozen.
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

/** Enough for several variants that are created in turn. */
const counter = memoCounter('forms of created objects', 4)

/** Larger objects are unlikely to have the form of another one, and not worth comparing. */
const maxValues = 1024

/** The forms in which objects of one kind were created. */
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

  /**
   * The form of an object that nothing but its form decides about, before it is tracked; undefined: it is too large.
   */
  formOf(object: KubeObject, context: TrackContext): Form | undefined {
    const value = object
    if (isLarger(value, maxValues)) return undefined
    return mapForm(rootTree(context.shape), value, emptyObject(context))
  }

  /** The creator of an object of this form owns these fields. */
  remember(form: Form, fields: FieldSet, { apiVersion }: TrackContext): void {
    this.#recent.add(new CreatedForm(form, fields, apiVersion))
  }
}

/** A form, and what the creator of an object of this form owns. */
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

/** `zero` is what stood in the place before the object was created; undefined: nothing. */
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

/** Items are known by their keys, or by their value. */
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
