/** Chooses the next ready key: by order of arrival, or by priority and then by order of arrival. */
import type { QueueEntry } from './entry.ts'
import { Fifo } from './fifo.ts'

export interface ReadyList {
  readonly size: number
  push(entry: QueueEntry): void
  shift(now: number): QueueEntry | undefined
  /** The priority of an entry in the list has increased. */
  raise(entry: QueueEntry): void
  depths(): ReadonlyMap<number, number>
}

export class FifoReady implements ReadyList {
  readonly #entries = new Fifo<QueueEntry>()

  get size(): number {
    return this.#entries.size
  }

  push(entry: QueueEntry): void {
    this.#entries.push(entry)
  }

  shift(): QueueEntry | undefined {
    return this.#entries.shift()
  }

  raise(): void {
    // Only the order of arrival counts.
  }

  depths(): ReadonlyMap<number, number> {
    return new Map(this.size === 0 ? [] : [[0, this.size]])
  }
}

interface Place {
  readonly entry: QueueEntry
  readonly place: number
}

class Level {
  readonly priority: number
  readonly places = new Fifo<Place>()
  /** The number of places that are not stale. */
  live = 0

  constructor(priority: number) {
    this.priority = priority
  }
}

/**
 * One FIFO list per priority. A key that has been ready for `agingMs` below priority 0 moves to the end of priority 0,
 * so that a steady stream of normal work cannot starve it.
 */
export class PriorityReady implements ReadyList {
  readonly #agingMs: number
  /** Highest priority first. */
  readonly #levels: Level[] = []
  #size = 0

  constructor(agingMs: number) {
    this.#agingMs = agingMs
  }

  get size(): number {
    return this.#size
  }

  push(entry: QueueEntry): void {
    this.#size++
    this.#append(entry, entry.priority)
  }

  raise(entry: QueueEntry): void {
    if (entry.priority > entry.level) this.#move(entry, entry.priority)
  }

  shift(now: number): QueueEntry | undefined {
    this.#age(now)
    for (let level = this.#levels[0]; level !== undefined; level = this.#levels[0]) {
      for (let at = level.places.shift(); at !== undefined; at = level.places.shift()) {
        if (at.entry.place !== at.place) continue
        level.live--
        this.#size--
        at.entry.place++
        return at.entry
      }
      this.#levels.shift()
    }
    return undefined
  }

  depths(): ReadonlyMap<number, number> {
    return new Map(this.#levels.filter(({ live }) => live > 0).map(({ priority, live }) => [priority, live]))
  }

  #age(now: number): void {
    for (let index = this.#levels.length - 1; index >= 0; index--) {
      const { priority, places } = this.#levels[index] as Level
      if (priority >= 0) return
      for (let at = places.peek(); at !== undefined; at = places.peek()) {
        const stands = at.entry.place === at.place
        if (stands && now - at.entry.readySince < this.#agingMs) break
        places.shift()
        if (stands) this.#move(at.entry, 0)
      }
    }
  }

  #move(entry: QueueEntry, priority: number): void {
    this.#level(entry.level).live--
    this.#append(entry, priority)
  }

  #append(entry: QueueEntry, priority: number): void {
    entry.level = priority
    entry.place++
    const level = this.#level(priority)
    level.places.push({ entry, place: entry.place })
    level.live++
  }

  #level(priority: number): Level {
    let index = 0
    for (; index < this.#levels.length; index++) {
      const level = this.#levels[index] as Level
      if (level.priority === priority) return level
      if (level.priority < priority) break
    }
    const level = new Level(priority)
    this.#levels.splice(index, 0, level)
    return level
  }
}
