/** What is known of a field set, kept on the set itself. */
import type { JsonObject } from '../../api/json.ts'
import { OnObject } from '../../api/private-mark.ts'
import type { Shape } from '../../shape/shape.ts'

class Stamp extends OnObject {
  #shape: Shape | undefined = undefined

  static has(set: JsonObject): boolean {
    return #shape in set
  }

  static shape(set: JsonObject): Shape | undefined {
    return #shape in set ? (set as unknown as Stamp).#shape : undefined
  }

  static mark(set: JsonObject): object {
    return new Stamp(set)
  }

  static put(set: JsonObject, shape: Shape): void {
    if (#shape in set) (set as unknown as Stamp).#shape = shape
  }
}

/** Whether the set was made or checked here: its texts, order and structure are as they should be. */
export function isCanonical(set: JsonObject): boolean {
  return Stamp.has(set)
}

/** Frozen sets of others are left alone; they are checked each time. */
export function markCanonical(set: JsonObject): void {
  if (!Object.isFrozen(set) && !Stamp.has(set)) Stamp.mark(set)
}

/** Whether no path of the set reaches into what is atomic in the shape. */
export function knownToFit(set: JsonObject, shape: Shape): boolean {
  return Stamp.shape(set) === shape
}

export function markFitting(set: JsonObject, shape: Shape): void {
  Stamp.put(set, shape)
}
