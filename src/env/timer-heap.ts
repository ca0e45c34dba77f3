/**
 * Timers by due time, then by creation order: a binary heap.
 * A cancelled timer stays in the heap until it reaches the top, or until cancelled timers are the majority and all are
 * removed.
 */
import type { Timer } from './env.ts'

export class SimulatedTimer implements Timer {
  readonly due: number
  readonly task: () => void
  readonly #heap: TimerHeap
  /** Set by the heap. */
  sequence = 0
  state: 'new' | 'waiting' | 'cancelled' | 'taken' = 'new'

  constructor(due: number, task: () => void, heap: TimerHeap) {
    this.due = due
    this.task = task
    this.#heap = heap
  }

  cancel(): void {
    this.#heap.cancel(this)
  }
}

const sweepAbove = 64

export class TimerHeap {
  #items: SimulatedTimer[] = []
  #cancelled = 0
  #sequence = 0

  get size(): number {
    return this.#items.length - this.#cancelled
  }

  add(timer: SimulatedTimer): void {
    timer.sequence = ++this.#sequence
    timer.state = 'waiting'
    this.#items.push(timer)
    this.#up(this.#items.length - 1)
  }

  peek(): SimulatedTimer | undefined {
    while (this.#items[0]?.state === 'cancelled') {
      this.#removeFirst()
      this.#cancelled--
    }
    return this.#items[0]
  }

  take(): SimulatedTimer | undefined {
    const timer = this.peek()
    if (timer) {
      timer.state = 'taken'
      this.#removeFirst()
    }
    return timer
  }

  cancel(timer: SimulatedTimer): void {
    if (timer.state !== 'waiting') return
    timer.state = 'cancelled'
    this.#cancelled++
    if (this.#items.length > sweepAbove && this.#cancelled * 2 > this.#items.length) this.#sweep()
  }

  #sweep(): void {
    // A list sorted by due time is a valid heap.
    this.#items = this.#items.filter((timer) => timer.state === 'waiting').sort(compare)
    this.#cancelled = 0
  }

  #removeFirst(): void {
    const last = this.#items.pop()
    if (last && this.#items.length > 0) {
      this.#items[0] = last
      this.#down()
    }
  }

  #up(from: number): void {
    const items = this.#items
    const moving = items[from] as SimulatedTimer
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent] as SimulatedTimer
      if (compare(above, moving) <= 0) break
      items[at] = above
      at = parent
    }
    items[at] = moving
  }

  #down(): void {
    const items = this.#items
    const moving = items[0] as SimulatedTimer
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      const right = items[child + 1]
      if (right && compare(right, items[child] as SimulatedTimer) < 0) child++
      const below = items[child] as SimulatedTimer
      if (compare(moving, below) <= 0) break
      items[at] = below
      at = child
    }
    items[at] = moving
  }
}

function compare(a: SimulatedTimer, b: SimulatedTimer): number {
  return a.due - b.due || a.sequence - b.sequence
}
