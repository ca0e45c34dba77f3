/**
 * The keys of one controller that wait for its workers. Events, requeues and retries enter here, each with the
 * trigger that is recorded for logs and traces. Keys of other replicas are parked until they become this replica's.
 */
import { parseKey } from '../api/live-object.ts'
import type { Env } from '../env/env.ts'
import { exponentialLimiter } from '../queue/limiters.ts'
import type { AddOptions, Item, QueueObserver, RateLimiter, WorkQueue } from '../queue/queue.ts'
import { priorityQueue } from '../queue/work-queue.ts'
import type { ControllerMetrics } from '../telemetry/controller-metrics.ts'
import { Debouncer } from './debouncer.ts'
import type { ControllerDefinition } from './definition.ts'
import { QueueMeter, queueObserver, type QueueRole } from './queue-metrics.ts'
import { SharedKeys, type KeyShare } from './shared-keys.ts'
import { TriggerLog, type Trigger, type Triggers } from './triggers.ts'

/** The longest delay between retries after conflicts, stale reads and waits. */
const maxRaceDelayMs = 1000

export interface KeyQueueServices {
  readonly env: Env
  readonly metrics: ControllerMetrics
  readonly share?: KeyShare | undefined
}

export class KeyQueue {
  readonly work: WorkQueue
  readonly keys: SharedKeys
  readonly #name: string
  readonly #kind: string
  readonly #env: Env
  readonly #metrics: ControllerMetrics
  readonly #observer: Required<QueueObserver>
  readonly #meter: QueueMeter
  /** Conflicts and stale reads are not failures, so they do not extend the key's backoff. */
  readonly #races: RateLimiter
  readonly #triggers = new TriggerLog()
  readonly #debouncer: Debouncer | undefined

  constructor({ name, kind, options }: ControllerDefinition, { env, metrics, share }: KeyQueueServices) {
    this.#name = name
    this.#kind = kind.kind
    this.#env = env
    this.#metrics = metrics
    this.#observer = queueObserver(metrics, name)
    this.#races = exponentialLimiter(env, { maxMs: maxRaceDelayMs })
    this.work = priorityQueue(env, {
      name,
      limiter: options.limiter ?? exponentialLimiter(env),
      observer: this.#observer,
      batchPerTick: options.batchPerTick,
    })
    this.#meter = new QueueMeter(metrics, this.work)
    this.keys = new SharedKeys(share, (key, priority) => this.work.add(key, { priority }))
    if (options.debounce !== undefined)
      this.#debouncer = new Debouncer(env, options.debounce, (key, priority) => this.keys.add(key, priority))
  }

  /** An event triggers a run. */
  enqueue(key: string, priority: number, why: Trigger): void {
    this.#metrics.triggers.inc({ controller: this.#name, kind: why.kind, verb: why.verb })
    this.#triggers.add(key, why)
    if (this.#debouncer === undefined) this.keys.add(key, priority)
    else this.#debouncer.add(key, priority)
  }

  /** Something outside of the cluster triggers a run. */
  enqueueExternal(key: string): void {
    this.enqueue(key, 0, this.#selfTrigger(key, 'external'))
  }

  requeue(item: Item, delayMs: number): void {
    this.#addAgain(item, 'requeue', { afterMs: delayMs })
  }

  /** After the key's backoff, which grows with each failure. */
  retryWithBackoff(item: Item): void {
    this.#addAgain(item, 'retry', { rateLimited: true })
  }

  retryAfter(item: Item, delayMs: number): void {
    this.#observer.retried(item.key)
    this.#addAgain(item, 'retry', { afterMs: delayMs })
  }

  /** After a conflict or a stale read: within milliseconds at first, and at most after a second. */
  retryPromptly(item: Item): void {
    this.retryAfter(item, this.#races.when(item.key))
  }

  /** The next failure or conflict of the key starts with the shortest delay. */
  resetBackoff(key: string): void {
    this.work.forget(key)
    this.#races.forget(key)
  }

  /** All triggers of the run of this key that starts now. */
  takeTriggers(key: string): Triggers {
    return this.#triggers.take(key, this.#env.monotonic())
  }

  /** Drops all keys and accepts no more. */
  stop(): void {
    this.#debouncer?.stop()
    this.work.shutDown()
  }

  /** Sets the gauges, before a scrape. */
  measure(role: QueueRole): void {
    this.#meter.measure(role, this.keys.parked)
  }

  #addAgain({ key, priority }: Item, verb: 'requeue' | 'retry', options: AddOptions): void {
    this.#triggers.add(key, this.#selfTrigger(key, verb), this.#env.monotonic() + (options.afterMs ?? 0))
    this.work.add(key, { priority, ...options })
  }

  #selfTrigger(key: string, verb: Trigger['verb']): Trigger {
    return { kind: this.#kind, ...parseKey(key), verb, changed: [] }
  }
}
