/** Hashes of texts for telling them apart: fast, and good enough where a rare collision does no harm. */

/** 64 bits, as two numbers. */
export type HashValue = readonly [number, number]

export function hashOf(text: string): HashValue {
  const hash = new Hash()
  hash.add(text)
  return hash.value
}

export class Hash {
  #value: HashValue = [0x811c9dc5, 0x9747b28c]

  add(text: string): void {
    let [high, low] = this.#value
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      high = Math.imul(high ^ code, 0x01000193)
      low = Math.imul(low ^ code, 0x85ebca77)
      low ^= low >>> 15
    }
    // Where a text ends makes a difference.
    high = Math.imul(high ^ text.length ^ (high >>> 16), 0xc2b2ae35)
    low = Math.imul(low ^ text.length ^ (low >>> 13), 0x27d4eb2f)
    this.#value = [high >>> 0, low >>> 0]
  }

  get value(): HashValue {
    return this.#value
  }

  get text(): string {
    return hashText(this.value)
  }
}

export function hashText([high, low]: HashValue): string {
  return `${high.toString(16).padStart(8, '0')}${low.toString(16).padStart(8, '0')}`
}
