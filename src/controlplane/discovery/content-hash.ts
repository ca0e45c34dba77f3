/** The names that documents get from their content. */
import { createHash } from 'node:crypto'
import type { GroupVersionKind } from '../../api/object.ts'

/** SHA-512 in upper-case hex: upstream's ETag (without its quotes) and OpenAPI hash. */
export function contentHash(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase()
}

/** Eight bytes that tell clients when objects of a resource began to be stored in another version. */
export function storageVersionHash(stored: GroupVersionKind): string {
  const digest = createHash('sha256').update(`${stored.group}/${stored.version}/${stored.kind}`).digest()
  return digest.subarray(0, 8).toString('base64')
}
