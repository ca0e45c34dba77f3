/**
 * The machine's own clock, timers and randomness: the only file below `src/` that may touch them.
 */
import { randomFillSync } from 'node:crypto'
import type { Env, Timer } from './env.ts'

/** `setTimeout` turns anything longer (24.8 days) into 1 ms; longer waits are made of several. */
const longestTimeout = 2 ** 31 - 1

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
    const step = Math.min(this.#left, longestTimeout)
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

/** Random bytes for so many ids at a time. */
const idsDrawn = 256
const drawn = Buffer.alloc(16 * idsDrawn)
let hex = ''
let used = 0

/**
 * Version 4. Joined, it is one piece of 36 characters to the engine; that of `randomUUID` is a tree of its digits, ten
 * times as large, which every object that has an id would keep.
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
  after: (ms: number, task: () => void): Timer => new RealTimer(ms > 0 ? Math.ceil(ms) : 0, task),
  random: () => Math.random(),
  uuid,
})

/** The real thing. It has no state, so everybody gets the same one. `after(Infinity, …)` never fires. */
export function realEnv(): Env {
  return shared
}

/** Resolves once every promise that can settle without waiting for the outside has settled. */
export function promisesSettled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Runs `task` once every promise that can settle now has settled, before anything from outside is looked at. */
export function oncePromisesRest(task: () => void): void {
  process.nextTick(task)
}

/** Keeps the process alive until it is released: the timers of an Env do not, and a connection that is lost cannot. */
export function holdProcess(): { release(): void } {
  const handle = setInterval(() => undefined, longestTimeout)
  return { release: () => clearInterval(handle) }
}

/**
 * Runs `task` once all input that is there now was read. For what serves real sockets, which no simulated clock drives.
 */
export function atEndOfTurn(task: () => void): void {
  setImmediate(task)
}
