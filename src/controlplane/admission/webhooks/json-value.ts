/** JSON as CEL values without a schema: `dyn`. */
import type { FrozenJson } from '../../../api/json.ts'
import { listOf, type CelValue } from '../../../cel/library.ts'
import { EntryMap } from '../../../cel/values.ts'

export function jsonValue(json: FrozenJson | undefined): CelValue {
  if (json === undefined || json === null) return null
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json
  if (typeof json !== 'object') return json
  if (Array.isArray(json)) return listOf(json.map(jsonValue))
  const map = new EntryMap()
  for (const [name, value] of Object.entries(json)) if (value !== undefined) map.set(name, jsonValue(value))
  return map
}
