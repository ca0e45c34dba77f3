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
 * An upper bound of the text length of an updated object, to be kept with the stored version: then only the parts of
 * the next object that are not shared with it are measured. Infinity: the object is too large.
 */
export function changedLength(object: Json, live: Stored): number {
  const most = live.textLength === undefined ? Infinity : live.textLength + addedLength(object, live.object)
  if (most < worthMeasuring) return most
  const length = textLength(object)
  return length >= worthMeasuring && exceedsStore(object) ? Infinity : length
}

/**
 * Whether a new object is too large. `bodyLength`: the length of the body that contained the whole object, if known. A
 * body much smaller than the limit needs no second check.
 */
export function isTooLarge(object: Json, bodyLength = Infinity): boolean {
  return bodyLength >= worthMeasuring / 2 && textLength(object) >= worthMeasuring && exceedsStore(object)
}

function exceedsStore(object: Json): boolean {
  return Buffer.byteLength(JSON.stringify(object)) > maxBytes
}

/** Whether the object is certainly too large. Stops at the limit: defaults may have made the object much larger. */
export function isFarTooLarge(object: Json): boolean {
  return bytesLeft(object, maxBytes) < 0
}

/** What is left of `most` bytes after the value in its shortest JSON; negative: it does not fit. */
function bytesLeft(value: Json, most: number): number {
  if (typeof value === 'string') return most - value.length - 2
  if (typeof value !== 'object' || value === null) return most - 1
  // One of the commas that are counted below does not exist.
  let left = most - 1
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = bytesLeft(value[i] as Json, left - 1)
  } else {
    for (const key in value) {
      if (left < 0) break
      left = bytesLeft(value[key] as Json, left - key.length - 4)
    }
  }
  return left
}

export function objectTooLarge() {
  return apiError.internal('etcdserver: request is too large')
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
