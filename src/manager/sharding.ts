/**
 * Several replicas that all work, each on a share of the keys: N shards, with one Lease each.
 *
 * Expected flow: `run` until the signals abort, then `release`.
 * Guarantees
 * - A key is reconciled by the replica that holds the lease of its shard, and by no other. What {@link LeaseElection}
 *   guarantees for one lease holds for each: code that checks {@link Sharding.mayWrite} before each write never writes
 *   beside another replica.
 * - A shard is handed over only when none of its keys is being reconciled and events about them are written.
 * - Every shard is held as long as there is a replica: shards of a replica that stops are taken at once, those of one
 *   that dies when its leases expire. A new replica gets its share.
 * Assumptions: those of {@link LeaseElection}. Replicas agree on the number of shards.
 */
import { setMaxListeners } from 'node:events'
import type { Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { electionMetrics } from './election-metrics.ts'
import { LeaseElection, type ElectionServices, type LeaseOptions } from './lease-election.ts'
import { Membership } from './membership.ts'
import { assignShards, shardOf } from './rendezvous.ts'

export interface ShardingServices extends Omit<ElectionServices, 'observer'> {
  readonly metrics: Metrics
  /** This replica has got a shard. */
  gained(shard: number): void
  /** A shard is handed over to another replica: resolves when none of its keys is being reconciled. */
  givenAway(shard: number): Promise<void>
}

/** `waiting`: for its lease. `leaving`: its keys are not taken any more; current runs finish. */
type Phase = 'waiting' | 'held' | 'leaving'

interface Shard {
  readonly number: number
  readonly election: LeaseElection
  phase: Phase
  /** Aborts the wait for the lease. */
  readonly unwanted: AbortController
  /** Aborts holding it. */
  readonly free: AbortController
  ended: Promise<void>
}

export class Sharding {
  readonly shards: number
  readonly identity: string
  readonly #env: Env
  readonly #services: ShardingServices
  readonly #options: LeaseOptions
  readonly #elections: readonly LeaseElection[]
  readonly #membership: Membership
  readonly #mine = new Map<number, Shard>()
  readonly #lost = new AbortController()

  constructor(services: ShardingServices, options: LeaseOptions & { readonly shards: number }) {
    const { env, metrics } = services
    const { shards, name, namespace, leaseDurationMs = 15_000, renewDeadlineMs = 10_000 } = options
    if (!Number.isInteger(shards) || shards < 1 || shards > 256)
      throw new RangeError(`${shards} shards: give a whole number from 1 to 256`)
    this.shards = shards
    this.#env = env
    this.#services = services
    this.#options = options
    const identity = options.identity ?? env.uuid()
    this.identity = identity
    const observed = electionMetrics(metrics)
    this.#elections = Array.from({ length: shards }, (_, shard) => {
      const lease = { ...options, name: `${name}-${shard}`, identity }
      const election: LeaseElection = new LeaseElection(
        { ...services, observer: observed(lease.name, () => election.isLeader) },
        lease,
      )
      return election
    })
    this.#membership = new Membership(services, {
      namespace,
      name,
      identity,
      leaseDurationMs,
      callTimeoutMs: Math.max(renewDeadlineMs / 2, 1000),
    })
    const held = metrics.gauge({ name: 'coxswain_shards_held', help: 'Shards that this copy holds.', labels: [] })
    metrics.onScrape(() => held.set({}, this.held.length))
  }

  /** The shards whose keys this replica processes. */
  get held(): readonly number[] {
    return [...this.#mine.values()]
      .filter(({ phase }) => phase === 'held')
      .map(({ number }) => number)
      .sort((a, b) => a - b)
  }

  holds(key: string): boolean {
    return this.#mine.get(shardOf(key, this.shards))?.phase === 'held'
  }

  /** Whether a key belongs to the shard. */
  isOf(shard: number, key: string): boolean {
    return shardOf(key, this.shards) === shard
  }

  /** Whether all leases of this replica cover a write that is sent now. */
  get mayWrite(): boolean {
    const working = [...this.#mine.values()].filter(({ phase }) => phase !== 'waiting')
    return working.length > 0 && working.every(({ election }) => election.mayWrite)
  }

  /**
   * Takes and hands over shards until `stop` aborts, then keeps its shards until `end` aborts. False if a lease was
   * lost: then nothing may be processed any more.
   */
  async run(stop: AbortSignal, end: AbortSignal): Promise<boolean> {
    const { retryPeriodMs = 2_000 } = this.#options
    const over = AbortSignal.any([stop, this.#lost.signal])
    for (const signal of [over, end, this.#lost.signal]) setMaxListeners(0, signal)
    while (!over.aborted) {
      this.#balance(assignShards(this.shards, await this.#membership.refresh(over)), over, end)
      await pause(this.#env, retryPeriodMs * (0.9 - 0.5 * this.#env.random()), over)
    }
    const ended = Promise.all([...this.#mine.values()].map((shard) => shard.ended))
    await Promise.race([ended, pause(this.#env, Infinity, this.#lost.signal)])
    return !this.#lost.signal.aborted
  }

  /** Releases the leases that this replica still holds. Does not fail. */
  async release(): Promise<void> {
    for (const { free, unwanted } of this.#mine.values()) {
      unwanted.abort()
      free.abort()
    }
    await Promise.all([...this.#mine.values()].map(({ ended }) => ended))
    await this.#membership.leave()
  }

  #balance(holders: readonly string[], over: AbortSignal, end: AbortSignal): void {
    if (over.aborted) return
    for (const [number, holder] of holders.entries()) {
      const shard = this.#mine.get(number)
      if (holder === this.identity && shard === undefined) this.#take(number, over, end)
      else if (holder !== this.identity && shard?.phase === 'waiting') shard.unwanted.abort()
      else if (holder !== this.identity && shard?.phase === 'held') void this.#give(shard)
    }
  }

  #take(number: number, over: AbortSignal, end: AbortSignal): void {
    const election = this.#elections[number] as LeaseElection
    const shard: Shard = {
      number,
      election,
      phase: 'waiting',
      unwanted: new AbortController(),
      free: new AbortController(),
      ended: Promise.resolve(),
    }
    this.#mine.set(number, shard)
    shard.ended = this.#hold(shard, over, end).finally(() => this.#mine.delete(number))
  }

  async #hold(shard: Shard, over: AbortSignal, end: AbortSignal): Promise<void> {
    const { election, unwanted, free } = shard
    if (await election.acquire(AbortSignal.any([over, unwanted.signal]))) {
      shard.phase = 'held'
      this.#services.gained(shard.number)
      const isKept = await election.hold(AbortSignal.any([end, free.signal, this.#lost.signal]))
      if (!isKept) this.#lost.abort()
    }
    await election.release()
  }

  async #give(shard: Shard): Promise<void> {
    shard.phase = 'leaving'
    this.#services.log.info('giving a shard to another copy', { shard: shard.number })
    await this.#services.givenAway(shard.number)
    shard.free.abort()
  }
}
