/**
 * A controller that runs: it listens to its informers, keeps a queue of keys and works it off.
 *
 * Expected flow: `start` as soon as the caches run (also on a standby, whose queue fills up meanwhile), then `work`
 * once it may write. Workers begin only when every informer has synced and each handler has seen its initial list.
 * Guarantees: one run per key at a time; no wake-up lost; nothing that a reconcile throws ends a worker.
 */
import { isObject, type Json } from '../api/json.ts'
import { keyText, parseKey, type ApiObject } from '../api/live-object.ts'
import type { Cache, HandlerRegistration, Informer } from '../cache/cache.ts'
import { TurnTaking } from '../cache/turn-taking.ts'
import type { Env } from '../env/env.ts'
import { runInScope } from '../flow/execute.ts'
import type { TraceSink } from '../flow/trace.ts'
import { exponentialLimiter } from '../queue/limiters.ts'
import type { AddOptions, Item, QueueObserver, RateLimiter, WorkQueue } from '../queue/queue.ts'
import { priorityQueue } from '../queue/work-queue.ts'
import type { Kind } from '../schema/kind.ts'
import type { ControllerMetrics, ReconcileOutcome } from '../telemetry/controller-metrics.ts'
import type { EventRecorder } from '../telemetry/event-recorder.ts'
import type { Logger } from '../telemetry/logger.ts'
import { silentTracer, type Tracer } from '../telemetry/tracer.ts'
import { AppliedMemory } from './applied-memory.ts'
import type { ControllerDefinition } from './definition.ts'
import { Debouncer } from './debouncer.ts'
import { messageOf, ReconcileTimeoutError } from './errors.ts'
import { LoopDetector } from './loop-detector.ts'
import { OwnEchoes, type Echo } from './own-echoes.ts'
import { QueueMeter, queueObserver, type QueueRole } from './queue-metrics.ts'
import type { Requeue } from './result.ts'
import { Run, type RunServices } from './run.ts'
import { RunWatch } from './run-watch.ts'
import { SharedKeys, type KeyShare } from './shared-keys.ts'
import { listen } from './sources.ts'
import { TriggerLog, type Trigger } from './triggers.ts'
import { judge, type Verdict } from './verdict.ts'

export interface ControllerServices {
  readonly env: Env
  readonly cache: Cache
  readonly log: Logger
  readonly metrics: ControllerMetrics
  readonly events: EventRecorder
  /** Default: nothing is traced. */
  readonly tracer?: Tracer | undefined
  /** Gets a trace of each run. Default: none is made. */
  readonly traces?: TraceSink | undefined
  /** Which keys are this copy's, where several copies share them. Default: all. */
  readonly share?: KeyShare | undefined
}

/** Milliseconds at most between tries after a lost race. */
const longestRace = 1000

/** Milliseconds: a run that asks to come again within so long may go on with its own writes. */
const soon = 1000

export class Controller<T extends ApiObject = ApiObject> {
  readonly definition: ControllerDefinition<T>
  readonly queue: WorkQueue
  readonly #services: ControllerServices
  readonly #run: RunServices
  readonly #log: Logger
  readonly #observer: Required<QueueObserver>
  readonly #meter: QueueMeter
  /** Of conflicts, stale reads and waits, which are no failures and do not lengthen the key's backoff. */
  readonly #races: RateLimiter
  /** Failures of each key, in a row. */
  readonly #failures = new Map<string, number>()
  readonly #triggers = new TriggerLog()
  readonly #loops = new LoopDetector()
  readonly #debouncer: Debouncer | undefined
  /** Undefined: they run the key again. */
  readonly #echoes: OwnEchoes | undefined
  readonly #keys: SharedKeys
  #registrations: HandlerRegistration[] = []
  #stuck = 0
  #role: QueueRole = 'standby'

