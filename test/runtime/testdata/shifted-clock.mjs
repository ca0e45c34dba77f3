/**
 * Preloaded with `--import`: the wall clock of the process is off by the milliseconds in the file CLOCK_FILE, which
 * another process changes while this one is stopped. With CLOCK_FENCE=wall the monotonic clock is off, too: a mutant
 * that fences writes by the wall clock.
 */
import { openSync, readSync } from 'node:fs'

const file = openSync(process.env.CLOCK_FILE, 'r')
const offset = new Float64Array(1)
const realNow = Date.now

Date.now = () => {
  readSync(file, offset, 0, 8, 0)
  return realNow() + offset[0]
}

if (process.env.CLOCK_FENCE === 'wall') {
  const start = Date.now()
  Object.defineProperty(performance, 'now', { value: () => Date.now() - start })
}
