/**
 * Advances the clock until nothing is left to do: no key is ready or processed, and every key that was delayed at the
 * time of the last write has run since, without another write.
 */
import { afterMicrotasks } from '../env/real.ts'
import type { SimulatedEnv } from '../env/simulated.ts'
import type { WorkQueue } from '../queue/queue.ts'
import { failingText, type FailingKey } from './failing-keys.ts'

export interface SettleOptions {
  /** Keys with a longer delay than this count as settled: a daily check is not pending work. Default 10 min. */
  readonly patienceMs?: number | undefined
  /** The limit of simulated time. Default 1 h. */
  readonly withinMs?: number | undefined
  /** The limit of writes. Default 100,000. */
  readonly maxWrites?: number | undefined
  /**
   * Whether keys that keep failing may wait for their retry: for tests of an operator that is meant to fail. Default
   * false: they are an error.
   */
  readonly allowFailing?: boolean | undefined
}

export interface SettleTarget {
  readonly env: SimulatedEnv
  /** The programs whose work is waited for. */
  readonly programs: readonly { readonly queues: readonly WorkQueue[] }[]
  /** Increases with every write to the server. */
  revision(): number
  /** Waits for other work in flight, such as events that are not written yet. */
  flush(): Promise<void>
  /** Keys that failed and wait for their retry. Default: not known. */
  failing?(): readonly FailingKey[]
  /** Increases with every run that is soon retried. Default: not known. */
  retries?(): number
  /** Describes a reconcile loop, if there is one. Default: not known. */
  loop?(): string | undefined
  /** Called whenever nothing is left to do at the current time. True ends the wait. Default: false. */
  isOver?(): boolean
  /**
   * Turns of the event loop after which a run that writes nothing is assumed to wait for the clock. Default 100: a
   * timer of the machine that is due at once fires in between.
   */
  readonly maxQuietTurns?: number | undefined
}

/**
 * The cluster did not settle: the message names the busy queues, the loop, or the keys that keep failing. The cause is
 * what the first of those threw.
 */
export class NotSettledError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'NotSettledError'
  }
}

/** Turns of the event loop without a change after which everything in flight has arrived. */
const minQuietTurns = 3
/** A key that is due runs in the next turn. */
const maxOverdueTurns = 100

export async function settle(
  cluster: SettleTarget,
  { patienceMs = 600_000, withinMs = 3_600_000, maxWrites = 100_000, allowFailing = false }: SettleOptions = {},
): Promise<void> {
  const { env } = cluster
  const until = env.monotonic() + withinMs
  const mostRevision = cluster.revision() + maxWrites
  const check = (time: number): void => {
    const loop = cluster.loop?.()
    if (loop !== undefined) throw new NotSettledError(loop)
    const spent =
      time > until
        ? `${withinMs / 1000} s of simulated time`
        : cluster.revision() > mostRevision
          ? `${maxWrites} writes`
          : undefined
    if (spent === undefined) return
    if (!allowFailing) checkFailing(cluster)
    throw new NotSettledError(`not at rest after ${spent}: ${busy(cluster)}`)
  }
  let progress: string | undefined
  let restUntil = 0
  let overdue = 0
  for (;;) {
    await quiet(cluster, check)
    if (cluster.isOver?.() === true) return
    const due = cluster.programs.flatMap(({ queues }) => queues.flatMap((queue) => queue.dueTimes()))
    const seen = `${cluster.revision()} ${cluster.retries?.() ?? 0}`
    if (seen !== progress) {
      progress = seen
      restUntil = Math.max(env.monotonic(), ...due.filter((time) => time - env.monotonic() <= patienceMs))
    }
    const next = Math.min(...due.filter((time) => time <= restUntil))
    if (next === Infinity) {
      check(env.monotonic())
      return allowFailing ? undefined : checkFailing(cluster)
    }
    check(next)
    overdue = next <= env.monotonic() ? overdue + 1 : 0
    if (overdue > maxOverdueTurns) throw new NotSettledError(`a key is due, and nothing runs it: ${busy(cluster)}`)
    await env.advanceAsync(Math.max(0, next - env.monotonic()))
  }
}

function checkFailing(cluster: SettleTarget): void {
  const failing = cluster.failing?.() ?? []
  if (failing.length > 0)
    throw new NotSettledError(failingText(failing, { withCode: true }), { cause: failing[0]?.error })
}

/** Until no key is ready or processed. A run may wait for the clock, which is then advanced. */
async function quiet(cluster: SettleTarget, check: (time: number) => void): Promise<void> {
  const { env, maxQuietTurns = 100 } = cluster
  const flushing = new Flushing(() => cluster.flush())
  for (let still = 0, waited = 0; still < minQuietTurns;) {
    const before = cluster.revision()
    await env.released()
    await afterMicrotasks()
    const isAtRest = cluster.programs.every(hasNoWork) && flushing.isDone()
    const hasChanged = cluster.revision() !== before
    still = isAtRest && !hasChanged ? still + 1 : 0
    waited = isAtRest || hasChanged ? 0 : waited + 1
    check(env.monotonic())
    if (waited < maxQuietTurns) continue
    waited = 0
    const next = env.nextDue ?? Infinity
    check(next)
    await env.advanceAsync(Math.max(0, next - env.monotonic()))
  }
}

function hasNoWork({ queues }: SettleTarget['programs'][number]): boolean {
  return queues.every(({ depth, processingCount }) => depth + processingCount === 0)
}

/** Waits for work in flight without blocking the loop: that work may need the clock, too. */
class Flushing {
  readonly #flush: () => Promise<void>
  #state: 'new' | 'waiting' | 'done' = 'new'

  constructor(flush: () => Promise<void>) {
    this.#flush = flush
  }

  /** Whether everything that was in flight at the last call has arrived. */
  isDone(): boolean {
    const isDone = this.#state === 'done'
    if (this.#state !== 'waiting') {
      this.#state = 'waiting'
      void this.#flush().finally(() => (this.#state = 'done'))
    }
    return isDone
  }
}

function busy({ programs }: SettleTarget): string {
  const names = programs
    .flatMap(({ queues }) => queues)
    .filter(({ waitingCount, depth, processingCount }) => waitingCount + depth + processingCount > 0)
    .map(
      ({ name, depth, processingCount, waitingCount }) =>
        `${name} (${depth} ready, ${processingCount} in hand, ${waitingCount} waiting)`,
    )
  return names.length === 0 ? 'events are not written' : names.join(', ')
}