  constructor(definition: ControllerDefinition<T>, services: ControllerServices) {
    const { name, kind, options } = definition
    const { env, cache, metrics, events } = services
    this.definition = definition
    this.#services = services
    this.#log = services.log.with({ controller: name, controllerGroup: kind.group, controllerKind: kind.kind })
    const observes = {
      status: options.observedGeneration ?? hasObservedGeneration(kind),
      conditions: options.observedGeneration ?? true,
    }
    this.#run = { env, cache, events, metrics, memory: new AppliedMemory(), observes, unwritten: new Map() }
    this.#observer = queueObserver(metrics, name)
    this.#races = exponentialLimiter(env, { max: longestRace })
    this.queue = priorityQueue(env, {
      name,
      limiter: options.limiter ?? exponentialLimiter(env),
      observer: this.#observer,
      gathers: options.gathers,
    })
    this.#meter = new QueueMeter(metrics, this.queue)
    this.#keys = new SharedKeys(services.share, (key, priority) => this.queue.add(key, { priority }))
    if (options.debounce !== undefined)
      this.#debouncer = new Debouncer(env, options.debounce, (key, priority) => this.#keys.add(key, priority))
    if (options.rerunsAfterOwnWrite !== undefined && options.rerunsAfterOwnWrite !== true)
      this.#echoes = new OwnEchoes()
    this.#prepareMetrics()
  }

  get name(): string {
    return this.definition.name
  }

  /** Nothing is worked on or ready. Keys that wait for their time do not count. */
  get idle(): boolean {
    return this.queue.depth === 0 && this.queue.processing === 0
  }

  /** Every initial list has been handed over, and what is only read has been listed. */
  get synced(): boolean {
    return this.#registrations.length > 0 && [...this.#registrations, ...this.#readOnly()].every(({ synced }) => synced)
  }

