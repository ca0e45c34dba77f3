/** Base class of stores that change the objects of another store. Everything else is forwarded. */
import type { KubeObject } from '../../api/object.ts'
import type { StoreListOptions, StoreListResult, PutNotes, Store, StoreEvent, StoreWatch, Stored } from './store.ts'

export abstract class ForwardingStore implements Store {
  protected readonly store: Store

  constructor(store: Store) {
    this.store = store
  }

  get revision(): number {
    return this.store.revision
  }

  get compactedRevision(): number {
    return this.store.compactedRevision
  }

  /** The object as it is stored, even if it cannot be converted. */
  peek(key: string): Stored | undefined {
    return this.store.get(key)
  }

  count(prefix: string): number {
    return this.store.count(prefix)
  }

  onWrite(listener: (revision: number) => void): StoreWatch {
    return this.store.onWrite(listener)
  }

  compact(revision: number): void {
    this.store.compact(revision)
  }

  /** The store is closed by its owner. */
  close(): void {}

  abstract get(key: string): Stored | undefined
  abstract list(prefix: string, options?: StoreListOptions): StoreListResult
  abstract put(
    key: string,
    expected: number,
    make: (revision: number) => KubeObject,
    notes?: PutNotes,
  ): Stored | undefined
  abstract delete(key: string, expected: number, make: (revision: number) => KubeObject): Stored | undefined
  abstract watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): StoreWatch
}
