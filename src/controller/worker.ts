/**
 * Takes keys from the queue, reconciles them one after the other, and decides by the result what happens to each key.
 *
 * Guarantees: one run per key at a time, whatever the number of workers; no error of a reconcile ends a worker.
 */
import { parseKey, type ApiObject } from '../api/live-object.ts'
import { TimeSlice } from '../cache/time-slice.ts'
import type { Env } from '../env/env.ts'
import { RunEnded } from '../external/external-error.ts'
import { runInScope } from '../flow/execute.ts'
import type { TraceSink } from '../flow/trace.ts'
import type { Item } from '../queue/queue.ts'
import type { Logger } from '../telemetry/logger.ts'
import { silentTracer, type Span, type Tracer } from '../telemetry/tracer.ts'
import type { ControllerDefinition } from './definition.ts'
import type { KeyQueue } from './key-queue.ts'
import type { Echo } from './write-echoes.ts'
import { Run, type RunServices } from './run.ts'
import type { RunLedger } from './run-ledger.ts'
import type { RunReporter } from './run-reporter.ts'
import { thrownResult, type EndedRun, type RunResult } from './run-result.ts'
import { RunTimer } from './run-timer.ts'
import type { Triggers } from './triggers.ts'

/** With `reconcileOwnWrites: 'ifRequeuedSoon'`: a requeue within this time counts as soon. */
const continuesWithinMs = 1000

export interface WorkerServices {
  readonly env: Env
  readonly log: Logger
  readonly queue: KeyQueue
  readonly ledger: RunLedger
  readonly reporter: RunReporter
  readonly run: RunServices
  readonly tracer?: Tracer | undefined
  readonly traces?: TraceSink | undefined
  /** Called when a run has ended. */
  readonly onRun?: ((run: EndedRun) => void) | undefined
}

/** Which run this is, for logs, spans and traces. */
interface RunIdentity {
  readonly key: string
  readonly reconcileId: string
  readonly attempt: number
  readonly triggers: Triggers
}

interface RunGuards {
  readonly span: Span
  readonly timer: RunTimer
  readonly abort: AbortSignal
}

export class Worker<T extends ApiObject> {
  readonly #definition: ControllerDefinition<T>
  readonly #services: WorkerServices
  readonly #running = new Set<RunTimer>()

  constructor(definition: ControllerDefinition<T>, services: WorkerServices) {
    this.#definition = definition
    this.#services = services
  }

  /** Works until `stop` aborts, then finishes the current run. `abort` aborts the signal of the run itself. */
  async work(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    // One listener for all runs. A listener for each run would keep finished runs in memory until a full collection.
    const abortRuns = (): void => {
      for (const run of this.#running) run.abort(abort.reason)
    }
    abort.addEventListener('abort', abortRuns)
    try {
      await this.#workUntil(stop, abort)
    } finally {
      abort.removeEventListener('abort', abortRuns)
    }
  }

  async #workUntil(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    const { env, queue } = this.#services
    // Without a pause, runs that wait for nothing but each other would block timers and sockets.
    const turns = new TimeSlice(env)
    while (!stop.aborted) {
      if (turns.isOver()) await turns.others()
      const item = queue.work.tryTake() ?? (await queue.work.take(stop))
      if (item === undefined) return
      if (queue.keys.isOurs(item.key)) await this.#process(item, abort)
      else this.#handOver(item)
      queue.work.done(item.key)
    }
  }

