/**
 * The only access to time, timers and randomness.
 * All code below `src/` takes an {@link Env}: `real.ts` uses the machine, `simulated.ts` a clock that tests advance.
 */
export interface Timer {
  cancel(): void
}

export interface Env {
  /** Milliseconds since the epoch. The clock can be set, forward or back: use it for times that others read. */
  now(): number
  /**
   * Milliseconds since some fixed moment, for measuring how long something took. This clock is never set. It continues
   * while the process is stopped, but may stand still while the machine sleeps.
   */
  monotonic(): number
  /** Runs `task` once, `ms` from now. A pending timer does not keep a real process alive. */
  after(ms: number, task: () => void): Timer
  /** A number in [0, 1). */
  random(): number
  /** A version 4 UUID. */
  uuid(): string
}

let lastSecond = Number.NaN
let lastText = ''

/** A time in Kubernetes' format: UTC, whole seconds. The last result is cached: most calls are in the same second. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
    lastSecond = second
  }
  return lastText
}
