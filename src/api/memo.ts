/**
 * Memo: a small table of recent results, most recently used first. It replaces "compute again" by "compare with the
 * last few"; it never changes what is computed.
 *
 * Guarantees
 * - Bounded: the least recently used entry goes when the table is full.
 * - Visible: all memos of one name share a {@link MemoCounter}; {@link memoCounters} lists them, and `npm run bench`
 *   prints them. A memo whose hit rate is low costs more than it saves: delete it.
 *
 * The owner of a memo compares, since only it knows how, and in a loop of its own, which the engine can compile for it:
 * it looks through {@link Memo.entries} and calls {@link Memo.hit} or {@link Memo.miss}. It adds only entries whose key
 * and value do not change later.
 */

/** Counts over all memos of one name. */
export interface MemoCounter {
  readonly name: string
  /** The maximum of entries of one memo. */
  readonly capacity: number
  instances: number
  hits: number
  misses: number
}

const counters = new Map<string, MemoCounter>()

/** A snapshot, in the order of declaration. */
export function memoCounters(): readonly MemoCounter[] {
  return [...counters.values()].map((counter) => ({ ...counter }))
}

/**
 * Declares the memos of one name; call it once, at the top level of the module that owns them. Throws if the name is
 * taken: two kinds of memos would share a counter.
 */
export function memoCounter(name: string, capacity: number): MemoCounter {
  if (counters.has(name)) throw new Error(`there is a memo called ${name} already`)
  const counter: MemoCounter = { name, capacity, instances: 0, hits: 0, misses: 0 }
  counters.set(name, counter)
  return counter
}

export class Memo<Entry> {
  readonly #counter: MemoCounter
  readonly #entries: Entry[] = []

  constructor(counter: MemoCounter) {
    this.#counter = counter
    counter.instances++
  }

  /** Most recently used first. */
  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** Makes the entry at this place the most recently used one. */
  hit(place: number): Entry {
    this.#counter.hits++
    const entry = this.#entries[place] as Entry
    if (place > 0) this.#shift(place, entry)
    return entry
  }

  /** Counts a lookup that found nothing. */
  miss(): undefined {
    this.#counter.misses++
  }

  /** Adds an entry with a new key. Removes the least recently used one if the memo is full. */
  add(entry: Entry): void {
    const entries = this.#entries
    if (entries.length < this.#counter.capacity) entries.push(entry)
    this.#shift(entries.length - 1, entry)
  }

  /** Moves an entry to the front; those before `place` move up by one. */
  #shift(place: number, entry: Entry): void {
    const entries = this.#entries
    for (let i = place; i > 0; i--) entries[i] = entries[i - 1] as Entry
    entries[0] = entry
  }
}
