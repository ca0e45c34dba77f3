/**
 * What is known of the parts of an object (its `spec`, its `status`): by which schema a part was decoded, that it is
 * valid by it, and which shape it fits. A write takes over by reference what it does not change, and need not look
 * again at a part that is known. Another schema, such as that of a changed definition, is another value, of which
 * nothing is known.
 *
 * Expected flow: decoding makes the records of an object, validation and field tracking add to them, and the store
 * keeps them beside the version (`Stored.parts`). Records are found by the identity of their part, so that a list of
 * them may be handed on freely: a record of a part that the object does not have is never found. Nothing but time
 * depends on them.
 */
import type { Json } from './json.ts'

export interface KnownPart {
  /** The part itself. It is frozen when its object is stored; until then nobody changes it. */
  readonly part: object
  /** The schema of the whole object, by which the part was decoded and defaulted. */
  readonly schema: object
  isValid: boolean
  /** The shape of the whole object that the part fits. Undefined: not known. */
  shape: object | undefined
}

export type KnownParts = readonly KnownPart[]

/** The record of a part, from the first list or else from the second one. */
export function knownPart(
  part: Json | undefined,
  parts: KnownParts | undefined,
  others?: KnownParts,
): KnownPart | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  if (parts !== undefined) for (let i = 0; i < parts.length; i++) if (parts[i]?.part === part) return parts[i]
  return others === undefined ? undefined : knownPart(part, others)
}

/**
 * The records of all parts of a fresh object that the schema has decoded and defaulted; `live`: those of the version
 * that it was made from.
 */
export function decodedParts(object: object, schema: object, live: KnownParts | undefined): KnownParts {
  const parts: KnownPart[] = []
  for (const name in object) {
    const part = (object as Record<string, Json>)[name]
    if (name === 'metadata' || typeof part !== 'object' || part === null) continue
    parts.push(knownPart(part, live) ?? { part, schema, isValid: false, shape: undefined })
  }
  return parts
}

/** Of these records, those of parts that the object has. Undefined: none. */
export function partsOf(object: object, parts?: KnownParts, others?: KnownParts): KnownParts | undefined {
  if (parts === undefined && others === undefined) return undefined
  let found: KnownPart[] | undefined
  for (const name in object) {
    const known = knownPart((object as Record<string, Json>)[name], parts, others)
    if (known !== undefined) (found ??= []).push(known)
  }
  return found
}
