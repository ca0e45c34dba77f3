/** Waiting by the Env's clock. */
import type { Env } from '../env/env.ts'

/** Resolves after `ms`, or as soon as the signal aborts. */
export function pause(ms: number, env: Env, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = env.after(ms, done)
    if (signal.aborted) done()
    else signal.addEventListener('abort', done, { once: true })
  })
}
