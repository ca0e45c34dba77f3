/** Hashes in discovery: of documents, and of storage versions. */
import { createHash } from 'node:crypto'
import type { GroupVersionKind } from '../../api/object.ts'

/** SHA-512 in upper-case hex: upstream's ETag (without its quotes) and OpenAPI hash. */
export function contentHash(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase()
}

/** Eight bytes that change with the storage version of a resource, so that clients notice. */
export function storageVersionHash(stored: GroupVersionKind): string {
  const digest = createHash('sha256').update(`${stored.group}/${stored.version}/${stored.kind}`).digest()
  return digest.subarray(0, 8).toString('base64')
}
