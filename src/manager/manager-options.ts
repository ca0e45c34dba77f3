/** What a manager is made of, and what it gives to the tasks that run beside its controllers. */
import type { CacheOptions } from '../cache/create-cache.ts'
import type { Client } from '../client/client.ts'
import type { RateLimitOptions } from '../client/rate-limit.ts'
import type { Transport } from '../client/transport.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { Env } from '../env/env.ts'
import type { TraceSink } from '../flow/trace.ts'
import type { WorkQueue } from '../queue/queue.ts'
import type { EventRecorder } from '../telemetry/event-recorder.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import type { ElectionOptions } from './lease-election.ts'

export interface ManagerOptions {
  readonly transport: Transport
  readonly controllers: readonly ControllerDefinition[]
  /** Default: the machine's. */
  readonly env?: Env | undefined
  /** Default: silent. */
  readonly log?: Logger | undefined
  /** Default: a registry of its own. */
  readonly metrics?: Metrics | undefined
  /** Default: no election; this copy works at once. */
  readonly leaderElection?: ElectionOptions | undefined
  /** Namespaced kinds are cached in these only. Default: all. */
  readonly namespaces?: readonly string[] | undefined
  readonly cache?:
    | Pick<CacheOptions, 'resyncPeriodMs' | 'pageSize' | 'listTimeoutMs' | 'watchList' | 'readWaitMs'>
    | undefined
  /** A kind with more objects than this in the cache is warned of, once. Default: no limit. */
  readonly cacheSize?: number | undefined
  /** Of all requests but those for the lease. Default: none. */
  readonly rateLimit?: RateLimitOptions | undefined
  /** Keys worked on at the same time by each controller that does not say. Default 1. */
  readonly concurrency?: number | undefined
  /** Milliseconds for the first lists. Default 2 min; then the start fails with a {@link CacheSyncError}. */
  readonly cacheSyncTimeoutMs?: number | undefined
  /**
   * Milliseconds for runs in hand at the end. Default 30 s; then they are aborted. 0: aborted at once. Infinity: never.
   */
  readonly gracePeriodMs?: number | undefined
  /** Run beside the controllers, until their signal aborts. What one throws ends the manager. */
  readonly tasks?: readonly Task[] | undefined
  /** Named in events: this copy of the program. Default: the controller's name. */
  readonly instance?: string | undefined
  /** Gets a trace of each reconcile: a `TraceRing` keeps the last ones. Default: none is made. */
  readonly traces?: TraceSink | undefined
  /** Gets a span for each reconcile. Default: none. */
  readonly tracer?: Tracer | undefined
  /** Added to the user agent. */
  readonly program?: string | undefined
}

export interface Task {
  readonly name: string
  /** `always`: on every copy, once the caches have synced. `leader`: only on the leader. Default `leader`. */
  readonly when?: 'always' | 'leader' | undefined
  /** The field manager of its writes. Default: its name. */
  readonly fieldManager?: string | undefined
  /** Runs until the signal aborts. */
  readonly start: (signal: AbortSignal, services: TaskServices) => Promise<void>
}

/** What a task has of its manager. */
export interface TaskServices {
  readonly env: Env
  /** Reads from the server. Of a task of the leader: writes only while this copy may. */
  readonly client: Client
  readonly log: Logger
  /** Under the task's name. */
  readonly events: EventRecorder
  /** A queue that the task works off. Who waits until the manager has nothing left to do looks at it, too. */
  queue(): WorkQueue
}

/** `standby`: the caches are full; another copy has the lease. `working`: this copy leads, or there is no election. */
export type ManagerState = 'new' | 'starting' | 'standby' | 'working' | 'stopping' | 'ended'
