/**
 * Interns texts that many objects share: image names, label values, times, types. Parsing gives each object its own
 * instance. Bounded, since texts that occur once (uids, names) would otherwise accumulate.
 */
const maxChars = 128
/** V8 itself interns shorter texts when it parses JSON. */
const minChars = 11
const maxTexts = 16_384

export class InternedText {
  #texts = new Map<string, string>()

  get size(): number {
    return this.#texts.size
  }

  of(text: string): string {
    if (text.length < minChars || text.length > maxChars) return text
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    if (this.#texts.size >= maxTexts) this.#texts = new Map()
    this.#texts.set(text, text)
    return text
  }

  /**
   * Freezes a JSON tree and shares its texts. Stops at frozen parts, which are shared already. Not recursive: a server
   * accepts objects that are nested more deeply than the stack.
   */
  freeze(tree: object): void {
    const work = [tree]
    for (let value = work.pop(); value !== undefined; value = work.pop()) {
      if (Object.isFrozen(value)) continue
      if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) {
          const item: unknown = value[i]
          if (typeof item === 'string') value[i] = this.of(item)
          else if (typeof item === 'object' && item !== null) work.push(item)
        }
      } else {
        const fields = value as Record<string, unknown>
        for (const field in fields) {
          const item = fields[field]
          if (typeof item === 'string') fields[field] = this.of(item)
          else if (typeof item === 'object' && item !== null) work.push(item)
        }
      }
      Object.freeze(value)
    }
  }
}
