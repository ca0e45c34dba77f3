/**
 * Entries that wait for their due time, the earliest on top. An entry has its index, so that it can be moved and
 * removed.
 */
import type { QueueEntry } from './entry.ts'

export class DelayHeap {
  readonly #entries: QueueEntry[] = []
  #arrivals = 0

  get size(): number {
    return this.#entries.length
  }

  peek(): QueueEntry | undefined {
    return this.#entries[0]
  }

  dueTimes(): readonly number[] {
    return this.#entries.map(({ dueAt }) => dueAt)
  }

  add(entry: QueueEntry, dueAt: number): void {
    entry.dueAt = dueAt
    entry.heapOrder = this.#arrivals++
    entry.heapIndex = this.#entries.length
    this.#entries.push(entry)
    this.#up(entry)
  }

  /** Moves the entry to an earlier time. */
  advance(entry: QueueEntry, dueAt: number): void {
    entry.dueAt = dueAt
    this.#up(entry)
  }

  remove(entry: QueueEntry): void {
    const index = entry.heapIndex
    const last = this.#entries.pop() as QueueEntry
    entry.heapIndex = -1
    if (last === entry) return
    this.#put(last, index)
    this.#up(last)
    this.#down(last)
  }

  clear(): QueueEntry[] {
    const all = this.#entries.splice(0)
    for (const entry of all) entry.heapIndex = -1
    return all
  }

  #put(entry: QueueEntry, index: number): void {
    this.#entries[index] = entry
    entry.heapIndex = index
  }

  #up(entry: QueueEntry): void {
    while (entry.heapIndex > 0) {
      const parent = this.#entries[(entry.heapIndex - 1) >> 1] as QueueEntry
      if (!before(entry, parent)) return
      this.#swap(entry, parent)
    }
  }

  #down(entry: QueueEntry): void {
    for (;;) {
      const left = this.#entries[2 * entry.heapIndex + 1]
      const right = this.#entries[2 * entry.heapIndex + 2]
      const child = right !== undefined && left !== undefined && before(right, left) ? right : left
      if (child === undefined || !before(child, entry)) return
      this.#swap(child, entry)
    }
  }

  #swap(a: QueueEntry, b: QueueEntry): void {
    const index = a.heapIndex
    this.#put(a, b.heapIndex)
    this.#put(b, index)
  }
}

function before(a: QueueEntry, b: QueueEntry): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.heapOrder < b.heapOrder)
}
