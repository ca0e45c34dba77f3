/** Waiting on the clock of an Env. */
import type { Env } from './env.ts'

/** Resolves after `ms`, or as soon as the signal aborts: check the signal afterwards. */
export function pause(env: Env, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = env.after(ms, done)
    if (signal?.aborted === true) done()
    else signal?.addEventListener('abort', done, { once: true })
  })
}
