/**
 * Metadata that needs no decoding: what the registry stored, and a request hands back unchanged. Most updates touch only
 * spec or status, and metadata, with its field owners, is the larger part of many objects.
 */
import type { Json, JsonObject } from '../../api/json.ts'
import { OnObject } from '../../api/private-mark.ts'

class Canonical extends OnObject {
  readonly #mark = true

  static has(metadata: object): boolean {
    return #mark in metadata && metadata.#mark
  }
}

/** Says that the metadata, which is fresh, is canonical and will be frozen, all of it. */
export function markCanonical<T extends object>(metadata: T): T {
  return new Canonical(metadata) as T
}

/** A copy whose parts may be changed, but for the entries of managedFields; undefined when the value must be decoded. */
export function copyCanonical(metadata: JsonObject): JsonObject | undefined {
  if (!Canonical.has(metadata)) return undefined
  const copy: JsonObject = { ...metadata }
  for (const name of ['labels', 'annotations'] as const) {
    if (copy[name] !== undefined) copy[name] = { ...(copy[name] as JsonObject) }
  }
  for (const name of ['ownerReferences', 'finalizers'] as const) {
    if (copy[name] !== undefined) copy[name] = [...(copy[name] as Json[])]
  }
  return copy
}
