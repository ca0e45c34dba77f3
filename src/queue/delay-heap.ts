/**
 * Entries that wait for their time, the earliest on top. An entry knows its position, so that it can move and leave.
 */
import type { Entry } from './entry.ts'

export class DelayHeap {
  readonly #entries: Entry[] = []
  #arrivals = 0

  get size(): number {
    return this.#entries.length
  }

  peek(): Entry | undefined {
    return this.#entries[0]
  }

  dueTimes(): readonly number[] {
    return this.#entries.map(({ dueAt }) => dueAt)
  }

  add(entry: Entry, dueAt: number): void {
    entry.dueAt = dueAt
    entry.heapOrder = this.#arrivals++
    entry.heapIndex = this.#entries.length
    this.#entries.push(entry)
    this.#up(entry)
  }

  /** To an earlier time. */
  advance(entry: Entry, dueAt: number): void {
    entry.dueAt = dueAt
    this.#up(entry)
  }

  remove(entry: Entry): void {
    const index = entry.heapIndex
    const last = this.#entries.pop() as Entry
    entry.heapIndex = -1
    if (last === entry) return
    this.#put(last, index)
    this.#up(last)
    this.#down(last)
  }

  clear(): Entry[] {
    const all = this.#entries.splice(0)
    for (const entry of all) entry.heapIndex = -1
    return all
  }

  #put(entry: Entry, index: number): void {
    this.#entries[index] = entry
    entry.heapIndex = index
  }

  #up(entry: Entry): void {
    while (entry.heapIndex > 0) {
      const parent = this.#entries[(entry.heapIndex - 1) >> 1] as Entry
      if (!before(entry, parent)) return
      this.#swap(entry, parent)
    }
  }

  #down(entry: Entry): void {
    for (;;) {
      const left = this.#entries[2 * entry.heapIndex + 1]
      const right = this.#entries[2 * entry.heapIndex + 2]
      const child = right !== undefined && left !== undefined && before(right, left) ? right : left
      if (child === undefined || !before(child, entry)) return
      this.#swap(child, entry)
    }
  }

  #swap(a: Entry, b: Entry): void {
    const index = a.heapIndex
    this.#put(a, b.heapIndex)
    this.#put(b, index)
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.heapOrder < b.heapOrder)
}
