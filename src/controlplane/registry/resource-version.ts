/** resourceVersion as clients give it: '' and '0' both mean none. */
import { apiError } from '../../api/status.ts'

/** The number in a resourceVersion, or upstream's complaint about it. */
export function readResourceVersion(text: string): number | string {
  if (text === '' || text === '0') return 0
  if (/^\d{1,20}$/.test(text)) return Number(text)
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`
}

/** For objects: upstream does not expect a bad one there, and fails. */
export function parseResourceVersion(text: string): number {
  const version = readResourceVersion(text)
  if (typeof version === 'string') throw apiError.internal(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`)
  return version
}
