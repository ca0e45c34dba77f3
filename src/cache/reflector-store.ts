/** What a reflector fills, and what it needs for it. */
import type { ApiObject, Live } from '../api/live-object.ts'
import type { Client, SelectorOptions, WatchEvent } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import type { Kind } from '../schema/kind.ts'
import type { GuardedObserver } from './guarded-observer.ts'
import type { ObjectStore } from './object-store.ts'
import type { TimeSlice } from './time-slice.ts'

export interface ReflectorStore<T extends ApiObject> {
  /** Up to which version it is complete; '' before the first list. */
  readonly version: string
  /** An empty store for the next list. */
  empty(): ObjectStore<T>
  /** An object as it is to be stored; the stored one itself if it is the same version. */
  form(object: Live<T>): Live<T>
  replace(objects: ObjectStore<T>, version: string): Promise<void>
  /** Changes in order, none of them a bookmark that ends initial events. */
  apply(events: readonly WatchEvent<T>[]): void
}

export interface ReflectorOptions<T extends ApiObject> {
  readonly client: Client
  readonly kind: Kind<T>
  readonly env: Env
  readonly observer: GuardedObserver
  readonly turn: TimeSlice
  readonly selection: SelectorOptions & { readonly metadataOnly: boolean }
  /** Objects on a page of a list. */
  readonly pageSize: number
  /** Milliseconds for each page. */
  readonly listTimeoutMs: number
  /** False: lists only. */
  readonly watchList: boolean
}
