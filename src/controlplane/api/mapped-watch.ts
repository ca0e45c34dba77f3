/** A watch whose events are converted on their way. The one place that wraps a sink, so that back-pressure passes. */
import type { WatchEvent, WatchResponse } from '../contract/request.ts'

/** `convert` is called for every event but errors, in order. A new one is made for each start of the watch. */
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

/** A watch that ends at its first event, which is not delivered. */
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
