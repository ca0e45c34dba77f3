/** Whether an informer's selectors would select an object, as the server answers it. */
import { parseFieldSelector } from '../api/field-selector.ts'
import { parseLabelSelector } from '../api/label-selector.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { SelectorOptions } from '../client/client.ts'

export type Selection = (object: Live<ApiObject>) => boolean

/** Throws for a selector that is not one. */
export function selectionOf({
  labelSelector = '',
  fieldSelector = '',
}: Pick<SelectorOptions, 'labelSelector' | 'fieldSelector'>): Selection {
  const labels = parseLabelSelector(labelSelector)
  const fields = parseFieldSelector(fieldSelector)
  if (labels.isEmpty && fields.isEmpty) return () => true
  return (object) => labels.matches(object.metadata.labels) && fields.matches((field) => fieldText(object, field))
}

/** The names of selectable fields are paths, and what is absent is ''. */
function fieldText(object: unknown, path: string): string {
  let value: unknown = object
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return ''
    value = (value as Record<string, unknown>)[part]
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
