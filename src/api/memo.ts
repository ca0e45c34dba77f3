/**
 * Memo: a small table of recent results, most recently used first. It replaces "compute again" by "compare with the
 * last few"; it never changes what is computed.
 *
 * Guarantees
 * - Bounded: the least recently used entry goes when the table is full.
 * - Visible: all memos of one name share a {@link MemoCounter}; {@link memoCounters} lists them, and `npm run bench`
 *   prints them. A memo whose hit rate is low costs more than it saves: delete it.
 *
 * The owner of a memo writes the comparison (`matches`), and adds only entries whose key and value nobody changes later.
 */

/** Counts over all memos of one name. */
export interface MemoCounter {
  readonly name: string
  /** Entries that one memo keeps at most. */
  readonly capacity: number
  instances: number
  hits: number
  misses: number
}

const counters = new Map<string, MemoCounter>()

/** A snapshot, in the order in which the memos were declared. */
export function memoCounters(): readonly MemoCounter[] {
  return [...counters.values()].map((counter) => ({ ...counter }))
}

/** What all memos of one name have in common. Declare it once, at the top of the module that owns them. */
export class MemoKind<Entry, Key> {
  readonly counter: MemoCounter
  readonly matches: (entry: Entry, key: Key) => boolean

  /** Throws when the name is taken: counts of two kinds would be one. */
  constructor(name: string, capacity: number, matches: (entry: Entry, key: Key) => boolean) {
    if (counters.has(name)) throw new Error(`there is a memo called ${name} already`)
    this.counter = { name, capacity, instances: 0, hits: 0, misses: 0 }
    this.matches = matches
    counters.set(name, this.counter)
  }
}

export class Memo<Entry, Key> {
  readonly #counter: MemoCounter
  readonly #matches: (entry: Entry, key: Key) => boolean
  readonly #entries: Entry[] = []

  constructor({ counter, matches }: MemoKind<Entry, Key>) {
    this.#counter = counter
    this.#matches = matches
    counter.instances++
  }

  get size(): number {
    return this.#entries.length
  }

  /** The entry of the key, which becomes the most recently used one. */
  find(key: Key): Entry | undefined {
    const entries = this.#entries
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as Entry
      if (!this.#matches(entry, key)) continue
      this.#counter.hits++
      for (let j = i; j > 0; j--) entries[j] = entries[j - 1] as Entry
      if (i > 0) entries[0] = entry
      return entry
    }
    this.#counter.misses++
    return undefined
  }

  /** The key of the entry must not be in the memo yet. */
  add(entry: Entry): void {
    const entries = this.#entries
    if (entries.length < this.#counter.capacity) entries.push(entry)
    for (let j = entries.length - 1; j > 0; j--) entries[j] = entries[j - 1] as Entry
    entries[0] = entry
  }
}
