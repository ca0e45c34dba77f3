/**
 * Watches whose events are mapped on their way to the client. All wrappers of watch sinks are here, so that each passes
 * back-pressure on.
 */
import type { WatchEvent, WatchResponse } from '../contract/request.ts'

/** `convert` is called for every event except errors, in order. Each start of the watch gets a new one. */
export function mappedWatch(
  response: WatchResponse,
  converter: () => (event: WatchEvent) => WatchEvent,
): WatchResponse {
  return {
    ...response,
    start(sink) {
      const convert = converter()
      return response.start({
        event: (event) => sink.event(event.type === 'ERROR' ? event : convert(event)),
        room: (resume) => sink.room(resume),
        end: () => sink.end(),
      })
    },
  }
}

/** A watch that ends at its first event, without delivering it. */
export function endedAtFirstEvent(response: WatchResponse): WatchResponse {
  return {
    ...response,
    start(sink) {
      let isEnded = false
      const end = (): void => {
        if (!isEnded) sink.end()
        isEnded = true
      }
      const source = response.start({ event: end, room: (resume) => sink.room(resume), end })
      if (isEnded) source.stop()
      return source
    },
  }
}
