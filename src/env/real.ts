/**
 * The machine's own clock, timers and randomness: the only file below `src/` that may touch them.
 */
import { randomFillSync } from 'node:crypto'
import type { Env, Timer } from './env.ts'

/** `setTimeout` turns longer delays (over 24.8 days) into 1 ms, so they are split into several. */
const maxTimeoutMs = 2 ** 31 - 1

class RealTimer implements Timer {
  #left: number
  readonly #task: () => void
  #handle: NodeJS.Timeout | undefined

  constructor(ms: number, task: () => void) {
    this.#left = ms
    this.#task = task
    this.#arm()
  }

  cancel(): void {
    clearTimeout(this.#handle)
    this.#handle = undefined
  }

  #arm(): void {
    const step = Math.min(this.#left, maxTimeoutMs)
    this.#left -= step
    this.#handle = setTimeout(() => this.#fire(), step)
    this.#handle.unref()
  }

  #fire(): void {
    if (this.#left > 0) {
      this.#arm()
    } else {
      this.#task()
    }
  }
}

/** Random bytes are drawn for this many ids at a time. */
const drawnIdCount = 256
const drawn = Buffer.alloc(16 * drawnIdCount)
let hex = ''
let used = 0

/**
 * Version 4. `join` creates a flat string of 36 characters. `randomUUID` returns a tree of its digits, ten times as
 * large, which every object with a uid would keep in memory.
 */
function uuid(): string {
  if (used === hex.length) {
    randomFillSync(drawn)
    for (let i = 0; i < drawn.length; i += 16) {
      drawn[i + 6] = ((drawn[i + 6] as number) & 0x0f) | 0x40
      drawn[i + 8] = ((drawn[i + 8] as number) & 0x3f) | 0x80
    }
    hex = drawn.toString('hex')
    used = 0
  }
  const i = used
  used += 32
  return [
    hex.slice(i, i + 8),
    hex.slice(i + 8, i + 12),
    hex.slice(i + 12, i + 16),
    hex.slice(i + 16, i + 20),
    hex.slice(i + 20, i + 32),
  ].join('-')
}

const shared: Env = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms: number, task: () => void): Timer => new RealTimer(ms > 0 ? Math.ceil(ms) : 0, task),
  random: () => Math.random(),
  uuid,
})

/** The machine's Env. It has no state, so all callers share one. `after(Infinity, …)` never fires. */
export function realEnv(): Env {
  return shared
}

/** Resolves after all promises that do not wait for I/O or timers have settled. */
export function afterMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Runs `task` after all promises that can settle now have settled, and before the event loop polls for I/O. */
export function onMicrotasksDone(task: () => void): void {
  process.nextTick(task)
}

/** Keeps the process alive until released. Timers of an Env do not keep it alive, nor does a lost connection. */
export function holdProcess(): { release(): void } {
  const handle = setInterval(() => undefined, maxTimeoutMs)
  return { release: () => clearInterval(handle) }
}

/**
 * Runs `task` after all input that has already arrived was read. For servers on real sockets only: no simulated clock
 * drives them.
 */
export function onEventLoopTurn(task: () => void): void {
  setImmediate(task)
}
