/** Size limits of a request body, and of a stored object (etcd's limit in upstream). */
import { getOwn, type Json } from '../../api/json.ts'
import { apiError } from '../../api/status.ts'
import { maxDepth } from '../../codec/json-text.ts'
import type { Stored } from '../storage/store.ts'

const maxBytes = 1.5 * 1024 * 1024

/** With fewer characters than this, no encoding can reach the limit. */
const worthMeasuring = maxBytes / 4

export const maxBodyBytes = 3 * 1024 * 1024

export function bodyTooLarge() {
  return apiError.tooLarge(`Request entity too large: limit is ${maxBodyBytes}`)
}

/**
 * Checks a body that is a value (sent in process) by the length of its keys and strings, which is less than that of its
 * JSON. The maximum depth is that of the JSON parser. Returns the length.
 */
export function checkBodySize(body: Json): number {
  const length = textLength(body, maxDepth)
  if (length > maxBodyBytes) throw bodyTooLarge()
  return length
}

/**
 * Checks an updated object. Returns an upper bound of its text length, to be kept with the stored version. Then only
 * the parts of the next object that are not shared with it are measured.
 */
export function checkChangedSize(object: Json, live: Stored): number {
  const most = live.textLength === undefined ? Infinity : live.textLength + addedLength(object, live.object)
  if (most < worthMeasuring) return most
  checkSize(object)
  return textLength(object)
}

/**
 * `bodyLength`: the length of the body that contained the whole object, if known. A body much smaller than the limit
 * needs no second check.
 */
export function checkSize(object: Json, bodyLength = Infinity): void {
  if (bodyLength < worthMeasuring / 2) return
  if (textLength(object) < worthMeasuring) return
  if (Buffer.byteLength(JSON.stringify(object)) > maxBytes) throw apiError.internal('etcdserver: request is too large')
}

/** The text length of all parts that are not shared with `known`. */
function addedLength(value: Json, known: Json | undefined): number {
  if (value === known) return 0
  if (typeof value !== 'object' || value === null || typeof known !== 'object' || known === null)
    return textLength(value)
  let length = 2
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++)
      length += addedLength(value[i] as Json, Array.isArray(known) ? known[i] : undefined)
    return length
  }
  for (const key in value) {
    const part = value[key] as Json
    const before = Array.isArray(known) ? undefined : getOwn(known, key)
    if (part !== before) length += key.length + addedLength(part, before)
  }
  return length
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
