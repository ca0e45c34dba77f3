/**
 * A seeded stream of random numbers: sfc32, which passes the usual statistical tests and needs four words of state.
 * Not for secrets.
 */
export class RandomStream {
  #a: number
  #b: number
  #c: number
  #counter = 1

  /** Streams with the same seed and different `purpose` are independent. */
  constructor(seed: number, purpose: number) {
    const bits = new DataView(new ArrayBuffer(8))
    bits.setFloat64(0, seed)
    this.#a = bits.getUint32(0)
    this.#b = bits.getUint32(4)
    this.#c = purpose | 0
    // The generator's author recommends 12 rounds; a few more cost nothing and separate neighbouring seeds well.
    for (let i = 0; i < 20; i++) this.word()
  }

  /** 32 random bits as an unsigned number. */
  word(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** In [0, 1), with all 53 bits that a double can hold. */
  fraction(): number {
    const high = this.word() >>> 5
    const low = this.word() >>> 6
    return (high * 2 ** 26 + low) / 2 ** 53
  }

  /** A version 4 UUID. */
  uuid(): string {
    const version = (this.word() & 0xffff0fff) | 0x4000
    const variant = (this.word() & 0x3fffffff) | 0x80000000
    const hex = hexWord(this.word()) + hexWord(version) + hexWord(variant) + hexWord(this.word())
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }
}

function hexWord(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}
