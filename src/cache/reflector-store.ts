/** The store that a reflector fills, and the services that it needs. */
import type { ApiObject, Live } from '../api/live-object.ts'
import type { Client, SelectorOptions, WatchEvent } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import type { Kind } from '../schema/kind.ts'
import type { GuardedObserver } from './guarded-observer.ts'
import type { ObjectStore } from './object-store.ts'
import type { ServerDoubt } from './server-doubt.ts'
import type { ServerProbe } from './server-probe.ts'
import type { TimeSlice } from './time-slice.ts'

export interface ReflectorStore<T extends ApiObject> {
  /** The version up to which it is complete; empty before the first list. */
  readonly version: string
  readonly store: ObjectStore<T>
  /** An empty store for the next list. */
  empty(): ObjectStore<T>
  /** An object in its stored form; the stored object itself if it has the same version. */
  form(object: Live<T>): Live<T>
  replace(objects: ObjectStore<T>, version: string): Promise<void>
  /** Changes in order, without bookmarks that end initial events. */
  apply(events: readonly WatchEvent<T>[]): void
  /** Removes objects that the server does not have any more. */
  remove(objects: readonly Live<T>[]): void
  /** The server is or may be rolled back: until the next {@link replace}, equal versions may be different objects. */
  distrust(isRolledBack: boolean): void
}

export interface ReflectorOptions<T extends ApiObject> {
  readonly client: Client
  readonly kind: Kind<T>
  readonly env: Env
  readonly observer: GuardedObserver
  readonly turn: TimeSlice
  readonly probe: ServerProbe
  readonly doubt: ServerDoubt
  readonly selection: SelectorOptions & { readonly metadataOnly: boolean }
  /** The page size of lists. */
  readonly pageSize: number
  /** The timeout of each page, in milliseconds. */
  readonly listTimeoutMs: number
  /** False: only lists. */
  readonly watchList: boolean
}
