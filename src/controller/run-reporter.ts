/** Reports the runs of one controller: metrics, log lines, and events about the object. */
import { keyText, parseKey } from '../api/live-object.ts'
import type { Cache } from '../cache/cache.ts'
import type { ControllerMetrics, ReconcileOutcome } from '../telemetry/controller-metrics.ts'
import type { EventRecorder } from '../telemetry/event-recorder.ts'
import type { Logger } from '../telemetry/logger.ts'
import { controllerAccess } from './controller-access.ts'
import type { ControllerDefinition } from './definition.ts'
import { classify, messageOf, ReconcileTimeoutError, type ErrorClass } from './errors.ts'
import { remedyOf, type Declarations } from './remedy.ts'
import type { ThrownResult } from './run-result.ts'

/** The log lines of results that are not failures. */
const debugMessages: Partial<Record<ErrorClass, string>> = {
  conflict: 'conflict with another writer; retrying',
  stale: 'the cache is behind our own writes; retrying',
  beingDeleted: 'an object is being deleted; retrying',
  namespaceTerminating: 'the namespace is being deleted; objects cannot be created in it',
}

export interface RunReporterServices {
  readonly cache: Cache
  readonly metrics: ControllerMetrics
  readonly events: EventRecorder
}

export class RunReporter {
  readonly #definition: ControllerDefinition
  readonly #services: RunReporterServices
  readonly #labels: { readonly controller: string }
  readonly #declarations: Declarations
  #stuckRuns = 0

  constructor(definition: ControllerDefinition, services: RunReporterServices) {
    this.#definition = definition
    this.#services = services
    this.#labels = { controller: definition.name }
    this.#declarations = declarationsOf(definition)
    this.#prepareMetrics()
  }

  runStarted(): void {
    this.#services.metrics.activeWorkers.add(this.#labels, 1)
  }

  runEnded(elapsedMs: number): void {
    const { metrics } = this.#services
    metrics.activeWorkers.add(this.#labels, -1)
    metrics.seconds.observe(this.#labels, elapsedMs / 1000)
    metrics.plain.seconds.observe(this.#labels, elapsedMs / 1000)
  }

  /** The run has taken longer than a minute. It cannot be ended from outside. */
  stuck(log: Logger, key: string, seconds: number): void {
    this.#stuckRuns++
    log.warn('reconcile is still running', { key, seconds })
  }

  unstuck(): void {
    this.#stuckRuns--
  }

  /** Counts the result of a run: `controller_runtime_reconcile_total`. */
  count(result: ReconcileOutcome): void {
    this.#services.metrics.reconciles.inc({ controller: this.#labels.controller, result })
  }

  /** A result that is not a failure: it is logged for debugging only. */
  notFailed(log: Logger, { type, error }: ThrownResult): void {
    log.debug(debugMessages[type] ?? type, { error })
  }

  /** `attempt`: 1 for the first failure in a row. */
  failed(log: Logger, key: string, { type, error }: ThrownResult, attempt: number): void {
    const { metrics } = this.#services
    const isFinal = type === 'permanent'
    metrics.errors.inc(this.#labels)
    metrics.plain.errors.inc(this.#labels)
    if (isFinal) metrics.terminalErrors.inc(this.#labels)
    if (classify(error) === 'bug') metrics.panics.inc(this.#labels)
    if (error instanceof ReconcileTimeoutError) metrics.timeouts.inc(this.#labels)
    const message = isFinal ? 'reconcile failed; not retried until something changes' : 'reconcile failed; retrying'
    const fix = remedyOf(error, this.#declarations)
    log.error(message, { error, attempt, ...(fix === undefined ? {} : { fix }) })
    this.#warn(key, isFinal ? 'ReconcileFailed' : 'ReconcileRetried', messageOf(error))
  }

  /** The key triggers itself repeatedly. */
  loop(log: Logger, key: string, loop: string): void {
    log.warn('reconcile loop', { loop })
    this.#warn(key, 'ReconcileLoop', `${this.#definition.kind.kind} ${keyText(parseKey(key))} ${loop}`)
  }

  /** Sets the gauges, before a scrape. */
  measure(): void {
    this.#services.metrics.stuck.set(this.#labels, this.#stuckRuns)
  }

  /** An event about the object, if the cache has it: `kubectl describe` finds events only by uid. */
  #warn(key: string, reason: string, message: string): void {
    const { kind, options } = this.#definition
    if (options.failureEvents === false) return
    const object = this.#services.cache.informer(kind).lister.get(parseKey(key))
    if (object === undefined) return
    const regarding = { apiVersion: kind.apiVersion, kind: kind.kind, ...parseKey(key), uid: object.metadata.uid }
    this.#services.events.event(regarding, 'Warning', reason, message)
  }

  /** All counters start at 0, so that the first failure is an increase that an alert can see. */
  #prepareMetrics(): void {
    const { metrics } = this.#services
    const labels = { name: this.#definition.name, ...this.#labels }
    const { errors, terminalErrors, panics, timeouts, plain } = metrics
    for (const result of ['success', 'error', 'requeue', 'requeue_after', 'conflict', 'stale'] as const)
      metrics.reconciles.inc({ ...this.#labels, result }, 0)
    for (const counter of [errors, terminalErrors, panics, timeouts, plain.errors, plain.adds, plain.retries])
      counter.inc(labels, 0)
    for (const counter of [metrics.queueAdds, metrics.queueRetries]) counter.inc(labels, 0)
    metrics.maxConcurrent.set(labels, this.#definition.options.concurrency ?? 1)
    metrics.activeWorkers.set(labels, 0)
  }
}

function declarationsOf(definition: ControllerDefinition): Declarations {
  const who = `the controller ${definition.name}`
  return {
    who,
    access: controllerAccess(definition),
    declare: (verb, target) => `add .may('${verb}', ${target}) to ${who}`,
  }
}
