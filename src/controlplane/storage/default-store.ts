/** The store of a control plane that is given none. */
import { MemoryStore, type MemoryStoreOptions } from './memory-store.ts'
import { RoundTripStore } from './round-trip-store.ts'
import type { Store } from './store.ts'

/**
 * In memory. With `COXSWAIN_STORE=round-trip` in the environment, for tests, every object that is read has been
 * serialised and parsed; any other value is refused.
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
