/**
 * Records about the parts of an object (its `spec`, its `status`): the schema by which a part was decoded, whether it
 * is valid by it, and which shape it fits. A write takes over unchanged parts by reference, and need not process a part
 * with a record again. Another schema, such as that of a changed CRD, is another value, without records.
 *
 * Expected flow: decoding creates the records of an object, validation and field tracking add to them, and the store
 * keeps them beside the version (`Stored.parts`). Records are found by the identity of their part, so that a list of
 * them can be passed on freely: a record of a part that the object does not have is never found. They only save
 * time. Every stored version has such a list, mostly of one or two records: linked records take half the
 * memory of an array.
 */
import type { Json } from './json.ts'

export interface KnownPart {
  /** The part itself. It is frozen when its object is stored; until then it is not changed. */
  readonly part: object
  /** The schema of the whole object by which the part was decoded and defaulted. */
  readonly schema: object
  isValid: boolean
  /** The shape of the whole object that the part fits. Undefined: unknown. */
  shape: object | undefined
  readonly next: KnownParts | undefined
}

/** A linked list, by its first record. */
export type KnownParts = KnownPart

/** The record of a part, from the first list or otherwise from the second one. */
export function knownPart(
  part: Json | undefined,
  parts: KnownParts | undefined,
  others?: KnownParts,
): KnownPart | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  for (let known = parts; known !== undefined; known = known.next) if (known.part === part) return known
  return others === undefined ? undefined : knownPart(part, others)
}

/**
 * The records of all parts of a fresh object that the schema has decoded and defaulted; `live`: those of the version
 * that it was made from. Undefined: it has no parts.
 */
export function decodedParts(object: object, schema: object, live: KnownParts | undefined): KnownParts | undefined {
  let parts: KnownParts | undefined
  for (const name in object) {
    const part = (object as Record<string, Json>)[name]
    if (name === 'metadata' || typeof part !== 'object' || part === null) continue
    const known = knownPart(part, live)
    parts =
      known === undefined ? { part, schema, isValid: false, shape: undefined, next: parts } : followedBy(known, parts)
  }
  return parts
}

/** The records of parts that the object has. Undefined: none. */
export function partsOf(object: object, parts?: KnownParts, others?: KnownParts): KnownParts | undefined {
  if (parts === undefined && others === undefined) return undefined
  let found: KnownParts | undefined
  for (const name in object) {
    const known = knownPart((object as Record<string, Json>)[name], parts, others)
    if (known !== undefined) found = followedBy(known, found)
  }
  return found
}

function followedBy(known: KnownPart, next: KnownParts | undefined): KnownPart {
  if (known.next === next) return known
  const { part, schema, isValid, shape } = known
  return { part, schema, isValid, shape, next }
}