  /** Begins to listen. The queue fills up; nothing is worked on yet. */
  start(): void {
    this.#registrations = listen(this.#services.cache, this.definition, (key, priority, why) =>
      this.#enqueue(key, priority, why),
    )
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#registrations, ...this.#readOnly()].map((each) => each.whenSynced(signal)))
  }

  /** Asks for a run from outside: a timer, a webhook, a message. */
  trigger(key: string): void {
    this.#enqueue(key, 0, { ...this.#own(key), verb: 'external', changed: [] })
  }

  /**
   * Works until `stop` aborts, then finishes what is in hand. `abort` aborts the signals of the runs themselves.
   * Resolves when the last run has ended.
   */
  async work(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    await this.whenSynced(stop).catch((error: unknown) => {
      if (!stop.aborted) throw error
    })
    this.#role = 'leader'
    const workers = Array.from({ length: this.definition.options.concurrency ?? 1 }, () => this.#worker(stop, abort))
    await Promise.all(workers)
  }

  /** Works on what has become this copy's share, too. */
  resume(): void {
    this.#keys.resume()
  }

  /** Resolves when none of these keys is in hand: they are another copy's now. */
  whenGivenAway(belongs: (key: string) => boolean): Promise<void> {
    return this.#keys.whenDone(belongs)
  }

  /** Stops listening, and drops what is queued. */
  stop(): void {
    for (const registration of this.#registrations) registration.remove()
    this.#registrations = []
    this.#debouncer?.stop()
    this.queue.shutDown()
  }

  /** Sets the gauges, before a scrape. */
  measure(): void {
    this.#meter.measure(this.#role, this.#keys.parked)
    this.#services.metrics.stuck.set({ controller: this.name }, this.#stuck)
  }

  #readOnly(): Informer<ApiObject>[] {
    return this.definition.sources
      .filter(({ type }) => type === 'read')
      .map(({ kind }) => this.#services.cache.informer(kind))
  }

  #own(key: string): Pick<Trigger, 'kind' | 'namespace' | 'name'> {
    return { kind: this.definition.kind.kind, ...parseKey(key) }
  }

  #enqueue(key: string, priority: number, why: Trigger): void {
    this.#services.metrics.triggers.inc({ controller: this.name, kind: why.kind, verb: why.verb })
    this.#triggers.add(key, why)
    if (this.#debouncer === undefined) this.#keys.add(key, priority)
    else this.#debouncer.add(key, priority)
  }

  async #worker(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    // Runs that wait for nothing but each other would keep timers and sockets waiting for ever.
    const turns = new TurnTaking(this.#services.env)
    while (!stop.aborted) {
      if (turns.isOver()) await turns.others()
      const item = this.queue.tryTake() ?? (await this.queue.take(stop))
      if (item === undefined) return
      if (this.#keys.isOurs(item.key)) await this.#keys.inHand(item.key, () => this.#work(item, abort))
      else this.#giveAway(item)
      this.queue.done(item.key)
    }
  }

  /** Another copy works on the key now. What this one knew of it is not true any more. */
  #giveAway({ key, priority }: Item): void {
    this.#forget(key)
    this.#run.memory.forget(key)
    this.#run.unwritten.delete(key)
    this.#loops.forget(key)
    this.#echoes?.forget(key)
    this.#keys.add(key, priority)
  }

  async #work({ key, priority }: Item, abort: AbortSignal): Promise<void> {
    const { env, metrics, tracer = silentTracer, traces } = this.#services
    const { kind, options } = this.definition
    const labels = { controller: this.name }
    const started = env.now()
    const triggers = this.#triggers.take(key, started)
    const echo = this.#echoes?.heard(key, triggers)
    if (echo !== undefined) return this.#restOn(echo, key, priority)
    const reconcileId = env.uuid()
    const attempt = (this.#failures.get(key) ?? 0) + 1
    const log = this.#log.with({ [kind.kind]: parseKey(key), ...parseKey(key), reconcileID: reconcileId })
    const watch = new RunWatch(env, {
      abort,
      timeout: options.reconcileTimeout,
      onStuck: (seconds) => {
        this.#stuck++
        log.warn('reconcile is still running', { key, seconds })
      },
      onUnstuck: () => this.#stuck--,
    })
    const run = new Run(this.definition, this.#run, {
      key,
      signal: watch.signal,
      abort,
      log,
      reconcileId,
      attempt,
      triggers,
    })
    const span = tracer.startSpan('reconcile', {
      controller: this.name,
      kind: kind.kind,
      key,
      reconcileId,
      attempt,
      triggers: triggers.count,
    })
    metrics.activeWorkers.add(labels, 1)
    log.debug('reconciling', { triggers: triggers.first, triggerCount: triggers.count })
    try {
      const about = { id: reconcileId, controller: this.name, kind: kind.kind, ...parseKey(key), attempt, triggers }
      const work = (): Promise<Requeue | undefined> =>
        runInScope(
          { env, signal: watch.signal, traces, about },
          (scope) => run.go(scope),
          (result) => result?.requeueAfter,
        )
      const result = await span.within(work)
      const after = this.#afterAll(key, result?.requeueAfter)
      this.#noteEchoes(key, run, result?.requeueAfter, after)
      this.#succeeded(key, priority, after)
      span.end()
    } catch (error) {
      const cause = watch.timedOut ?? error
      if (!abort.aborted) this.#threw(log, key, priority, cause)
      span.end(cause)
    } finally {
      watch.end()
      const seconds = (env.now() - started) / 1000
      metrics.activeWorkers.add(labels, -1)
      metrics.seconds.observe(labels, seconds)
      metrics.seed.seconds.observe(labels, seconds)
      this.#lookForLoop(log, key, run, triggers)
    }
  }

  /** When the key runs again: as the run has asked for, or sooner, for a status that it has left unwritten. */
  #afterAll(key: string, wish: number | undefined): number | undefined {
    const dueAt = this.#run.unwritten.get(key) ?? Infinity
    const after = Math.min(wish ?? Infinity, Math.max(1, dueAt - this.#services.env.now()))
    return after === Infinity ? undefined : after
  }

  #succeeded(key: string, priority: number, after: number | undefined): void {
    this.#forget(key)
    if (after !== undefined) this.#again(key, priority, 'requeue', { after })
    this.#count(after === undefined ? 'success' : 'requeue_after')
  }

  #noteEchoes(key: string, { isGone, ownVersions }: Run<T>, wish: number | undefined, after: number | undefined): void {
    const goesOn = this.definition.options.rerunsAfterOwnWrite === 'soon' && wish !== undefined && wish <= soon
    if (isGone || goesOn) this.#echoes?.forget(key)
    else this.#echoes?.note(key, ownVersions, after === undefined ? undefined : this.#services.env.now() + after)
  }

  /** The key waits on for the time that its last run asked for. */
  #restOn({ dueAt }: Echo, key: string, priority: number): void {
    if (dueAt !== undefined)
      this.#again(key, priority, 'requeue', { after: Math.max(1, dueAt - this.#services.env.now()) })
  }

  #threw(log: Logger, key: string, priority: number, error: unknown): void {
    this.#echoes?.forget(key)
    const failures = this.#failures.get(key) ?? 0
    const verdict = judge(error, failures, this.definition.options.maxRetries)
    this.#count(verdict.outcome)
    if (verdict.isFailure) {
      this.#failures.set(key, failures + 1)
      this.#tellFailure(log, key, error, verdict)
    } else {
      log.debug(quietly[verdict.type] ?? verdict.type, { error })
    }
    if (verdict.retry === 'never') this.#forget(key)
    else this.#retry(key, priority, verdict.retry)
  }

  #retry(key: string, priority: number, retry: 'backoff' | 'soon' | number): void {
    if (retry === 'backoff') return this.#again(key, priority, 'retry', { rateLimited: true })
    this.#observer.retried(key)
    this.#again(key, priority, 'retry', { after: retry === 'soon' ? this.#races.when(key) : retry })
  }

  #again(key: string, priority: number, verb: 'requeue' | 'retry', how: AddOptions): void {
    this.#triggers.add(key, { ...this.#own(key), verb, changed: [] }, this.#services.env.now() + (how.after ?? 0))
    this.queue.add(key, { priority, ...how })
  }

  /** The key starts afresh. */
  #forget(key: string): void {
    this.queue.forget(key)
    this.#races.forget(key)
    this.#failures.delete(key)
  }

  #tellFailure(log: Logger, key: string, error: unknown, { type, retry }: Verdict): void {
    const { metrics } = this.#services
    const labels = { controller: this.name }
    const isFinal = retry === 'never'
    metrics.errors.inc(labels)
    metrics.seed.errors.inc(labels)
    if (isFinal) metrics.terminalErrors.inc(labels)
    if (type === 'bug') metrics.panics.inc(labels)
    if (error instanceof ReconcileTimeoutError) metrics.timeouts.inc(labels)
    const message = isFinal
      ? 'reconcile failed; not tried again until something changes'
      : 'reconcile failed; trying again'
    log.error(message, { error, attempt: this.#failures.get(key) })
    this.#warn(key, isFinal ? 'ReconcileFailed' : 'ReconcileRetried', messageOf(error))
  }

  #lookForLoop(log: Logger, key: string, run: Run<T>, triggers: Parameters<LoopDetector['note']>[2]): void {
    if (run.isGone) return this.#loops.forget(key)
    const loop = this.#loops.note(key, run.trace, triggers, this.#services.env.now())
    if (loop === undefined) return
    log.warn('reconcile loop', { loop })
    this.#warn(key, 'ReconcileLoop', `${this.definition.kind.kind} ${keyText(parseKey(key))} ${loop}`)
  }

  /** An event of the object, if there is one: by its uid it is found among the events of the object. */
  #warn(key: string, reason: string, message: string): void {
    if (this.definition.options.failureEvents === false) return
    const { cache, events } = this.#services
    const { apiVersion, kind } = this.definition.kind
    const object = cache.informer(this.definition.kind).lister.get(parseKey(key))
    if (object !== undefined)
      events.event({ apiVersion, kind, ...parseKey(key), uid: object.metadata.uid }, 'Warning', reason, message)
  }

  #count(result: ReconcileOutcome): void {
    this.#services.metrics.reconciles.inc({ controller: this.name, result })
  }

  /** All of them at 0, so that the first failure is a rise that an alert can see. */
  #prepareMetrics(): void {
    const { metrics } = this.#services
    const labels = { name: this.name, controller: this.name }
    const { errors, terminalErrors, panics, timeouts, seed } = metrics
    for (const result of ['success', 'error', 'requeue', 'requeue_after', 'conflict', 'stale'] as const) {
      metrics.reconciles.inc({ ...labels, result }, 0)
    }
    for (const counter of [errors, terminalErrors, panics, timeouts, seed.errors, seed.adds, seed.retries])
      counter.inc(labels, 0)
    for (const counter of [metrics.queueAdds, metrics.queueRetries]) counter.inc(labels, 0)
    metrics.maxConcurrent.set(labels, this.definition.options.concurrency ?? 1)
    metrics.activeWorkers.set(labels, 0)
    this.measure()
  }
}

/** In the log, of what is no failure. */
const quietly: Partial<Record<Verdict['type'], string>> = {
  conflict: 'somebody else was faster; trying again',
  stale: 'the cache is behind our own writes; trying again',
  waiting: 'something is being deleted; trying again',
  ending: 'the namespace is being deleted; nothing can be made in it',
}

/** Kinds made from a schema know. Of a built-in the option tells. */
function hasObservedGeneration(kind: Kind): boolean {
  let node = (kind as { schema?: Json }).schema
  for (const step of ['properties', 'status', 'properties', 'observedGeneration'])
    node = isObject(node) ? node[step] : undefined
  return node !== undefined
}
