/**
 * The limits of warnings, which are upstream's. Code that could make more warnings than its input is long stops at
 * {@link WarningList.isFull}: what comes later would not be sent.
 */

/** The limit for all warnings, in characters. Beyond it, each is truncated, and those after the limit are dropped. */
export const maxWarningsCharacters = 4 * 1024
export const maxWarningCharacters = 256

/** Distinct warnings of one request, in order. */
export class WarningList {
  readonly #texts = new Set<string>()
  #shown = 0

  push(text: string): void {
    if (this.#texts.has(text)) return
    this.#texts.add(text)
    this.#shown += Math.min(length(text), maxWarningCharacters)
  }

  get texts(): string[] {
    return [...this.#texts]
  }

  /** Whether a client sees none of the warnings that would follow. */
  get isFull(): boolean {
    return this.#shown > maxWarningsCharacters
  }
}

/** In code points, as the limits are. */
function length(text: string): number {
  let count = 0
  for (const _ of text) if (++count === maxWarningCharacters) break
  return count
}
