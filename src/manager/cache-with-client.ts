/** The same cache with the client of another writer. */
import type { Cache } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'

export function cacheWithClient(cache: Cache, client: Client): Cache {
  return {
    client,
    informer: cache.informer.bind(cache),
    get: cache.get.bind(cache),
    list: cache.list.bind(cache),
    remove: (kind) => cache.remove(kind),
    tracked: (other) => cache.tracked(other),
    run: (signal) => cache.run(signal),
    whenSynced: (signal) => cache.whenSynced(signal),
    get informers() {
      return cache.informers
    },
  }
}
