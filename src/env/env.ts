/**
 * The seam: the only way to time, timers and randomness.
 * Everything below `src/` takes an {@link Env}; `real.ts` is the machine's, `simulated.ts` a clock that a test turns.
 */
export interface Timer {
  cancel(): void
}

export interface Env {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `task` once, `ms` from now. A pending timer does not keep a real process alive. */
  after(ms: number, task: () => void): Timer
  /** A number in [0, 1). */
  random(): number
  /** A version 4 UUID. */
  uuid(): string
}

let lastSecond = Number.NaN
let lastText = ''

/** A time as Kubernetes writes it: UTC, whole seconds. The last text is kept: most calls fall into the same second. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
    lastSecond = second
  }
  return lastText
}
