/**
 * Configurations that were applied a moment ago. Whether a configuration fits its shape, and which fields it names, is
 * said by its form: the names of its fields, the types of their values, and the keys of its lists. Who applies again
 * mostly has the same form as before, with other values: one walk then does for the check and the set.
 *
 * Forms are made of copied names and scalars: a configuration is its sender's, and may change later.
 */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { FieldSet } from './field-set.ts'
import type { MapPlan, Plan } from './plan.ts'

/** What a value must be to have the form: null, a scalar of this type, this very scalar, or a container of such. */
type Form = null | 'string' | 'number' | 'boolean' | Same | MapForm | ListForm

interface Same {
  readonly type: 'same'
  readonly value: Json
}

interface MapForm {
  readonly type: 'map'
  readonly keys: readonly string[]
  readonly forms: readonly Form[]
}

interface ListForm {
  readonly type: 'list'
  readonly forms: readonly Form[]
}

interface Configuration {
  readonly form: MapForm
  readonly fields: FieldSet
}

/** For one kind: enough for several appliers that write in turn. */
const kept = 4

/** In values. Larger ones are unlikely to come again in the same form, and not worth comparing. */
const maxSize = 512

/** The configurations of one kind. */
export class RecentConfigurations {
  readonly #recent: Configuration[] = []
  #oldest = 0

  /** What a configuration of the same form names, which fits as this one does. */
  fieldsOf(value: JsonObject): FieldSet | undefined {
    for (let i = 0; i < this.#recent.length; i++) {
      const each = this.#recent[i] as Configuration
      if (hasMapForm(value, each.form)) return each.fields
    }
    return undefined
  }

  /** `value` fits the shape of the plan and names these fields. */
  remember(plan: MapPlan, value: JsonObject, fields: FieldSet): void {
    if (!Object.isFrozen(fields)) return
    const draft: Draft = { left: maxSize }
    const form = mapForm(plan, value, draft)
    if (draft.left < 0) return
    this.#recent[this.#oldest] = { form, fields }
    this.#oldest = (this.#oldest + 1) % kept
  }
}

/** A form in the making. */
interface Draft {
  /** So many values may follow; less than none: it is not worth remembering. */
  left: number
}

function formOf(plan: Plan | undefined, value: Json, draft: Draft): Form {
  if (--draft.left < 0 || value === null) return null
  if (Array.isArray(value)) return listForm(plan, value, draft)
  if (typeof value === 'object') return mapForm(plan, value, draft)
  return typeof value as 'string' | 'number' | 'boolean'
}

/** `paths`: the fields whose values make the path of the whole. */
function mapForm(plan: Plan | undefined, value: JsonObject, draft: Draft, paths: readonly string[] = []): MapForm {
  const keys = Object.keys(value)
  const forms = keys.map((key) => {
    const field = value[key] as Json
    if (paths.includes(key)) return sameForm(field, draft)
    return formOf(plan?.type === 'map' ? plan.child(key)?.plan : undefined, field, draft)
  })
  return { type: 'map', keys, forms }
}

function listForm(plan: Plan | undefined, items: readonly Json[], draft: Draft): ListForm {
  const forms = items.map((item) => {
    if (plan?.type !== 'list') return formOf(undefined, item, draft)
    return isObject(item) ? mapForm(plan.items, item, draft, plan.shape.keys) : sameForm(item, draft)
  })
  return { type: 'list', forms }
}

function sameForm(value: Json, draft: Draft): Same {
  draft.left = typeof value === 'object' && value !== null ? -1 : draft.left - 1
  return { type: 'same', value }
}

function hasForm(value: Json, form: Form): boolean {
  if (typeof form === 'string') return typeof value === form
  if (form === null) return value === null
  switch (form.type) {
    case 'same':
      return value === form.value
    case 'map':
      return isObject(value) && hasMapForm(value, form)
    case 'list':
      return Array.isArray(value) && hasListForm(value, form)
  }
}

function hasMapForm(value: JsonObject, { keys, forms }: MapForm): boolean {
  let i = 0
  for (const key in value) {
    if (keys[i] !== key || !hasForm(value[key] as Json, forms[i] as Form)) return false
    i++
  }
  return i === keys.length
}

function hasListForm(items: readonly Json[], { forms }: ListForm): boolean {
  if (items.length !== forms.length) return false
  for (let i = 0; i < items.length; i++) if (!hasForm(items[i] as Json, forms[i] as Form)) return false
  return true
}
