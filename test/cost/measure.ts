/**
 * Measures whether the cost of a request is proportional to its size: from n to 4n, CPU time and memory may grow
 * 6-fold. Compares ratios only, of the best of several runs, so a busy machine does not matter.
 */
import { liveBytes } from '../hostile/definitions.ts'

/** `COXSWAIN_COST=long`: more input, more operations, and memory. */
export const isLong = process.env['COXSWAIN_COST'] === 'long'

/** Nothing is measured by the clock: on a busy machine a test may wait for long. */
export const timeoutMs = isLong ? 600_000 : 120_000

/** Handles a request of about `n` units; returns what it keeps alive, such as the response. */
export type Run = (n: number) => Promise<unknown>

/** `4n` may cost at most this many times as much as `n`. */
const maxGrowth = 6

/** Requests below this are cheap whatever their growth: fixed costs and noise hide it. In CPU time of this process. */
const cheapMs = 30
const cheapBytes = 8 * 1024 * 1024

const rounds = 3

async function cpuMs(run: Run, n: number): Promise<number> {
  const before = process.cpuUsage()
  await run(n)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Bytes that are alive while the response is. What lives shorter costs CPU time to allocate. */
async function keptBytes(run: Run, n: number): Promise<number> {
  const before = liveBytes()
  const kept = await run(n)
  const bytes = liveBytes() - before
  return kept === undefined ? 0 : bytes
}

/**
 * Undefined if the cost of `run` is linear up to `n`; otherwise how it grows. One run if it is cheap. A suspicion is
 * confirmed with more, where fixed costs and thresholds of the engine weigh less and a square weighs more.
 */
export async function growthProblem(run: Run, n: number): Promise<string | undefined> {
  if ((await cpuMs(run, n)) <= cheapMs) return undefined
  if ((await growth(run, n)) === undefined) return undefined
  return await growth(run, 3 * n)
}

async function growth(run: Run, n: number): Promise<string | undefined> {
  let best = { small: await cpuMs(run, Math.ceil(n / 4)), large: await cpuMs(run, n) }
  for (let round = 0; best.large > maxGrowth * best.small && best.large > cheapMs; round++) {
    if (round === rounds) {
      return `${best.small.toFixed(1)} ms of CPU time for ${n / 4}, ${best.large.toFixed(1)} for ${n}`
    }
    best = {
      small: Math.min(best.small, await cpuMs(run, Math.ceil(n / 4))),
      large: Math.min(best.large, await cpuMs(run, n)),
    }
  }
  return undefined
}

/** Same for memory. */
export async function memoryProblem(run: Run, n: number): Promise<string | undefined> {
  const large = await keptBytes(run, n)
  if (large <= cheapBytes) return undefined
  const small = await keptBytes(run, Math.ceil(n / 4))
  return large <= maxGrowth * small ? undefined : `${small} bytes for ${n / 4}, ${large} for ${n}`
}