  /** Another replica works on the key now. */
  #handOver({ key, priority }: Item): void {
    const { queue, ledger } = this.#services
    queue.resetBackoff(key)
    ledger.forget(key)
    queue.keys.add(key, priority)
  }

  async #process(item: Item, abort: AbortSignal): Promise<void> {
    const { queue, ledger } = this.#services
    queue.keys.hold(item.key)
    try {
      const triggers = queue.takeTriggers(item.key)
      const echo = ledger.echo(item.key, triggers)
      if (echo === undefined) await this.#reconcile(item, triggers, abort)
      else this.#skipEcho(item, echo)
    } finally {
      queue.keys.release(item.key)
    }
  }

  /** Nothing has changed since the last run: the key only waits for the requeue that the last run asked for. */
  #skipEcho(item: Item, { dueAt }: Echo): void {
    const { env, queue } = this.#services
    if (dueAt !== undefined) queue.requeue(item, Math.max(1, dueAt - env.monotonic()))
  }

  async #reconcile(item: Item, triggers: Triggers, abort: AbortSignal): Promise<void> {
    const { key } = item
    const { env, ledger, reporter, tracer = silentTracer, onRun } = this.#services
    const { name: controller, kind, options } = this.#definition
    const started = env.monotonic()
    const reconcileId = env.uuid()
    const attempt = ledger.failures(key) + 1
    // Spreading the key into these literals, in place of its two fields, doubled the cost of an idle run.
    const { namespace, name } = parseKey(key)
    const log = this.#services.log.with({ [kind.kind]: parseKey(key), namespace, name, reconcileID: reconcileId })
    const timer = new RunTimer(env, {
      timeoutMs: options.reconcileTimeoutMs,
      onStuck: (seconds) => reporter.stuck(log, key, seconds),
      onUnstuck: () => reporter.unstuck(),
    })
    this.#running.add(timer)
    if (abort.aborted) timer.abort(abort.reason)
    const run = new Run(this.#definition, this.#services.run, {
      key,
      reconcileId,
      attempt,
      triggers,
      timer,
      abort,
      log,
    })
    const attributes = { controller, kind: kind.kind, key, reconcileId, attempt, triggers: triggers.count }
    const span = tracer.startSpan('reconcile', attributes)
    reporter.runStarted()
    log.debug('reconciling', { triggers: triggers.first, triggerCount: triggers.count })
    const result = await this.#resultOf(run, { key, reconcileId, attempt, triggers }, { span, timer, abort })
    this.#handle(result, item, log)
    span.end('error' in result ? result.error : undefined)
    timer.end()
    this.#running.delete(timer)
    reporter.runEnded(env.monotonic() - started)
    const loop = ledger.findLoop(key, run.trace, triggers, env.monotonic())
    if (loop !== undefined) reporter.loop(log, key, loop)
    const { writes } = run.trace
    onRun?.({ controller, kind: kind.kind, key, result, failures: ledger.failures(key), writes, loop })
  }

  /** Decides what happens to the key. The cases are the rows of the result tables in docs/reference/controller.md. */
  #handle(result: RunResult, item: Item, log: Logger): void {
    const { key } = item
    const { queue, ledger, reporter } = this.#services
    switch (result.type) {
      case 'done':
        this.#resetFailures(key)
        return reporter.count('success')
      case 'requeueAfter':
        this.#resetFailures(key)
        queue.requeue(item, result.delayMs)
        return reporter.count('requeue_after')
      case 'retryable':
      case 'bug':
        ledger.addFailure(key)
        reporter.failed(log, key, result, ledger.failures(key))
        if (result.delayMs === undefined) queue.retryWithBackoff(item)
        else queue.retryAfter(item, result.delayMs)
        return reporter.count('error')
      case 'permanent':
        reporter.failed(log, key, result, ledger.failures(key) + 1)
        this.#resetFailures(key)
        return reporter.count('error')
      case 'conflict':
      case 'stale':
        reporter.notFailed(log, result)
        queue.retryPromptly(item)
        return reporter.count(result.type)
      case 'beingDeleted':
        reporter.notFailed(log, result)
        queue.retryPromptly(item)
        return reporter.count('requeue_after')
      case 'namespaceTerminating':
        reporter.notFailed(log, result)
        this.#resetFailures(key)
        return reporter.count('success')
      case 'aborted':
        return undefined
    }
  }

  #resetFailures(key: string): void {
    this.#services.queue.resetBackoff(key)
    this.#services.ledger.resetFailures(key)
  }

  /** Runs the reconcile. Never rejects. */
  async #resultOf(run: Run<T>, of: RunIdentity, { span, timer, abort }: RunGuards): Promise<RunResult> {
    const { env, traces, ledger } = this.#services
    const { name: controller, kind, options } = this.#definition
    const { key, reconcileId: id, attempt, triggers } = of
    const { namespace, name } = parseKey(key)
    const about = { id, controller, kind: kind.kind, namespace, name, attempt, triggers }
    try {
      const requeue = await span.within(() =>
        runInScope(
          { env, source: timer, traces, about },
          (scope) => run.go(scope),
          (result) => result?.requeueAfterMs,
        ),
      )
      return this.#returned(run, key, requeue?.requeueAfterMs)
    } catch (error) {
      ledger.forgetEchoes(key)
      const cause = timer.timedOut ?? error
      if (abort.aborted || cause instanceof RunEnded) return { type: 'aborted', error: cause }
      return thrownResult(cause, ledger.failures(key), options.maxRetries)
    }
  }

  /** The key runs again when the run asked for it, or earlier if a postponed status is due. */
  #returned({ isGone, ownVersions }: Run<T>, key: string, requeueAfterMs: number | undefined): RunResult {
    const { env, ledger } = this.#services
    const now = env.monotonic()
    const statusDueMs = Math.max(1, (ledger.statusDueAt.get(key) ?? Infinity) - now)
    const delayMs = Math.min(requeueAfterMs ?? Infinity, statusDueMs)
    const isDone = delayMs === Infinity
    const continues =
      this.#definition.options.reconcileOwnWrites === 'ifRequeuedSoon' &&
      (requeueAfterMs ?? Infinity) <= continuesWithinMs
    if (isGone || continues) ledger.forgetEchoes(key)
    else ledger.expectEchoes(key, ownVersions, isDone ? undefined : now + delayMs)
    return isDone ? { type: 'done' } : { type: 'requeueAfter', delayMs }
  }
}
