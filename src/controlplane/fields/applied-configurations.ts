/**
 * Memo of the fields that an applied configuration names. Whether a configuration fits its shape, and which fields it
 * names, depends only on its form: the names of its fields, the types of their values, and the keys of its lists. A
 * client that applies again mostly sends the same form with other values, so that one comparison replaces validation
 * and walk.
 */
import { equalTo, hasForm, isLarger, listOf, mapOf, nothing, sameType, type Form } from '../../api/json-form.ts'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { Memo, memoCounter } from '../../api/memo.ts'
import type { FieldSet } from './field-set.ts'
import type { FieldTree, MapTree } from './field-tree.ts'

interface Configuration {
  readonly form: Form
  readonly fields: FieldSet
}

/** Enough for several appliers that alternate. */
const counter = memoCounter('applied configurations', 4)

/** Larger configurations rarely repeat in the same form, and are not worth comparing. */
const maxValues = 512

/** The configurations that were applied to one kind. */
export class AppliedConfigurations {
  readonly #recent = new Memo<Configuration>(counter)

  /** The fields of a recent configuration with the same form, which was valid, so that this one is, too. */
  fieldsOf(value: JsonObject): FieldSet | undefined {
    const { entries } = this.#recent
    for (let i = 0; i < entries.length; i++)
      if (hasForm(value, (entries[i] as Configuration).form)) return this.#recent.hit(i).fields
    return this.#recent.miss()
  }

  /** `value` is valid for the shape of the tree and names these fields. */
  remember(tree: MapTree, value: JsonObject, fields: FieldSet): void {
    if (!Object.isFrozen(fields) || isLarger(value, maxValues)) return
    this.#recent.add({ form: mapForm(tree, value), fields })
  }
}

function formOf(tree: FieldTree | undefined, value: Json): Form {
  if (value === null) return equalTo(null)
  if (Array.isArray(value)) return listOf(value, (item) => itemForm(tree, item))
  return typeof value === 'object' ? mapForm(tree, value) : sameType(value)
}

/** `keys`: the key fields, whose values are part of the path. */
function mapForm(tree: FieldTree | undefined, value: JsonObject, keys: readonly string[] = []): Form {
  return mapOf(value, (key, field) => {
    if (keys.includes(key)) return isScalar(field) ? equalTo(field) : nothing
    return formOf(tree?.type === 'map' ? tree.child(key)?.tree : undefined, field)
  })
}

function itemForm(list: FieldTree | undefined, item: Json): Form {
  if (list?.type !== 'list') return formOf(undefined, item)
  return isObject(item) ? mapForm(list.items, item, list.shape.keys) : isScalar(item) ? equalTo(item) : nothing
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null
}
