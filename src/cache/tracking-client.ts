/** A client whose writes are reported to the cache, so that later reads of the cache wait for them. */
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  Partially,
  Patch,
  SelectorOptions,
  WriteOptions,
} from '../client/client.ts'
import type { DefaultingKind, Kind } from '../schema/kind.ts'
import { selectionOf } from './selection.ts'
import type { KindInformer } from './kind-informer.ts'

/** The informers of a kind, one for each cached version: a write in one version changes all. */
export type InformerLookup = (kind: Kind) => readonly KindInformer<ApiObject>[]

/**
 * Caveats: a write without a response is not reported, since it is unknown whether it happened. Nor are actions of the
 * server itself: an eviction, a garbage collection.
 */
export function trackingClient(client: Client, informersOf: InformerLookup): Client {
  const written = <T extends ApiObject>(kind: Kind<T>, object: Live<T>, options: WriteOptions | undefined): Live<T> => {
    if (options?.dryRun !== true) for (const { writes } of informersOf(kind)) writes.written(object as Live<ApiObject>)
    return object
  }
  return {
    get: (kind, key, options) => client.get(kind, key, options),
    list: (kind, options) => client.list(kind, options),
    pages: (kind, options) => client.pages(kind, options),
    watch: (kind, options) => client.watch(kind, options),
    createSubresource: (kind, key, subresource, body, options) =>
      client.createSubresource(kind, key, subresource, body, options),
    raw: (method, path, options) => client.raw(method, path, options),

    async create<T extends ApiObject, Input = T>(
      kind: DefaultingKind<T, Input>,
      object: NoInfer<Input>,
      options?: WriteOptions,
    ) {
      return written(kind, await client.create(kind, object, options), options)
    },
    async update<T extends ApiObject, Input = T>(
      kind: DefaultingKind<T, Input>,
      object: NoInfer<Input>,
      options?: WriteOptions,
    ) {
      return written(kind, await client.update(kind, object, options), options)
    },
    async patch<T extends ApiObject>(kind: Kind<T>, key: ObjectKey, patch: Patch, options?: WriteOptions) {
      return written(kind, await client.patch(kind, key, patch, options), options)
    },
    async apply<T extends ApiObject>(kind: Kind<T>, object: Partially<T>, options?: ApplyOptions) {
      return written(kind, await client.apply(kind, object, options), options)
    },
    async delete<T extends ApiObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions) {
      const left = await client.delete(kind, key, options)
      for (const { writes } of options?.dryRun === true ? [] : informersOf(kind)) {
        if (left === undefined) writes.deleted(key, options?.uid)
        else writes.marked(left as Live<ApiObject>)
      }
      return left
    },
    async deleteCollection<T extends ApiObject>(kind: Kind<T>, options?: SelectorOptions & DeleteOptions) {
      await client.deleteCollection(kind, options)
      for (const informer of options?.dryRun === true ? [] : informersOf(kind)) {
        informer.writes.deletedAll(options?.namespace, selectionOf(options ?? {}), informer.stores(options?.namespace))
      }
    },
  }
}
