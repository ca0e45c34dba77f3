/**
 * Leader election by a Lease: one of several replicas works, and another takes over when it dies.
 *
 * Expected flow: `acquire` → `hold` → `release`, whatever the first two return.
 * Guarantees
 * - Whether another replica's lease has expired is measured by the own monotonic clock since its record last changed,
 *   never by comparing times that different machines wrote.
 * - {@link LeaseElection.mayWrite} is false from the moment when another replica may take over, also if this process
 *   was stopped, its event loop was blocked or its clock was set: code that checks it before each write never writes
 *   beside a new leader.
 * Assumptions: monotonic clocks run at about the same speed; the lease is not deleted.
 * Caveat: a write that was sent in time may still arrive late. See docs/reference/manager.md.
 */
import { hostname } from 'node:os'
import { isAlreadyExists, isConflict, isNotFound } from '../api/error-reasons.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import { microTime } from '../api/micro-time.ts'
import { ApiError } from '../api/status.ts'
import type { CallOptions, Client } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import { Lease } from '../schema/builtin/kinds.ts'
import type { Logger } from '../telemetry/logger.ts'

export interface LeaseOptions {
  readonly namespace: string
  readonly name: string
  /** The identity of this replica; different for each. Default: the host's name and a UUID. */
  readonly identity?: string | undefined
  /**
   * Milliseconds after which a lease that is not renewed is free. Default 15 s. Stored in whole seconds, rounded up.
   */
  readonly leaseDurationMs?: number | undefined
  /** Milliseconds without a renewal after which the leader gives up. Default 10 s. Less than the lease duration. */
  readonly renewDeadlineMs?: number | undefined
  /**
   * Milliseconds between renewals. Default 2 s. Other replicas retry slightly more often: after a graceful stop another
   * one takes over within this time.
   */
  readonly retryPeriodMs?: number | undefined
  /** Releases the lease at the end, so that another replica takes over at once. Default true. */
  readonly releaseOnStop?: boolean | undefined
}

/** With shards, all replicas work, each on the keys of the shards whose leases it holds. */
export interface ElectionOptions extends LeaseOptions {
  /**
   * The number of shards: the same for all replicas, and more than there will be replicas. At most 256. Default 0: one
   * replica works on all keys.
   */
  readonly shards?: number | undefined
}

export interface ElectionServices {
  readonly env: Env
  readonly client: Client
  readonly log: Logger
  readonly observer?: ElectionObserver | undefined
}

export interface ElectionObserver {
  /** A renewal had to read the lease first: it was not as this replica had written it. */
  slowPath?(): void
  /** Milliseconds by which a renewal was late. */
  renewalLag?(ms: number): void
}

/** The factor by which the renew deadline must exceed the retry period. */
const jitter = 1.2

type LeaseObject = Live<Lease & ApiObject>

interface Observed {
  readonly lease: LeaseObject
  /** By the monotonic clock. */
  readonly at: number
}

interface Limits {
  readonly signal?: AbortSignal
  /** By the monotonic clock. */
  readonly until: number
}

/** One moment on both clocks. */
interface Moment {
  readonly monotonic: number
  readonly wall: number
}

export class LeaseElection {
  readonly identity: string
  readonly #env: Env
  readonly #client: Client
  readonly #log: Logger
  readonly #observer: ElectionObserver
  readonly #key: { readonly namespace: string; readonly name: string }
  readonly #leaseDurationMs: number
  readonly #renewDeadlineMs: number
  readonly #retryPeriodMs: number
  readonly #callTimeoutMs: number
  readonly #releaseOnStop: boolean
  #observed: Observed | undefined
  #isLeader = false
  /** When the last successful renewal was sent. */
  #renewed: Moment = { monotonic: -Infinity, wall: -Infinity }
  /** A claim was sent, and nothing since then shows that the lease is not ours. */
  #mayHold = false

