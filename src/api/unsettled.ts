/**
 * Objects of which upstream keeps another form than it serves: a claim without its phase, a job without the labels it
 * has by default, a custom resource with empty labels. The next write to one counts, even if it changes nothing.
 */
import { OnObject } from './private-mark.ts'

class Unsettled extends OnObject {
  readonly #mark = true

  static put(object: object): Unsettled {
    return new Unsettled(object)
  }

  static has(object: object): boolean {
    return #mark in object && object.#mark
  }
}

export function markUnsettled(object: object): void {
  if (!Unsettled.has(object)) Unsettled.put(object)
}

export function isUnsettled(object: object): boolean {
  return Unsettled.has(object)
}

/** The copy, marked if the original is. */
export function asUnsettled<T extends object>(copy: T, original: object): T {
  if (Unsettled.has(original)) markUnsettled(copy)
  return copy
}
