/**
 * A running controller: it listens to its informers, keeps a queue of keys, and its workers reconcile them.
 *
 * Expected flow: `start` as soon as the caches run (also on a warm standby, whose queue fills up meanwhile), then
 * `work` when it may write. Workers start only when every informer has synced and each handler has seen its initial
 * list.
 */
import type { ApiObject } from '../api/live-object.ts'
import type { Cache, HandlerRegistration, Informer } from '../cache/cache.ts'
import type { Env } from '../env/env.ts'
import { connected, type CarryOut } from '../external/external.ts'
import type { TraceSink } from '../flow/trace.ts'
import type { WorkQueue } from '../queue/queue.ts'
import type { ControllerMetrics } from '../telemetry/controller-metrics.ts'
import type { EventRecorder } from '../telemetry/event-recorder.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import type { ControllerDefinition } from './definition.ts'
import { KeyQueue } from './key-queue.ts'
import type { QueueRole } from './queue-metrics.ts'
import { RunLedger } from './run-ledger.ts'
import { RunReporter } from './run-reporter.ts'
import type { EndedRun } from './run-result.ts'
import type { KeyShare } from './shared-keys.ts'
import { startSources } from './sources.ts'
import { observesOf } from './status-writer.ts'
import { Worker } from './worker.ts'

export interface ControllerServices {
  readonly env: Env
  readonly cache: Cache
  readonly log: Logger
  readonly metrics: ControllerMetrics
  readonly events: EventRecorder
  /** Default: nothing is traced. */
  readonly tracer?: Tracer | undefined
  /** Receives a trace of each run. Default: none is recorded. */
  readonly traces?: TraceSink | undefined
  /** Which keys belong to this replica, if several replicas share them. Default: all. */
  readonly share?: KeyShare | undefined
  /** Carries out calls of external systems. Default: their implementations do. */
  readonly carryOut?: CarryOut | undefined
  /** Called when a run has ended. Default: nobody is told. */
  readonly onRun?: ((run: EndedRun) => void) | undefined
}

export class Controller<T extends ApiObject = ApiObject> {
  readonly definition: ControllerDefinition<T>
  readonly #cache: Cache
  readonly #queue: KeyQueue
  readonly #reporter: RunReporter
  readonly #worker: Worker<T>
  #registrations: HandlerRegistration[] = []
  #role: QueueRole = 'standby'

  constructor(definition: ControllerDefinition<T>, services: ControllerServices) {
    const { name, kind, options } = definition
    const { env, cache, metrics, events, tracer, traces, onRun, carryOut = connected } = services
    const ledger = new RunLedger({ skipEchoes: (options.reconcileOwnWrites ?? 'always') !== 'always' })
    this.definition = definition
    this.#cache = cache
    this.#queue = new KeyQueue(definition, services)
    this.#reporter = new RunReporter(definition, services)
    this.#worker = new Worker(definition, {
      env,
      log: services.log.with({ controller: name, controllerGroup: kind.group, controllerKind: kind.kind }),
      queue: this.#queue,
      ledger,
      reporter: this.#reporter,
      run: { env, cache, events, metrics, ledger, carryOut, observes: observesOf(kind, options.observedGeneration) },
      tracer,
      traces,
      onRun,
    })
    this.measure()
  }

  get name(): string {
    return this.definition.name
  }

  get queue(): WorkQueue {
    return this.#queue.work
  }

  /** No key is ready or being reconciled. Delayed keys do not count. */
  get idle(): boolean {
    return this.queue.depth === 0 && this.queue.processingCount === 0
  }

  /** Every handler has seen its initial list, and kinds that are only read have been listed. */
  get synced(): boolean {
    return this.#registrations.length > 0 && [...this.#registrations, ...this.#readOnly()].every(({ synced }) => synced)
  }

  /** Starts to listen. The queue fills up; nothing is reconciled yet. */
  start(): void {
    this.#registrations = startSources(this.#cache, this.definition, (key, priority, why) =>
      this.#queue.enqueue(key, priority, why),
    )
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#registrations, ...this.#readOnly()].map((each) => each.whenSynced(signal)))
  }

  /** Requests a run from outside: a timer, a webhook, a message. */
  trigger(key: string): void {
    this.#queue.enqueueExternal(key)
  }

  /**
   * Works until `stop` aborts, then finishes the current runs. `abort` aborts the signals of the runs themselves.
   * Resolves when the last run has ended.
   */
  async work(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    await this.whenSynced(stop).catch((error: unknown) => {
      if (!stop.aborted) throw error
    })
    this.#role = 'leader'
    const { concurrency = 1 } = this.definition.options
    await Promise.all(Array.from({ length: concurrency }, () => this.#worker.work(stop, abort)))
  }

  /** Queues the parked keys that belong to this replica now. */
  resume(): void {
    this.#queue.keys.resume()
  }

  /** Resolves when none of these keys, which belong to another replica now, is being reconciled. */
  whenGivenAway(belongs: (key: string) => boolean): Promise<void> {
    return this.#queue.keys.whenDone(belongs)
  }

  /** Stops listening, and drops queued keys. */
  stop(): void {
    for (const registration of this.#registrations) registration.remove()
    this.#registrations = []
    this.#queue.stop()
  }

  /** Sets the gauges, before a scrape. */
  measure(): void {
    this.#queue.measure(this.#role)
    this.#reporter.measure()
  }

  #readOnly(): Informer<ApiObject>[] {
    return this.definition.sources.filter(({ type }) => type === 'read').map(({ kind }) => this.#cache.informer(kind))
  }
}
