/** Fields of others that a write changed or removed, found by managedFields. */
import { equalJson, isObject, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { fieldText, owns } from '../controller/field-owners.ts'

/** A field that somebody else owns, and that a write took away. */
export interface LostField {
  readonly field: string
  readonly manager: string
}

/** `managers`: the field managers of the writer, whose own fields may change. */
export function lostField(before: KubeObject, after: KubeObject, managers: ReadonlySet<string>): LostField | undefined {
  const entries = before.metadata.managedFields ?? []
  const own = entries.filter(({ manager = '' }) => managers.has(manager))
  const isOwn = (path: readonly string[]): boolean => own.some((entry) => owns(entry, path))
  for (const { manager = '', fieldsV1 } of entries) {
    // The server's own entry for fields that were there before somebody applied: their owner is not known.
    if (managers.has(manager) || manager === 'before-first-apply' || fieldsV1 === undefined) continue
    const path = firstLost(fieldsV1, before, after, [], isOwn)
    if (path !== undefined) return { field: fieldText(path), manager }
  }
  return undefined
}

function firstLost(
  fields: JsonObject,
  before: unknown,
  after: unknown,
  path: readonly string[],
  isOwn: (path: readonly string[]) => boolean,
): readonly string[] | undefined {
  for (const [step, inner] of Object.entries(fields)) {
    if (step === '.') continue
    const at = [...path, step]
    const [old, now] = [childAt(before, step), childAt(after, step)]
    if (old === undefined) continue
    // An item of a list is lost as a whole; of a map that is gone, only what was in it.
    const isItem = step.startsWith('k:') && now === undefined
    if (isItem || !isObject(inner) || Object.keys(inner).length === 0) {
      if (!equalJson(old, now) && !isOwn(at)) return at
    } else {
      const lost = firstLost(inner, old, now, at, isOwn)
      if (lost !== undefined) return lost
    }
  }
  return undefined
}

/** `f:name`, `k:{"type":"Ready"}`, `v:"item"` or `i:0` of a value. */
function childAt(value: unknown, step: string): unknown {
  const name = step.slice(2)
  if (step.startsWith('f:')) return isObject(value) ? value[name] : undefined
  if (!Array.isArray(value)) return undefined
  if (step.startsWith('i:')) return value[Number(name)] as unknown
  const wanted: unknown = JSON.parse(name)
  if (step.startsWith('v:')) return value.find((item) => equalJson(item, wanted)) as unknown
  const keys = Object.entries(wanted as JsonObject)
  return value.find((item: JsonObject) => keys.every(([key, is]) => equalJson(item[key], is))) as unknown
}
