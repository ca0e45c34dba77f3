/**
 * Prints the patched object for the one error that shows it: the result of a patch does not fit its kind. Upstream
 * works on partly parsed JSON, so objects that the patch touched have sorted keys, and all others the order of the
 * original.
 */
import { escapeHtml } from '../../api/go-json.ts'
import { isObject, type Json } from '../../api/json.ts'

/** JSON text of `value`, with sorted keys in the objects that `isSorted` accepts. */
export function partlySortedJson(value: Json, isSorted: (value: object) => boolean): string {
  return escapeHtml(write(value, isSorted))
}

function write(value: Json, isSorted: (value: object) => boolean): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, isSorted)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value)
  if (isSorted(value)) keys.sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${write(value[key] as Json, isSorted)}`).join(',')}}`
}
