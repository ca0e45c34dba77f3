/** The events of a watch for users of the client: typed, with errors thrown and bookmarks decoded. */
import { isObject, type FrozenJson } from '../api/json.ts'
import type { ApiObject } from '../api/live-object.ts'
import { ApiError } from '../api/status.ts'
import type { Kind } from '../schema/kind.ts'
import { statusOfResponse } from './response-error.ts'
import type { WatchEvent, WatchEvents } from './client.ts'
import { typedAs } from './typed-object.ts'
import { TransportError, type WireEvent, type WireEvents } from './transport.ts'

export async function* typedEvents<T extends ApiObject>(
  kind: Kind<T>,
  wire: WireEvents,
  onEnd: () => void,
): WatchEvents<T> {
  try {
    for await (const batch of wire) {
      const failed = batch.findIndex(({ type }) => type === 'ERROR')
      const events = (failed < 0 ? batch : batch.slice(0, failed)).map((event) => typedEvent(kind, event))
      if (events.length > 0) yield events
      if (failed >= 0) throw eventError((batch[failed] as WireEvent).object)
    }
  } finally {
    onEnd()
  }
}

function typedEvent<T extends ApiObject>(kind: Kind<T>, event: WireEvent): WatchEvent<T> {
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const object = typedAs(kind, event.object)
      return (object === event.object ? event : { type: event.type, object }) as WatchEvent<T>
    }
    case 'BOOKMARK':
      return bookmark(event.object)
    default:
      throw new TransportError('MALFORMED', `a watch event of type ${JSON.stringify(event.type)} is not known`, true)
  }
}

interface BookmarkMeta {
  readonly resourceVersion?: string
  readonly annotations?: Readonly<Record<string, string>>
}

function bookmark(object: FrozenJson): { type: 'BOOKMARK'; resourceVersion: string; initialEventsEnd: boolean } {
  const { resourceVersion = '', annotations } = (object as { metadata?: BookmarkMeta }).metadata ?? {}
  return { type: 'BOOKMARK', resourceVersion, initialEventsEnd: annotations?.['k8s.io/initial-events-end'] === 'true' }
}

function eventError(object: FrozenJson): ApiError {
  const status = statusOfResponse(object, 500)
  if (status !== undefined) return new ApiError(status)
  const message = isObject(object) ? JSON.stringify(object).slice(0, 2048) : String(object)
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `the watch failed: ${message}`,
    code: 500,
  })
}
