/**
 * The order of resource versions. They are decimal numbers of up to 64 bits as text: longer is larger, and among texts
 * of one length the order of characters is that of numbers. No number type is involved, so nothing is rounded.
 */
import type { ApiObject } from '../api/live-object.ts'
import type { WatchEvent } from '../client/client.ts'

/** Negative if `a` is older. '' stands for no version and is older than all. */
export function compareResourceVersions(a: string, b: string): number {
  if (a === b) return 0
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : 1
}

export function eventVersion<T extends ApiObject>(event: WatchEvent<T>): string {
  return event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion
}