  constructor({ env, client, log, observer = {} }: ElectionServices, options: LeaseOptions) {
    const { namespace, name, leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options
    if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * jitter && retryPeriodMs > 0)) {
      throw new RangeError(
        `lease duration ${leaseDurationMs} ms, renew deadline ${renewDeadlineMs} ms, retry period ${retryPeriodMs} ` +
          `ms: each must be longer than the next, the second ${jitter} times`,
      )
    }
    this.identity = options.identity ?? `${hostname()}_${env.uuid()}`
    this.#env = env
    this.#client = client
    this.#log = log.with({ lease: `${namespace}/${name}`, identity: this.identity })
    this.#observer = observer
    this.#key = { namespace, name }
    this.#leaseDurationMs = leaseDurationMs
    this.#renewDeadlineMs = renewDeadlineMs
    this.#retryPeriodMs = retryPeriodMs
    this.#callTimeoutMs = Math.max(renewDeadlineMs / 2, 1000)
    this.#releaseOnStop = options.releaseOnStop ?? true
  }

  get isLeader(): boolean {
    return this.#isLeader
  }

  /** Whether a write sent now is still covered by the lease. */
  get mayWrite(): boolean {
    return this.#isLeader && this.#leftMs > 0 && this.#env.now() >= this.#renewed.wall
  }

  /** The holder of the lease, as far as this replica has seen; '' if there is none. */
  get holder(): string {
    return this.#observed?.lease.spec?.holderIdentity ?? ''
  }

  /** Tries until this replica leads (true) or the signal aborts (false). */
  async acquire(signal: AbortSignal): Promise<boolean> {
    this.#log.info('waiting for the lease')
    while (!signal.aborted) {
      if (await this.#tryOnce(signal, Infinity)) {
        this.#isLeader = true
        this.#log.info('holding the lease')
        return true
      }
      await pause(this.#env, this.#retryPeriodMs * (0.9 - 0.5 * this.#env.random()), signal)
    }
    return false
  }

  /** Renews until the signal aborts (true: then release) or the lease is lost (false). */
  async hold(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const due = this.#env.monotonic() + this.#retryPeriodMs
      await pause(this.#env, Math.min(this.#retryPeriodMs, this.#leftMs), signal)
      if (signal.aborted) return true
      this.#observer.renewalLag?.(Math.max(0, this.#env.monotonic() - due))
      if (this.#leftMs <= 0) break
      const isRenewed = await this.#tryOnce(signal, this.#renewed.monotonic + this.#renewDeadlineMs)
      if (signal.aborted) return true
      if (!isRenewed && (this.#leftMs <= 0 || this.#isTaken)) break
    }
    this.#isLeader = false
    this.#log.error('lost the lease', { holder: this.holder })
    return false
  }

  /**
   * Ends the leadership, and releases a lease that this replica still holds, also if the response to its claim was
   * lost. Does not fail: another replica takes over when the lease expires.
   */
  async release(): Promise<void> {
    this.#isLeader = false
    if (!this.#mayHold || !this.#releaseOnStop) return
    const until = this.#env.monotonic() + this.#callTimeoutMs
    for (;;) {
      try {
        await this.#putRelease({ until })
        return
      } catch (error) {
        if (this.#env.monotonic() >= until)
          return this.#log.warn('could not give the lease back; another copy takes over when it runs out', { error })
      }
      await pause(this.#env, Math.min(this.#retryPeriodMs / 4, until - this.#env.monotonic()))
    }
  }

  async #putRelease(limits: Limits): Promise<void> {
    const lease = await this.#read(limits)
    if (lease?.spec?.holderIdentity !== this.identity) return
    const now = microTime(this.#env.now())
    const { leaseTransitions } = lease.spec
    this.#observe(
      await this.#write(
        lease,
        {
          holderIdentity: '',
          leaseDurationSeconds: 1,
          renewTime: now,
          acquireTime: now,
          ...(leaseTransitions === undefined ? {} : { leaseTransitions }),
        },
        limits,
      ),
    )
    this.#log.info('gave the lease back')
  }

  /** Milliseconds until the leader must stop. */
  get #leftMs(): number {
    const { monotonic, wall } = this.#renewed
    // The monotonic clock cannot be set back; the other one continues while the machine sleeps. The later one counts.
    const elapsedMs = Math.max(this.#env.monotonic() - monotonic, this.#env.now() - wall)
    return this.#renewDeadlineMs - elapsedMs
  }

  get #isTaken(): boolean {
    return this.holder !== this.identity && this.holder !== ''
  }

  /** Whether the lease is ours after this attempt. Errors neither give nor end the leadership. */
  async #tryOnce(signal: AbortSignal, until: number): Promise<boolean> {
    const asked: Moment = { monotonic: this.#env.monotonic(), wall: this.#env.now() }
    try {
      const isOurs = await this.#acquireOrRenew({ signal, until })
      if (isOurs) this.#renewed = asked
      return isOurs
    } catch (error) {
      if (!signal.aborted) this.#log.warn('could not read or write the lease', { error })
      return false
    }
  }

  async #acquireOrRenew(limits: Limits): Promise<boolean> {
    // While we lead, the lease is as we wrote it last: no need to read it first.
    if (this.#isLeader && this.#observed !== undefined && this.holder === this.identity) {
      try {
        this.#observe(await this.#write(this.#observed.lease, this.#claim(this.#observed.lease), limits))
        return true
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        this.#observer.slowPath?.()
      }
    }
    const lease = await this.#read(limits)
    if (lease === undefined) {
      this.#observe(await this.#create(limits))
      return true
    }
    if (lease.metadata.resourceVersion !== this.#observed?.lease.metadata.resourceVersion) this.#observe(lease)
    if (this.#isTaken && !this.#hasRunOut()) return false
    this.#observe(await this.#write(lease, this.#claim(lease), limits))
    return true
  }

  #hasRunOut(): boolean {
    const { lease, at } = this.#observed as Observed
    return this.#env.monotonic() >= at + (lease.spec?.leaseDurationSeconds ?? 0) * 1000
  }

  #observe(lease: LeaseObject): void {
    this.#observed = { lease, at: this.#env.monotonic() }
    if (this.#isTaken) this.#mayHold = false
  }

  #claim(lease?: LeaseObject): NonNullable<Lease['spec']> {
    const now = microTime(this.#env.now())
    const isOurs = lease?.spec?.holderIdentity === this.identity
    const transitions = lease === undefined ? 0 : (lease.spec?.leaseTransitions ?? 0) + (isOurs ? 0 : 1)
    return {
      holderIdentity: this.identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      renewTime: now,
      acquireTime: isOurs ? (lease.spec.acquireTime ?? now) : now,
      leaseTransitions: transitions,
    }
  }

  async #read(limits: Limits): Promise<LeaseObject | undefined> {
    try {
      return await this.#client.get(Lease, this.#key, this.#call(limits))
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  #create(limits: Limits): Promise<LeaseObject> {
    return this.#claiming(
      this.#client.create(Lease, { metadata: { ...this.#key }, spec: this.#claim() }, this.#call(limits)),
    )
  }

  /** With the version that was read: of two concurrent claims, one gets a conflict. */
  #write(lease: LeaseObject, spec: NonNullable<Lease['spec']>, limits: Limits): Promise<LeaseObject> {
    const { resourceVersion, uid } = lease.metadata
    return this.#claiming(
      this.#client.update(Lease, { metadata: { ...this.#key, resourceVersion, uid }, spec }, this.#call(limits)),
    )
  }

  /** A timeout of 0 would mean never. */
  #call({ signal, until }: Limits): CallOptions {
    return { signal, timeoutMs: Math.max(1, Math.min(this.#callTimeoutMs, until - this.#env.monotonic())) }
  }

  async #claiming(write: Promise<LeaseObject>): Promise<LeaseObject> {
    const heldBefore = this.#mayHold
    this.#mayHold = true
    try {
      return await write
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) this.#mayHold = heldBefore
      throw error
    }
  }
}
