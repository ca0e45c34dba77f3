/**
 * The manager: one program with its caches, controllers, probes, metrics and lease, started and stopped in order.
 *
 * Start: caches (until they have synced, while controllers listen) → tasks and controllers of every replica → the lease
 * → workers and tasks of the leader. A replica without the lease is a warm standby: its caches have synced and its
 * queues are filled, so that it takes over at once. Stop: workers finish their current runs, which are aborted after
 * the grace period and abandoned after five seconds more → events → caches → the lease is released.
 */
import { setMaxListeners } from 'node:events'
import type { Cache } from '../cache/cache.ts'
import { createCache } from '../cache/create-cache.ts'
import type { Client } from '../client/client.ts'
import { RestClient, type RestClientOptions } from '../client/rest-client.ts'
import { Controller } from '../controller/controller.ts'
import { declareKinds } from '../controller/declared-kinds.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { tracedClient } from '../controller/traced-client.ts'
import type { Env } from '../env/env.ts'
import type { ExternalServices } from '../external/external-handle.ts'
import { externalServices, type Use } from '../external/external-user.ts'
import { pause } from '../env/pause.ts'
import { holdProcess, realEnv } from '../env/real.ts'
import { exponentialLimiter } from '../queue/limiters.ts'
import type { WorkQueue } from '../queue/queue.ts'
import { priorityQueue } from '../queue/work-queue.ts'
import { clientMetrics } from '../telemetry/client-metrics.ts'
import { controllerMetrics, type ControllerMetrics } from '../telemetry/controller-metrics.ts'
import { eventRecorder, flushAll, type EventRecorder, type QueuedEventRecorder } from '../telemetry/event-recorder.ts'
import { silentLogger, type Logger } from '../telemetry/logger.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { CacheSizes } from './cache-sizes.ts'
import { cacheTelemetry, type CacheTelemetry } from './cache-telemetry.ts'
import { cacheWithClient } from './cache-with-client.ts'
import { dryRunClient } from './dry-run.ts'
import { EventLoopLag } from './event-loop-lag.ts'
import { fencedCalls } from './fenced-calls.ts'
import { fencedTransport } from './fenced-transport.ts'
import { Probes } from './health.ts'
import { noElection, leaseLeadership, shardLeadership, type Leadership } from './leadership.ts'
import type { LeaseElection } from './lease-election.ts'
import { ManagerRun } from './manager-run.ts'
import { StillWorkingError } from './manager-errors.ts'
import type { ManagerOptions, ManagerState, Task, TaskServices } from './manager-options.ts'
import { runTask } from './task-run.ts'
import { RunHistory } from './run-history.ts'
import { addStandardChecks } from './standard-checks.ts'

export type { ManagerOptions, ManagerState, Task, TaskServices } from './manager-options.ts'

/** How long aborted work may take to end, in milliseconds. */
const abortPeriodMs = 5_000
/** How long the writing of pending events may take, in milliseconds. */
const flushPeriodMs = 5_000

export class Manager {
  readonly env: Env
  /** Reads from the server, writes only while this replica may. */
  readonly client: Client
  readonly cache: Cache
  readonly metrics: Metrics
  readonly healthz: Probes
  readonly readyz: Probes
  readonly controllers: readonly Controller[]
  /** Whether this replica may work, and on which keys. */
  readonly leadership: Leadership
  readonly election: LeaseElection | undefined
  /** Calls of external systems by what runs on every replica, such as webhooks. */
  readonly externals: ExternalServices
  /** The last runs, by the controller's name. */
  readonly history: ReadonlyMap<string, RunHistory>
  readonly #options: ManagerOptions
  readonly #log: Logger
  readonly #recorders: QueuedEventRecorder[] = []
  /** `fenced` writes only while this replica may. */
  readonly #writers: { readonly open: RestClient; readonly fenced: RestClient }
  readonly #queues: WorkQueue[]
  readonly #perController: ControllerMetrics
  readonly #lag: EventLoopLag
  readonly #sizes: CacheSizes
  readonly #telemetry: CacheTelemetry
  readonly #end = new AbortController()
  readonly #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  #state: ManagerState = 'new'
  #life: ManagerRun | undefined
  #shardTasks: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined

