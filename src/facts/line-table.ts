/**
 * A JSON object with one entry per line, in the order of their names, located and parsed entry by entry. A process uses
 * a few dozen of several hundred types, and should not pay at startup for the rest or for an index. The text stays
 * outside the heap.
 */
const newLine = 0x0a
const comma = 0x2c

export class LineTable<T> {
  readonly #text: Buffer
  readonly #parsed = new Map<string, T>()

  constructor(text: Buffer) {
    this.#text = text
  }

  has(name: string): boolean {
    return this.#parsed.has(name) || this.#find(name) >= 0
  }

  get(name: string): T | undefined {
    const known = this.#parsed.get(name)
    if (known !== undefined) return known
    const start = this.#find(name)
    if (start < 0) return undefined
    let end = this.#text.indexOf(newLine, start + 1)
    if (this.#text[end - 1] === comma) end--
    const value = JSON.parse(this.#text.toString('utf8', start + name.length + 4, end)) as T
    this.#parsed.set(name, value)
    return value
  }

  /** The entry, if {@link get} has returned it before. Does not search the text. */
  parsed(name: string): T | undefined {
    return this.#parsed.get(name)
  }

  /**
   * The end of the line before an entry, or -1. Names are type names: they contain no escapes. Halves the lines, since
   * the start of a cluster looks for hundreds of names.
   */
  #find(name: string): number {
    const wanted = Buffer.from(`\n"${name}":`, 'latin1')
    let low = 0
    let high = this.#text.length - 1
    while (low < high) {
      const start = this.#text.lastIndexOf(newLine, (low + high) >> 1)
      // The first line is the brace that opens the object.
      const order = start < 0 ? -1 : compareStart(this.#text, start, wanted)
      if (order === 0) return start
      if (order > 0) high = start
      else low = this.#text.indexOf(newLine, Math.max(start + 1, low + 1))
      if (low < 0) return -1
    }
    return -1
  }

  *names(): IterableIterator<string> {
    for (const [line] of this.#text.toString().matchAll(/^"[^"]*"/gm)) yield line.slice(1, -1)
  }

  *entries(): IterableIterator<[name: string, value: T]> {
    for (const name of this.names()) yield [name, this.get(name) as T]
  }
}

function compareStart(text: Buffer, start: number, wanted: Buffer): number {
  return text.compare(wanted, 0, wanted.length, start, Math.min(start + wanted.length, text.length))
}
