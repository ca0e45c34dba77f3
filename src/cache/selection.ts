/** Whether the selectors of an informer select an object, by the same rules as the server. */
import { parseFieldSelector } from '../api/field-selector.ts'
import { parseLabelSelector } from '../api/label-selector.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { SelectorOptions } from '../client/client.ts'

export type Selection = (object: Live<ApiObject>) => boolean

/** Throws for an invalid selector. */
export function selectionOf({
  labelSelector = '',
  fieldSelector = '',
}: Pick<SelectorOptions, 'labelSelector' | 'fieldSelector'>): Selection {
  const labels = parseLabelSelector(labelSelector)
  const fields = parseFieldSelector(fieldSelector)
  if (labels.isEmpty && fields.isEmpty) return () => true
  return (object) => labels.matches(object.metadata.labels) && fields.matches((field) => fieldText(object, field))
}

/** Selectable fields are paths; an absent value is ''. */
function fieldText(object: unknown, path: string): string {
  let value: unknown = object
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return ''
    value = (value as Record<string, unknown>)[part]
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
