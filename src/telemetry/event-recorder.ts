/**
 * Events that `kubectl describe` and `kubectl events` show. Recording never fails and never waits: events are written
 * in the background, those about one object in order, and the observer is notified of events that could not be written.
 */
import type { Json } from '../api/json.ts'
import type { ApiObject } from '../api/live-object.ts'
import type { ObjectMeta } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import type { Client } from '../client/client.ts'
import { timestamp, type Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import type { Kind } from '../schema/kind.ts'
import {
  EventCorrelator,
  type CorrelatorOptions,
  type EventContent,
  type EventType,
  type ObjectReference,
  type RecordedEvent,
} from './event-correlator.ts'

export interface EventRecorder {
  /**
   * `about` is an object or a reference to one. Messages over 1024 characters are truncated, since the server would
   * reject them.
   */
  event(about: EventSubject, type: EventType, reason: string, message: string): void
  /** Resolves when all recorded events have been written or dropped. */
  flush(): Promise<void>
}

/** A whole object, with its type, or a reference. */
export type EventSubject =
  | ObjectReference
  | {
      readonly apiVersion?: string | undefined
      readonly kind?: string | undefined
      readonly metadata: Readonly<Partial<ObjectMeta>>
    }

export interface RecorderOptions {
  readonly env: Env
  readonly client: Client
  /** The reporting component: the controller's name. */
  readonly component: string
  /** The reporting instance: the pod's name. Truncated to 128 characters; empty: left out. Default: the component. */
  readonly instance?: string | undefined
  readonly correlator?: CorrelatorOptions | undefined
  /** The maximum of events that wait to be written. Default 1000; more are dropped. */
  readonly maxQueued?: number | undefined
  /**
   * The number of concurrent writes, each about another object. Default 8: a single writer would fall behind many
   * workers.
   */
  readonly concurrency?: number | undefined
  /** Attempts for one event while the server does not respond, 10 s apart. Default 12. */
  readonly maxTries?: number | undefined
  /** Called for an event that is lost. */
  readonly onLost?:
    | ((content: EventContent, why: 'spam' | 'full' | 'failed' | 'stopped', error?: unknown) => void)
    | undefined
  /** When it aborts, waiting events are dropped. */
  readonly signal?: AbortSignal | undefined
}

interface EventObject extends ApiObject {
  count?: number
}

const Event: Kind<EventObject> = {
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
}

const maxMessageChars = 1024

export interface QueuedEventRecorder extends EventRecorder {
  /** Whether {@link flush} has nothing to wait for. */
  readonly isFlushed: boolean
}

/** Costs next to nothing at rest: a cluster under test asks in every turn of the event loop. */
export async function flushAll(recorders: readonly QueuedEventRecorder[]): Promise<void> {
  await Promise.all(recorders.filter(({ isFlushed }) => !isFlushed).map((recorder) => recorder.flush()))
}

export function eventRecorder(options: RecorderOptions): QueuedEventRecorder {
  return new Recorder(options)
}

class Recorder implements QueuedEventRecorder {
  readonly #options: RecorderOptions
  readonly #correlator: EventCorrelator
  readonly #waiting: RecordedEvent[] = []
  /** Writes in progress, by the object of the event. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#correlator = new EventCorrelator(options.env, options.correlator)
  }

  event(about: EventSubject, type: EventType, reason: string, message: string): void {
    const content: EventContent = {
      about: referenceTo(about),
      type,
      reason,
      message: shortened(message, maxMessageChars),
    }
    if (this.#options.signal?.aborted === true) return this.#lost(content, 'stopped')
    if (this.#waiting.length >= (this.#options.maxQueued ?? 1000)) return this.#lost(content, 'full')
    const event = this.#correlator.correlate(content)
    if (event === undefined) return this.#lost(content, 'spam')
    this.#waiting.push(event)
    this.#writeNext()
  }

  get isFlushed(): boolean {
    return this.#writing.size === 0
  }

  async flush(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing.values())
  }

  #lost(content: EventContent, why: 'spam' | 'full' | 'failed' | 'stopped', error?: unknown): void {
    this.#options.onLost?.(content, why, error)
  }

  /** Starts as many writers as allowed. Each takes the next event when it is done. */
  #writeNext(): void {
    const { concurrency = 8 } = this.#options
    while (this.#writing.size < concurrency) {
      const index = this.#waiting.findIndex(({ content }) => !this.#writing.has(subjectOf(content)))
      const [event] = index < 0 ? [] : this.#waiting.splice(index, 1)
      if (event === undefined) return
      const subject = subjectOf(event.content)
      this.#writing.set(
        subject,
        this.#write(event).finally(() => {
          this.#writing.delete(subject)
          this.#writeNext()
        }),
      )
    }
  }

  /** Any response of the server ends the attempts: only a missing response is worth a retry. */
  async #write(event: RecordedEvent): Promise<void> {
    const { env, signal, maxTries = 12 } = this.#options
    for (let attempt = 1; ; attempt++) {
      if (signal?.aborted === true) return this.#lost(event.content, 'stopped')
      try {
        await this.#send(event)
        return
      } catch (error) {
        if (error instanceof ApiError || attempt >= maxTries) return this.#lost(event.content, 'failed', error)
        await pause(env, attempt === 1 ? 10_000 * env.random() : 10_000, signal)
      }
    }
  }

  async #send(event: RecordedEvent): Promise<void> {
    const { client, signal } = this.#options
    const namespace = event.content.about.namespace ?? 'default'
    if (event.count > 1) {
      const patch = { count: event.count, lastTimestamp: timestamp(event.lastAt), message: event.content.message }
      try {
        await client.patch(Event, { namespace, name: event.name }, { type: 'merge', patch }, { signal })
        return
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 404) throw error
      }
    }
    try {
      await client.create(Event, this.#manifest(event, namespace), { signal })
    } catch (error) {
      // An earlier attempt succeeded, and its response was lost.
      if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
    }
  }

  #manifest({ content, name, count, firstAt, lastAt }: RecordedEvent, namespace: string): EventObject {
    const { component, instance = component } = this.#options
    const { about, type, reason, message } = content
    const body: Record<string, Json> = {
      metadata: { name, namespace },
      involvedObject: Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined)),
      type,
      reason,
      message,
      count,
      firstTimestamp: timestamp(firstAt),
      lastTimestamp: timestamp(lastAt),
      source: { component },
      reportingComponent: component,
      ...(instance === '' ? {} : { reportingInstance: shortened(instance, 128) }),
    }
    return body as unknown as EventObject
  }
}

function subjectOf({ about: { uid, kind, namespace, name } }: EventContent): string {
  return uid ?? `${kind} ${namespace ?? ''}/${name}`
}

/** Truncates by characters, so that no surrogate pair is split. */
function shortened(value: unknown, maxChars: number): string {
  const text = String(value)
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function referenceTo(about: EventSubject): ObjectReference {
  if (!('metadata' in about)) return about
  const { apiVersion = '', kind = '', metadata } = about
  const { name = '', namespace, uid, resourceVersion } = metadata
  return { apiVersion, kind, name, namespace, uid, resourceVersion }
}
