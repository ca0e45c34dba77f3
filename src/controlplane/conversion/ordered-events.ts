/**
 * Store events in a version that a webhook converts to, in the order of the store, however long conversions take. An
 * event that needs no conversion, or whose conversion is known, waits only for earlier events.
 */
import { apiError } from '../../api/status.ts'
import { withStoredResourceVersion } from '../registry/metadata.ts'
import type { StoreEvent, StoreWatch, Stored } from '../storage/store.ts'
import type { ConvertedVersions } from './converted-versions.ts'

/** The limit of events that wait for the webhook, for one watch. Each of them holds an object in memory. */
export const maxPendingEvents = 10_000

/**
 * If an object cannot be converted, its event throws an ApiError when the objects are accessed. The same happens when
 * the watch has fallen too far behind; after that no more events follow.
 */
export function followInOrder(
  versions: ConvertedVersions,
  follow: (onRaw: (event: StoreEvent) => void) => StoreWatch,
  onEvent: (event: StoreEvent) => void,
): StoreWatch {
  const waiting: StoreEvent[] = []
  const deliverWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const event = waiting[0] as StoreEvent
      const failure = await Promise.all(needed(event).map((raw) => versions.prepare(raw))).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      // The watch was stopped meanwhile.
      if (waiting[0] !== event) return
      onEvent(failure === undefined ? convertedEvent(versions, event) : failedEvent(event, failure.error))
      // Only now, so that an event caused by the handler of this one comes after it.
      waiting.shift()
    }
  }
  let isStopped = false
  const drop = (): void => {
    isStopped = true
    waiting.length = 0
  }
  const source = follow((event) => {
    if (isStopped) return
    if (waiting.length >= maxPendingEvents) {
      drop()
      return onEvent(
        failedEvent(event, apiError.expired('the conversion webhook is too slow for this watch: start a new one')),
      )
    }
    if (waiting.length === 0 && needed(event).every((raw) => isKnown(versions, raw)))
      return onEvent(convertedEvent(versions, event))
    waiting.push(event)
    if (waiting.length === 1) void deliverWaiting()
    // Started at once, so that waiting events are converted in one review.
    else for (const raw of needed(event)) versions.prepare(raw).catch(() => undefined)
  })
  return {
    stop() {
      drop()
      source.stop()
    },
    get isBehind() {
      return waiting.length > 0
    },
  }
}

/** A deleted object is shown in its last version. */
function needed({ type, current, previous }: StoreEvent): readonly Stored[] {
  const before = previous === undefined ? [] : [previous]
  return type === 'delete' ? before : [current, ...before]
}

function isKnown(versions: ConvertedVersions, raw: Stored): boolean {
  try {
    return versions.get(raw) !== undefined
  } catch {
    return false
  }
}

function convertedEvent(versions: ConvertedVersions, event: StoreEvent): StoreEvent {
  const previous = event.previous && (versions.get(event.previous) as Stored)
  if (event.type !== 'delete' || previous === undefined)
    return { ...event, current: versions.get(event.current) as Stored, previous }
  return {
    ...event,
    current:
      versions.get(event.current) ??
      versions.put(event.current, withStoredResourceVersion(previous.object, event.revision)),
    previous,
  }
}

function failedEvent(event: StoreEvent, error: unknown): StoreEvent {
  const fail = (): never => {
    throw error as Error
  }
  return {
    ...event,
    get current() {
      return fail()
    },
    get previous() {
      return fail()
    },
  }
}
