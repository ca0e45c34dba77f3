/**
 * Items ordered by the bytes of their keys, as an array of small sorted arrays (chunks).
 *
 * A lookup is two binary searches, an insert moves at most one chunk of pointers, and a range is a walk over contiguous
 * memory. Counting a range adds up the lengths of the chunks in between: a few hundred for 150,000 keys.
 */
export interface Keyed {
  readonly key: string
}

/** Measured between 64 and 1,024: small enough to move cheaply, large enough that the list of chunks is short. */
const maxChunkKeys = 512

/** Code units from here on are surrogates or above them: there the order of UTF-16 is not that of UTF-8. */
const beyondPlain = /[\ud800-\uffff]/

export class OrderedKeys<T extends Keyed> {
  readonly #chunks: T[][] = []
  /** Until the first unusual key, JavaScript's own comparison is correct, and fast. */
  #plain = true
  /** The position that {@link OrderedKeys.#seek} found. */
  #chunk = 0
  #offset = 0

  /** Adds an item. Its key must not be present. */
  insert(item: T): void {
    if (this.#plain && beyondPlain.test(item.key)) this.#plain = false
    this.#seek(item.key)
    const chunks = this.#chunks
    if (this.#chunk === chunks.length) {
      const last = chunks[chunks.length - 1]
      if (last !== undefined && last.length < maxChunkKeys) {
        last.push(item)
      } else {
        chunks.push([item])
      }
      return
    }
    const chunk = chunks[this.#chunk] as T[]
    chunk.splice(this.#offset, 0, item)
    if (chunk.length > maxChunkKeys) chunks.splice(this.#chunk + 1, 0, chunk.splice(maxChunkKeys >> 1))
  }

  /** Removes the item with this key, if present. */
  remove(key: string): void {
    this.#seek(key)
    const chunk = this.#chunks[this.#chunk]
    if (chunk?.[this.#offset]?.key !== key) return
    chunk.splice(this.#offset, 1)
    this.#shrink(this.#chunk)
  }

  /** How many keys are >= `from` and < `end`. */
  count(from: string, end: string): number {
    this.#seek(from)
    const firstChunk = this.#chunk
    let count = -this.#offset
    this.#seek(end)
    if (this.#chunk < firstChunk) return 0
    for (let i = firstChunk; i < this.#chunk; i++) count += (this.#chunks[i] as T[]).length
    return Math.max(0, count + this.#offset)
  }

  /** Calls `visit` for the items with keys >= `from` and < `end`, in order, until it returns false. */
  each(from: string, end: string, visit: (item: T) => boolean): void {
    this.#seek(end)
    const lastChunk = this.#chunk
    const lastOffset = this.#offset
    this.#seek(from)
    let offset = this.#offset
    for (let i = this.#chunk; i <= lastChunk; i++) {
      const chunk = this.#chunks[i]
      if (chunk === undefined) return
      const stop = i === lastChunk ? lastOffset : chunk.length
      for (; offset < stop; offset++) if (!visit(chunk[offset] as T)) return
      offset = 0
    }
  }

  /** Whether key `a` comes before key `b`. */
  before(a: string, b: string): boolean {
    return this.#plain ? a < b : bytesBefore(a, b)
  }

  /** Finds the first item whose key is not before `key`. */
  #seek(key: string): void {
    const chunks = this.#chunks
    let low = 0
    let high = chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const chunk = chunks[middle] as T[]
      if (this.before((chunk[chunk.length - 1] as T).key, key)) low = middle + 1
      else high = middle
    }
    this.#chunk = low
    const chunk = chunks[low]
    low = 0
    high = chunk === undefined ? 0 : chunk.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.before(((chunk as T[])[middle] as T).key, key)) low = middle + 1
      else high = middle
    }
    this.#offset = low
  }

  /** Drops an empty chunk and merges sparse neighbours, so that many removals do not leave many tiny chunks. */
  #shrink(at: number): void {
    const chunks = this.#chunks
    const chunk = chunks[at] as T[]
    if (chunk.length === 0) {
      chunks.splice(at, 1)
      return
    }
    if (chunk.length > maxChunkKeys >> 2) return
    const next = chunks[at + 1]
    if (next === undefined || chunk.length + next.length > maxChunkKeys >> 1) return
    for (const item of next) chunk.push(item)
    chunks.splice(at + 1, 1)
  }
}

/** The order of the UTF-8 encodings, which is the order of code points. */
function bytesBefore(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length)
  for (let i = 0; i < shorter; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return weight(left) < weight(right)
  }
  return a.length < b.length
}

/** Moves surrogates, which encode the highest code points, above the rest. */
function weight(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
