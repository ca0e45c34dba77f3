/**
 * Leaves of a schema: without schemas below and without extensions. Most schemas of a large CRD are leaves, so that
 * walks that look for a dozen keywords skip them.
 */
import type { JsonObject } from '../api/json.ts'

const valueKeywords: ReadonlySet<string> = new Set([
  'default',
  'description',
  'enum',
  'example',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxLength',
  'maximum',
  'minLength',
  'minimum',
  'multipleOf',
  'nullable',
  'pattern',
  'title',
  'type',
])

/** Whether the schema has only keywords about its own value. */
export function isLeaf(schema: JsonObject): boolean {
  for (const keyword in schema) if (!valueKeywords.has(keyword)) return false
  return true
}
