/**
 * An Env with the machine's clock, accelerated: waits of minutes take seconds, even with real sockets. Tracks pending
 * timers.
 */
import type { Env } from '../../src/env/env.ts'
import { realEnv } from '../../src/env/real.ts'

export interface FastEnv extends Env {
  readonly pending: number
}

export function fastEnv(times: number): FastEnv {
  const real = realEnv()
  const start = real.now()
  const pending = new Set<object>()
  return {
    now: () => start + (real.now() - start) * times,
    monotonic: () => real.monotonic() * times,
    after(ms, task) {
      const mark = {}
      const timer = real.after(ms / times, () => {
        pending.delete(mark)
        task()
      })
      if (ms < Infinity) pending.add(mark)
      return {
        cancel() {
          pending.delete(mark)
          timer.cancel()
        },
      }
    },
    random: () => real.random(),
    uuid: () => real.uuid(),
    get pending() {
      return pending.size
    },
  }
}
