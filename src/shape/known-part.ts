/**
 * What is known of a part of an object (its `spec`, its `status`), kept on the part itself: by which schema it was
 * decoded, that it is valid by it, and which shape it fits. A write takes over by reference what it does not change,
 * and whoever walks the object need not look again at what is known. Another schema, such as that of a changed
 * definition, is another value, of which nothing is known.
 *
 * A part is marked while it is fresh, and frozen when it is stored; who makes another part of it must not mark that
 * without a look.
 */
import type { Json } from '../api/json.ts'
import { OnObject } from '../api/private-mark.ts'

class Known extends OnObject {
  readonly #schema: object
  #valid = false
  #shape: object | undefined = undefined

  constructor(part: object, schema: object) {
    super(part)
    this.#schema = schema
  }

  /** What is known already stays. */
  static put(part: object, schema: object): object {
    return #schema in part ? part : new Known(part, schema)
  }

  static isDecoded(part: object, schema: object): boolean {
    return #schema in part && part.#schema === schema
  }

  static isValid(part: object, schema: object): boolean {
    return #schema in part && part.#valid && part.#schema === schema
  }

  static setValid(part: object, schema: object): void {
    if (#schema in part && part.#schema === schema) part.#valid = true
  }

  static shape(part: object): object | undefined {
    return #schema in part ? part.#shape : undefined
  }

  static setShape(part: object, shape: object): void {
    if (#schema in part) part.#shape = shape
  }
}

type Part = Json | undefined

/** Says that the part, which is fresh, is what decoding by the schema of the whole object makes of it. */
export function markDecoded(part: Part, schema: object): void {
  if (typeof part === 'object' && part !== null) Known.put(part, schema)
}

export function isDecodedBy(part: Part, schema: object): boolean {
  return typeof part === 'object' && part !== null && Known.isDecoded(part, schema)
}

/** Does nothing to parts that were not decoded by the schema. */
export function markValid(part: Part, schema: object): void {
  if (typeof part === 'object' && part !== null) Known.setValid(part, schema)
}

export function isValidBy(part: Part, schema: object): boolean {
  return typeof part === 'object' && part !== null && Known.isValid(part, schema)
}

/** Of the whole object's shape. Does nothing to parts that were not decoded here. */
export function markFitting(part: Part, shape: object): void {
  if (typeof part === 'object' && part !== null) Known.setShape(part, shape)
}

export function isFitting(part: Part, shape: object): boolean {
  return typeof part === 'object' && part !== null && Known.shape(part) === shape
}
