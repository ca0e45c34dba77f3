/**
 * Runs until nothing is left to do: no key is ready or worked on, and every key that waited for its time at the last write
 * has run since, without another write. Time is turned on as far as that takes.
 */
import { promisesSettled } from '../env/real.ts'
import type { SimulatedEnv } from '../env/simulated.ts'
import type { WorkQueue } from '../queue/queue.ts'

export interface SettleOptions {
  /** Keys that wait longer than this, in milliseconds, are at rest: a check once a day is nothing left to do. Default 10 min. */
  readonly patience?: number | undefined
  /** Simulated milliseconds that it may take. Default 1 h. */
  readonly within?: number | undefined
  /** Writes that it may take. Default 100,000. */
  readonly writes?: number | undefined
}

export interface Settling {
  readonly env: SimulatedEnv
  /** Everything that is worked off. */
  readonly queues: readonly WorkQueue[]
  /** Grows with every write to the server. */
  revision(): number
  /** Other things in flight, as events that are not written yet. */
  flush(): Promise<void>
}

/** It did not come to rest. Says who was still busy. */
export class NotSettledError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotSettledError'
  }
}

/** Turns of the event loop without news after which everything that was under way has arrived. */
const quietTurns = 3

export async function settle(cluster: Settling, { patience = 600_000, within = 3_600_000, writes = 100_000 }: SettleOptions = {}): Promise<void> {
  const { env } = cluster
  const startedAt = env.now()
  const mostRevision = cluster.revision() + writes
  let revision: number | undefined
  let restUntil = 0
  for (;;) {
    await quiet(cluster, mostRevision)
    const due = cluster.queues.flatMap((queue) => queue.dueTimes())
    if (cluster.revision() !== revision) {
      revision = cluster.revision()
      restUntil = Math.max(env.now(), ...due.filter((time) => time - env.now() <= patience))
    }
    const next = Math.min(...due.filter((time) => time <= restUntil))
    if (next === Infinity) return
    if (next - startedAt > within) throw new NotSettledError(`not at rest after ${within / 1000} s of simulated time: ${busy(cluster.queues)}`)
    await env.advanceAsync(Math.max(0, next - env.now()))
  }
}

async function quiet(cluster: Settling, mostRevision: number): Promise<void> {
  for (let turns = 0; turns < quietTurns; turns++) {
    const before = cluster.revision()
    await cluster.flush()
    await promisesSettled()
    if (cluster.revision() !== before || cluster.queues.some(({ depth, processing }) => depth + processing > 0)) turns = -1
    if (cluster.revision() > mostRevision) throw new NotSettledError(`not at rest after ${mostRevision} writes: ${busy(cluster.queues)}`)
  }
}

function busy(queues: readonly WorkQueue[]): string {
  return queues.filter(({ waiting, depth, processing }) => waiting + depth + processing > 0)
    .map(({ name, depth, processing, waiting }) => `${name} (${depth} ready, ${processing} in hand, ${waiting} waiting)`).join(', ')
}
