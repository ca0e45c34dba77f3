/** The options of a manager, and the services for the tasks that run beside its controllers. */
import type { Cache } from '../cache/cache.ts'
import type { CacheOptions } from '../cache/create-cache.ts'
import type { Client } from '../client/client.ts'
import type { RateLimitOptions } from '../client/rate-limit.ts'
import type { Transport } from '../client/transport.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { EndedRun } from '../controller/run-result.ts'
import type { Env } from '../env/env.ts'
import type { Use } from '../external/external-user.ts'
import type { CarryOut, ExternalSystem } from '../external/external.ts'
import type { TraceSink } from '../flow/trace.ts'
import type { WorkQueue } from '../queue/queue.ts'
import type { EventRecorder } from '../telemetry/event-recorder.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import type { ElectionOptions } from './lease-election.ts'
import type { ReportWrite } from './dry-run.ts'

export interface ManagerOptions {
  readonly transport: Transport
  readonly controllers: readonly ControllerDefinition[]
  /** Default: the machine's. */
  readonly env?: Env | undefined
  /** Default: silent. */
  readonly log?: Logger | undefined
  /** Default: a new registry. */
  readonly metrics?: Metrics | undefined
  /** Default: no election; this replica works at once. */
  readonly leaderElection?: ElectionOptions | undefined
  /** Namespaced kinds are cached only in these. Default: all. */
  readonly namespaces?: readonly string[] | undefined
  readonly cache?:
    | Pick<CacheOptions, 'resyncPeriodMs' | 'pageSize' | 'listTimeoutMs' | 'watchList' | 'readWaitMs'>
    | undefined
  /** Warns once about a kind with more objects than this in the cache. Default: no limit. */
  readonly cacheSize?: number | undefined
  /** For all requests except those for the lease. Default: none. */
  readonly rateLimit?: RateLimitOptions | undefined
  /** The default concurrency of controllers. Default 1. */
  readonly concurrency?: number | undefined
  /**
   * The timeout of the first lists, in milliseconds. Default 2 min; then the start fails with a {@link CacheSyncError}.
   */
  readonly cacheSyncTimeoutMs?: number | undefined
  /**
   * The grace period of current runs at the end, in milliseconds. Default 30 s; then they are aborted. 0: aborted at
   * once. Infinity: never.
   */
  readonly gracePeriodMs?: number | undefined
  /** Run beside the controllers, until their signal aborts. An error of one ends the manager. */
  readonly tasks?: readonly Task[] | undefined
  /** The reporting instance in events: this replica. Default: the controller's name. */
  readonly instance?: string | undefined
  /** Receives a trace of each reconcile: a `TraceRing` keeps the last ones. Default: none is recorded. */
  readonly traces?: TraceSink | undefined
  /** Creates a span for each reconcile. Default: none. */
  readonly tracer?: Tracer | undefined
  /** Carries out calls of external systems. Default: their implementations do. */
  readonly carryOut?: CarryOut | undefined
  /** Nothing is stored: each write of a controller or task is reported here. Default: writes are stored. */
  readonly dryRun?: ReportWrite | undefined
  /** Called when a reconcile has ended, with its result. Default: nobody is told. */
  readonly onRun?: ((run: EndedRun) => void) | undefined
  /**
   * Whether to measure how late timers fire, with one every second. Default true. Under a simulated clock none is late,
   * and each of these seconds is a stop on the way to the next thing that happens.
   */
  readonly measuresLag?: boolean | undefined
  /** Added to the user agent. */
  readonly program?: string | undefined
}

export interface Task {
  readonly name: string
  /** `always`: on every replica, when the caches have synced. `leader`: only on the leader. Default `leader`. */
  readonly when?: 'always' | 'leader' | undefined
  /** The field manager of its writes. Default: its name. */
  readonly fieldManager?: string | undefined
  /** The external systems that it calls, with `use` of its services. Default: none. */
  readonly uses?: readonly ExternalSystem[] | undefined
  /** Runs until the signal aborts. */
  readonly start: (signal: AbortSignal, services: TaskServices) => Promise<void>
}

/** The services of its manager for a task. */
export interface TaskServices {
  readonly env: Env
  /** Reads from the server. For tasks of the leader: writes only while this replica may. */
  readonly client: Client
  readonly log: Logger
  /**
   * An external system, which the task must declare by `uses`. Its calls end with the task's signal, and fail with an
   * {@link ExternalError}. For tasks of the leader: calls that may change something are made only while this replica
   * may write.
   */
  readonly use: Use
  /** With the task's name as source. */
  readonly events: EventRecorder
  /** A cache of the task's own. The manager's check whether the server responds includes it. */
  createCache(options?: Pick<CacheOptions, 'resyncPeriodMs'>): Cache
  /** A queue that the task processes. Waiting until the manager is idle includes it. */
  queue(): WorkQueue
}

/**
 * `standby`: the caches have synced; another replica has the lease. `working`: this replica leads, or there is no
 * election.
 */
export type ManagerState = 'new' | 'starting' | 'standby' | 'working' | 'stopping' | 'ended'
