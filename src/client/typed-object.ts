/**
 * Adds kind and apiVersion to objects: lists of built-in kinds and metadata-only responses omit them or have others.
 */
import type { FrozenJson } from '../api/json.ts'
import type { Kind } from '../schema/kind.ts'

/** The object with its kind's apiVersion and kind. Changed in place if possible, since no other code has it yet. */
export function typedAs(kind: Kind, object: FrozenJson): FrozenJson {
  const typed = object as { apiVersion?: string; kind?: string }
  if (typed.kind !== undefined && typed.kind !== 'PartialObjectMetadata') return object
  if (Object.isFrozen(typed)) return Object.freeze({ ...typed, apiVersion: kind.apiVersion, kind: kind.kind })
  typed.apiVersion = kind.apiVersion
  typed.kind = kind.kind
  return object
}
