/** Hashes that tell templates apart in names and labels: 32 bits, encoded with safe characters. */
import type { Json } from '../../index.ts'

/** No vowels and no digits that look like vowels, so that names contain no words. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

const offsetBasis = 0x811c9dc5
const fnvPrime = 0x01000193

/** The hash of a pod template, by FNV-1a. `collisions` changes it if a name is taken. */
export function templateHash(template: unknown, collisions: number | undefined): string {
  const text = sortedText(template as Json) + (collisions === undefined ? '' : String(collisions))
  let hash = offsetBasis
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, fnvPrime) >>> 0
  return safeText(hash)
}

/** The hash of the data of a ControllerRevision, by FNV-1: the same as that of kube-controller-manager. */
export function revisionHash(data: unknown, collisions: number | undefined): string {
  const text = sortedText(data as Json) + (collisions === undefined ? '' : String(collisions))
  let hash = offsetBasis
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, fnvPrime) ^ byte) >>> 0
  return safeText(hash)
}

function safeText(hash: number): string {
  return [...String(hash)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('')
}

const escapedByGo = /[<>&\u2028\u2029]|\\[bf]/g

/** JSON as Go writes a map: keys sorted, no spaces, HTML characters escaped. */
function sortedText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`
  if (typeof value !== 'object' || value === null) return escaped(JSON.stringify(value))
  const fields: string[] = []
  for (const key of Object.keys(value).sort()) {
    const part = value[key]
    if (part !== undefined) fields.push(`${escaped(JSON.stringify(key))}:${sortedText(part)}`)
  }
  return `{${fields.join(',')}}`
}

function escaped(json: string): string {
  return json.replace(escapedByGo, (found) => {
    const code = found === '\\b' ? 8 : found === '\\f' ? 12 : found.charCodeAt(0)
    return `\\u${code.toString(16).padStart(4, '0')}`
  })
}