  constructor(options: ManagerOptions) {
    const { transport, log = silentLogger, metrics = new Metrics(), env = realEnv(), leaderElection, program } = options
    this.#options = options
    this.#log = log
    this.env = env
    this.metrics = metrics
    this.healthz = new Probes(env)
    this.readyz = new Probes(env)
    checkNames(options.controllers)

    const observer = clientMetrics(metrics)
    const onWarning = (message: string): void => log.warn('the server warns', { message })
    const settings: RestClientOptions = {
      env,
      transport,
      observer,
      onWarning,
      rateLimit: options.rateLimit,
      userAgentSuffix: program,
    }
    const open = new RestClient(settings)
    let fenced = open
    let leadership = noElection
    if (leaderElection !== undefined) {
      const client = new RestClient({
        env,
        transport,
        observer,
        userAgentSuffix: [program, 'leader-election'].filter(Boolean).join(' '),
      })
      const { shards = 0 } = leaderElection
      const services = {
        env,
        log,
        client,
        metrics,
        gained: (shard: number) => this.#gained(shard),
        givenAway: (shard: number) => this.#givenAway(shard),
      }
      leadership =
        shards === 0
          ? leaseLeadership(services, leaderElection)
          : shardLeadership(services, { ...leaderElection, shards })
      fenced = new RestClient({ ...settings, transport: fencedTransport(transport, () => leadership.mayWrite) }, open)
    }
    this.leadership = leadership
    this.election = (leadership as Partial<ReturnType<typeof leaseLeadership>>).election

    this.#telemetry = cacheTelemetry(metrics, log, options.controllers)
    this.cache = createCache({
      ...options.cache,
      env,
      client: open,
      namespaces: options.namespaces,
      observer: this.#telemetry.observer,
      // A server in this process cannot be silent.
      ...(transport.host === undefined ? { probeMs: 0 } : {}),
    })
    this.client = this.cache.tracked(fenced)
    this.#writers = { open, fenced }
    this.#lag = new EventLoopLag(env, metrics, log, options.measuresLag)
    this.#sizes = new CacheSizes(env, this.cache, log, options.cacheSize)
    declareKinds(this.cache, options.controllers)
    this.#perController = controllerMetrics(metrics)
    this.externals = externalServices(env, options.carryOut, this.#perController)
    const { carryOut } = this.externals
    this.history = new Map(options.controllers.map(({ name }) => [name, new RunHistory()]))
    this.controllers = options.controllers.map((definition) => {
      const noted = (this.history.get(definition.name) as RunHistory).noting(
        withConcurrency(definition, options.concurrency),
      )
      const client = this.#writer(isLeaderOnly(definition), definition.options.fieldManager ?? definition.name)
      const cache = cacheWithClient(
        this.cache,
        options.traces === undefined ? client : tracedClient(client, this.cache),
      )
      const events = this.#recorder(definition.name, client, this.#perController, definition.options.eventSource)
      return new Controller(noted, {
        env,
        cache,
        log,
        metrics: this.#perController,
        events,
        tracer: options.tracer,
        traces: options.traces,
        onRun: options.onRun,
        carryOut: isLeaderOnly(definition) ? fencedCalls(carryOut, () => leadership.mayWrite) : carryOut,
        share: isLeaderOnly(definition) ? leadership.share : undefined,
      })
    })
    this.#queues = this.controllers.map(({ queue }) => queue)
    addStandardChecks(this, this.#lag)
    metrics.onScrape(() => {
      this.#telemetry.measure(this.cache)
      for (const each of this.controllers) each.measure()
    })
  }

  get state(): ManagerState {
    return this.#state
  }

  /** The queues of all controllers and tasks. */
  get queues(): readonly WorkQueue[] {
    return this.#queues
  }

  /** Resolves when the workers of this replica have started. Rejects if the manager ends before. */
  whenWorking(): Promise<void> {
    if (this.#state === 'working') return Promise.resolve()
    return new Promise((resolve, reject) => {
      if (this.#state === 'stopping' || this.#state === 'ended') reject(endedError())
      else this.#waiting.push({ resolve, reject })
    })
  }

  /** Resolves when all events recorded so far have been written or dropped. */
  flush(): Promise<void> {
    return flushAll(this.#recorders)
  }

  /**
   * Runs until the signal aborts, then stops everything and resolves. If something fails, stops everything and rejects:
   * with the error of a task, a {@link CacheSyncError}, a `LeaseLostError` or a {@link StillWorkingError}.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== 'new') throw new Error('a manager runs once: make another one')
    this.#state = 'starting'
    // Without a connection nothing else would keep the process alive while it waits for the server.
    const process = holdProcess()
    const life = new ManagerRun(signal)
    this.#lag.start()
    this.#sizes.start()
    try {
      await this.#start(life)
      await life.stopped
    } catch (error) {
      life.fail(error)
    }
    await this.#stop(life).finally(() => process.release())
    if (life.failure !== undefined) throw life.failure.error
  }

  async #start(life: ManagerRun): Promise<void> {
    const { stop } = life
    if (stop.signal.aborted) return
    life.cachesRun(this.cache.run(life.cacheStop.signal))
    for (const each of this.controllers) each.start()
    await this.#synced(life)
    if (stop.signal.aborted) return
    this.#begin(life, 'always')
    this.#state = 'standby'
    this.#life = life
    if (!(await this.leadership.begin(life))) return
    if (stop.signal.aborted) return
    this.#begin(life, 'leader')
    this.#state = 'working'
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }

  #begin(life: ManagerRun, when: 'always' | 'leader'): void {
    const { stop, abort } = life
    // With shards, tasks of the leader start and stop with the first shard.
    if (when === 'always' || this.leadership.share === undefined) void this.#startTasks(life, when, stop.signal)
    for (const each of this.controllers) {
      if (isLeaderOnly(each.definition) === (when === 'leader'))
        void life.work(`controller ${each.name}`, each.work(stop.signal, abort.signal))
    }
  }

  async #startTasks(life: ManagerRun, when: 'always' | 'leader', signal: AbortSignal): Promise<void> {
    const tasks = (this.#options.tasks ?? []).filter((task) => (task.when ?? 'leader') === when)
    const around = { signal, externals: this.externals, mayWrite: () => this.leadership.mayWrite }
    await Promise.allSettled(
      tasks.map((task) => {
        const log = this.#log.with({ task: task.name })
        const services = (use: Use): TaskServices => this.#services(task, log, use)
        return life.work(`task ${task.name}`, runTask(task, { ...around, log, services }))
      }),
    )
  }

  #gained(shard: number): void {
    for (const each of this.controllers) each.resume()
    const life = this.#life
    if (shard !== 0 || life === undefined) return
    const stop = new AbortController()
    this.#shardTasks = {
      stop,
      ended: this.#startTasks(life, 'leader', AbortSignal.any([life.stop.signal, stop.signal])),
    }
  }

  /**
   * Waits until no key of the shard is being reconciled and its events are written: later there may be no right to
   * write them.
   */
  async #givenAway(shard: number): Promise<void> {
    if (shard === 0) {
      this.#shardTasks?.stop.abort()
      await this.#shardTasks?.ended
    }
    await Promise.all(
      this.controllers.map((each) => each.whenGivenAway((key) => this.leadership.share?.isOf(shard, key) ?? true)),
    )
    await this.#within(flushPeriodMs, this.flush())
  }

  /** A client for one controller or task, with its own field manager. */
  #writer(isFenced: boolean, fieldManager: string): Client {
    const client = this.cache.tracked(this.#writers[isFenced ? 'fenced' : 'open'].with({ fieldManager }))
    return dryRunClient(client, this.#options.dryRun)
  }

  #services({ name, when, fieldManager = name }: Task, log: Logger, use: Use): TaskServices {
    const { env } = this
    const client = this.#writer(when !== 'always', fieldManager)
    return {
      env,
      client,
      use,
      log,
      events: this.#recorder(name, client, this.#perController),
      createCache: (options) => createCache({ ...options, env, client }, this.cache),
      queue: () => {
        const queue = priorityQueue(env, { name, limiter: exponentialLimiter(env) })
        this.#queues.push(queue)
        return queue
      },
    }
  }

  async #synced(life: ManagerRun): Promise<void> {
    const { cacheSyncTimeoutMs = 120_000 } = this.#options
    const enough = new AbortController()
    const timer = this.env.after(cacheSyncTimeoutMs, () => enough.abort())
    const signal = AbortSignal.any([life.stop.signal, enough.signal])
    setMaxListeners(0, signal)
    try {
      await Promise.all([this.cache.whenSynced(signal), ...this.controllers.map((each) => each.whenSynced(signal))])
    } catch (error) {
      if (life.stop.signal.aborted) return
      throw this.#telemetry.syncError(this.cache, cacheSyncTimeoutMs, error)
    } finally {
      timer.cancel()
    }
  }

  async #stop(life: ManagerRun): Promise<void> {
    this.#state = 'stopping'
    for (const { reject } of this.#waiting.splice(0)) reject(endedError())
    life.stop.abort()
    const isLost = life.abort.signal.aborted
    if (!isLost) await this.#within(this.#options.gracePeriodMs ?? 30_000, life.works())
    life.abort.abort()
    await this.#within(abortPeriodMs, life.works())
    if (life.working.length > 0) life.fail(new StillWorkingError(life.working))
    for (const each of this.controllers) each.stop()
    for (const queue of this.#queues) queue.shutDown()
    if (!isLost) await this.#within(flushPeriodMs, this.flush())
    this.#end.abort()
    await this.flush()
    await life.cachesEnded()
    await life.leaseEnded()
    await this.leadership.release()
    this.#lag.stop()
    this.#sizes.stop()
    this.#state = 'ended'
    this.#log.info('stopped')
  }

  async #within(ms: number, done: Promise<unknown>): Promise<void> {
    if (ms <= 0) return
    const enough = new AbortController()
    await Promise.race([done.then(() => enough.abort()), pause(this.env, ms, enough.signal)])
  }

  #recorder(controller: string, client: Client, metrics: ControllerMetrics, component = controller): EventRecorder {
    const recorder = eventRecorder({
      env: this.env,
      client,
      component,
      instance: this.#options.instance,
      signal: this.#end.signal,
      onLost: ({ reason, message }, why, error) => {
        metrics.lostEvents.inc({ controller, why })
        if (why === 'failed') this.#log.warn('an event was not written', { controller, reason, message, error })
      },
    })
    this.#recorders.push(recorder)
    return recorder
  }
}

function checkNames(definitions: readonly ControllerDefinition[]): void {
  const names = definitions.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`two controllers are called ${twice}: give one another name with .named()`)
}

function isLeaderOnly({ options }: Pick<ControllerDefinition, 'options'>): boolean {
  return options.leaderOnly !== false
}

function withConcurrency(definition: ControllerDefinition, concurrency: number | undefined): ControllerDefinition {
  const { options } = definition
  return options.concurrency !== undefined || concurrency === undefined
    ? definition
    : { ...definition, options: { ...options, concurrency } }
}

function endedError(): Error {
  return new Error('the manager has ended before it began to work')
}
