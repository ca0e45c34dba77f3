/**
 * Decorates responses of kinds that serve their objects differently from how they are stored. Subresources are served
 * as stored.
 */
import { deepFreeze, isObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ApiResponse, ObjectResponse, WatchEvent } from '../contract/request.ts'
import type { Strategy } from '../contract/resource.ts'
import { convertedVersion, type Stored } from '../storage/store.ts'
import { mappedWatch } from './mapped-watch.ts'

type Decorate = NonNullable<Strategy['shown']>

export function decorateResponse(response: ApiResponse, show: Decorate): ApiResponse {
  switch (response.type) {
    case 'object':
      return isObject(response.body) && response.body.kind !== 'Status' ? decorated(response, show) : response
    case 'list':
      return { ...response, items: response.items.map((stored) => decoratedStored(stored, show)) }
    case 'watch':
      return mappedWatch(response, () => (event) => decoratedEvent(event, show))
    case 'text':
    case 'stream':
      return response
  }
}

function decorated(response: ObjectResponse, show: Decorate): ObjectResponse {
  const { body, stored } = response
  if (stored === undefined) return { ...response, body: show(body as KubeObject) }
  const version = decoratedStored(stored, show)
  return { ...response, body: version.object, stored: version }
}

function decoratedEvent(event: WatchEvent, show: Decorate): WatchEvent {
  if (event.stored === undefined) return { ...event, object: show(event.object as KubeObject) }
  const stored = decoratedStored(event.stored, show)
  return { ...event, object: stored.object, stored }
}

/** Computed once for each stored version, so that all readers and watchers share the object and its encoding. */
function decoratedStored(stored: Stored, show: Decorate): Stored {
  const forms = (stored.forms ??= {})
  if (forms.shown === undefined) {
    const object = show(stored.object)
    forms.shown = object === stored.object ? stored : convertedVersion(stored, deepFreeze(object))
  }
  return forms.shown
}
