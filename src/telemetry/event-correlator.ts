/**
 * Decides which events to write: repeated events become a count, many similar ones become one, and events about an
 * object with too many are dropped. The limits are client-go's.
 */
import type { Env } from '../env/env.ts'

export interface ObjectReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string | undefined
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
  readonly fieldPath?: string | undefined
}

export type EventType = 'Normal' | 'Warning'

export interface EventContent {
  readonly about: ObjectReference
  readonly type: EventType
  readonly reason: string
  readonly message: string
}

/** An event that was written, or is about to be. */
export interface RecordedEvent {
  readonly content: EventContent
  readonly name: string
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
}

export interface CorrelatorOptions {
  /** The number of similar events with different messages within `windowMs` before they become one. Default 10. */
  readonly maxSimilar?: number | undefined
  /** Milliseconds. Default 600 s. */
  readonly windowMs?: number | undefined
  /** The burst of events for one object. Default 25. */
  readonly burst?: number | undefined
  /** Milliseconds until one more is allowed. Default 300 s. */
  readonly refillMs?: number | undefined
  /** The maximum of remembered objects and events. Default 4096; the least recently used is dropped. */
  readonly maxRemembered?: number | undefined
}

interface Bucket {
  tokens: number
  at: number
}

interface Similar {
  readonly messages: Set<string>
  sinceMs: number
}

export class EventCorrelator {
  readonly #env: Env
  readonly #options: Required<{ [Name in keyof CorrelatorOptions]: number }>
  readonly #buckets = new Map<string, Bucket>()
  readonly #similar = new Map<string, Similar>()
  readonly #events = new Map<string, RecordedEvent>()

  constructor(env: Env, options: CorrelatorOptions = {}) {
    this.#env = env
    this.#options = {
      maxSimilar: options.maxSimilar ?? 10,
      windowMs: options.windowMs ?? 600_000,
      burst: options.burst ?? 25,
      refillMs: options.refillMs ?? 300_000,
      maxRemembered: options.maxRemembered ?? 4096,
    }
  }

  /** The event to write (`count` 1: a new one; more: a patch of the previous one); undefined: drop it. */
  correlate(content: EventContent): RecordedEvent | undefined {
    const now = this.#env.now()
    const { about } = content
    const object = about.uid ?? [about.apiVersion, about.kind, about.namespace, about.name].join('\u0000')
    const kindOfEvent = [object, about.fieldPath, content.type, content.reason].join('\u0000')
    const combined = this.#isOneOfMany(kindOfEvent, content.message, this.#env.monotonic())
    const message = combined ? `(combined from similar events): ${content.message}` : content.message
    const key = combined ? kindOfEvent : [kindOfEvent, content.message].join('\u0000')
    const before = this.#events.get(key)
    const event: RecordedEvent =
      before === undefined
        ? {
            content: { ...content, message },
            name: `${about.name}.${eventSuffix(now, this.#env.random())}`,
            count: 1,
            firstAt: now,
            lastAt: now,
          }
        : { ...before, content: { ...content, message }, count: before.count + 1, lastAt: now }
    // A dropped event still counts: the next one that is written has the total.
    this.#remember(this.#events, key, event)
    return this.#mayWrite(object, this.#env.monotonic()) ? event : undefined
  }

  /** Known messages keep their own event; of new ones, the tenth and all later ones share one. */
  #isOneOfMany(key: string, message: string, now: number): boolean {
    let similar = this.#similar.get(key)
    if (similar === undefined || now - similar.sinceMs > this.#options.windowMs)
      similar = { messages: new Set(), sinceMs: now }
    similar.sinceMs = now
    this.#remember(this.#similar, key, similar)
    if (similar.messages.has(message)) return false
    if (similar.messages.size >= this.#options.maxSimilar - 1) return true
    similar.messages.add(message)
    return false
  }

  #mayWrite(key: string, now: number): boolean {
    const { burst, refillMs } = this.#options
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now }
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs)
    bucket.at = now
    this.#remember(this.#buckets, key, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }

  #remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
    map.delete(key)
    map.set(key, value)
    if (map.size > this.#options.maxRemembered)
      for (const oldest of map.keys()) {
        map.delete(oldest)
        break
      }
  }
}

/** In hexadecimal, as upstream's nanoseconds, and unique for two events of the same millisecond. */
function eventSuffix(now: number, random: number): string {
  return (BigInt(Math.floor(now)) * 1_000_000n + BigInt(Math.floor(random * 1_000_000))).toString(16)
}
