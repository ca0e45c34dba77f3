/** The default store of a control plane. */
import { MemoryStore, type MemoryStoreOptions } from './memory-store.ts'
import { RoundTripStore } from './round-trip-store.ts'
import type { Store } from './store.ts'

/**
 * A memory store. For tests, `COXSWAIN_STORE=round-trip` in the environment makes a store whose objects are serialised
 * and parsed on every read. Throws for any other value.
 */
export function defaultStore(
  options: MemoryStoreOptions,
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Store {
  const mode = variables['COXSWAIN_STORE'] ?? ''
  const store = new MemoryStore(options)
  if (mode === '' || mode === 'memory') return store
  if (mode === 'round-trip') return new RoundTripStore(store)
  throw new TypeError(`COXSWAIN_STORE is ${JSON.stringify(mode)}; it may be memory or round-trip`)
}
