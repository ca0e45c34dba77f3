/** Size limits: of a request body, and of one stored object, which upstream gets from etcd. */
import type { Json } from '../../api/json.ts'
import { apiError } from '../../api/status.ts'
import { maxDepth } from '../codec/json-text.ts'

const maxBytes = 1.5 * 1024 * 1024

/** Below this many characters of text no encoding can come near the limit. */
const worthMeasuring = maxBytes / 4

export const maxBodyBytes = 3 * 1024 * 1024

export function bodyTooLarge() {
  return apiError.tooLarge(`Request entity too large: limit is ${maxBodyBytes}`)
}

/** A body that came as a value is measured by its text, which is less than its JSON would be. Its depth is that of texts. */
export function checkBodySize(body: Json): void {
  if (textLength(body, maxDepth) > maxBodyBytes) throw bodyTooLarge()
}

/** `text` is the body that the whole object came in, where it did: one much smaller than the limit needs no second look. */
export function checkSize(object: Json, text?: unknown): void {
  if (typeof text === 'string' && text.length < worthMeasuring / 2) return
  if (textLength(object) < worthMeasuring) return
  if (Buffer.byteLength(JSON.stringify(object)) > maxBytes) throw apiError.internal('etcdserver: request is too large')
}

function textLength(value: Json, levels = Infinity): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 4
  if (levels === 0) throw apiError.badRequest('exceeded max depth')
  let length = 2
  if (Array.isArray(value)) {
    for (const item of value) length += textLength(item, levels - 1)
  } else {
    for (const key in value) length += key.length + textLength(value[key] as Json, levels - 1)
  }
  return length
}
