/** Finds the owner of a field in managedFields. */
import type { JsonObject } from '../api/json.ts'
import type { ManagedFieldsEntry } from '../api/object.ts'
import type { FieldPath } from './apply-difference.ts'

type Entries = readonly Readonly<ManagedFieldsEntry>[]

/** A field that is owned as a whole, such as a selector, is owned with everything in it. */
export function owns(entry: Readonly<ManagedFieldsEntry> | undefined, path: FieldPath): boolean {
  let fields: JsonObject | undefined = entry?.fieldsV1
  for (const [depth, step] of path.entries()) {
    if (depth > 0 && fields !== undefined && Object.keys(fields).length === 0) return true
    fields = fields?.[step] as JsonObject | undefined
    if (fields === undefined) return false
  }
  return entry !== undefined
}

/** Whether a manager other than `manager` owns exactly this field. */
export function isOwnedByOthers(entries: Entries | undefined, path: FieldPath, manager: string): boolean {
  return othersOf(entries, manager).some((entry) => owns(entry, path))
}

/** The manager other than `manager` that wrote the field, or a parent of it, last. */
export function lastOtherOwner(entries: Entries | undefined, path: FieldPath, manager: string): string | undefined {
  const others = othersOf(entries, manager)
  for (let depth = path.length; depth > 0; depth--) {
    const owners = others.filter((entry) => owns(entry, path.slice(0, depth)))
    const last = owners.toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))[0]
    if (last !== undefined) return last.manager
  }
  return undefined
}

function othersOf(entries: Entries | undefined, manager: string): Entries {
  return (entries ?? []).filter((entry) => entry.manager !== manager && (entry.subresource ?? '') !== 'status')
}

/** `spec.template.spec.containers[web].image` */
export function fieldText(path: FieldPath): string {
  let text = ''
  for (const step of path) {
    if (step.startsWith('f:')) text += text === '' ? step.slice(2) : `.${step.slice(2)}`
    else if (step.startsWith('k:')) text += `[${Object.values(JSON.parse(step.slice(2)) as JsonObject).join(',')}]`
    else text += `[${step.slice(2)}]`
  }
  return text
}
