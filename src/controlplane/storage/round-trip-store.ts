/**
 * RoundTripStore: a store for tests that keeps only what JSON can represent. Every object that is read, and the data
 * kept with it, is serialised and parsed again for each reader. A server that behaves the same with it does not depend
 * on the identity of stored objects, or on anything attached to them, except the results of conversion webhooks.
 */
import { deepFreeze } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ForwardingStore } from './forwarding-store.ts'
import type { StoreListOptions, StoreListResult, PutNotes, Stored, StoreEvent, StoreWatch } from './store.ts'

export class RoundTripStore extends ForwardingStore {
  get(key: string): Stored | undefined {
    return reparsed(this.store.get(key))
  }

  list(prefix: string, options?: StoreListOptions): StoreListResult {
    const result = this.store.list(prefix, options)
    return { ...result, items: result.items.map((stored) => reparsed(stored)) }
  }

  put(key: string, expected: number, make: (revision: number) => KubeObject, notes?: PutNotes): Stored | undefined {
    return reparsed(this.store.put(key, expected, make, { needsRewrite: notes?.needsRewrite }))
  }

  delete(key: string, expected: number, make: (revision: number) => KubeObject): Stored | undefined {
    return reparsed(this.store.delete(key, expected, make))
  }

  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): StoreWatch {
    return this.store.watch(prefix, after, ({ type, key, revision, current, previous }) =>
      onEvent({ type, key, revision, current: reparsed(current), previous: reparsed(previous) }),
    )
  }

  /** This store owns the one behind it. */
  override close(): void {
    this.store.close()
  }
}

function reparsed(stored: Stored): Stored
function reparsed(stored: Stored | undefined): Stored | undefined
function reparsed(stored: Stored | undefined): Stored | undefined {
  return stored && new ReparsedVersion(stored)
}

class ReparsedVersion implements Stored {
  readonly key: string
  readonly object: KubeObject
  readonly revision: number
  readonly needsRewrite: boolean | undefined
  readonly #stored: Stored

  constructor(stored: Stored) {
    const { key, revision, needsRewrite, object } = stored
    this.key = key
    this.revision = revision
    this.needsRewrite = needsRewrite
    this.object = deepFreeze(JSON.parse((stored.encoded ??= JSON.stringify(object))) as KubeObject)
    this.#stored = stored
  }

  get conversions(): Stored['conversions'] {
    return this.#stored.conversions
  }

  set conversions(conversions: Stored['conversions']) {
    this.#stored.conversions = conversions
  }
}
