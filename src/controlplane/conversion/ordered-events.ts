/**
 * Changes of a store in a version that a webhook converts to: in the order of the store, however long conversions take.
 * One that needs none, or whose conversion is known, waits only for those before it.
 */
import { apiError } from '../../api/status.ts'
import { withStoredResourceVersion } from '../registry/metadata.ts'
import type { StoreEvent, StoreWatch, Stored } from '../storage/store.ts'
import type { ConvertedVersions } from './converted-versions.ts'

/**
 * Changes that wait for a webhook, for one follower. More than a slow reader of a watch may leave unread would hold as
 * many objects.
 */
export const maxPendingEvents = 10_000

/**
 * What cannot be converted is told by an event whose objects throw an ApiError when they are looked at; so is that the
 * follower has fallen too far behind, after which nothing comes.
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
      // Stopped meanwhile: none waits any more.
      if (waiting[0] !== event) return
      onEvent(failure === undefined ? convertedEvent(versions, event) : failedEvent(event, failure.error))
      // Only now, so that a change that is made by whoever heard of this one comes after it.
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
        failedEvent(event, apiError.expired('the conversion webhook is too slow for this watch: begin it anew')),
      )
    }
    if (waiting.length === 0 && needed(event).every((raw) => isKnown(versions, raw)))
      return onEvent(convertedEvent(versions, event))
    waiting.push(event)
    if (waiting.length === 1) void deliverWaiting()
    // Asked for at once, so that what piles up is converted together.
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

/** What is deleted is shown as it was before. */
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
