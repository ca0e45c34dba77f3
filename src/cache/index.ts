/** Informers, listers and indexes. */
export { StaleCacheError } from './cache-error.ts'
export type { Cache, CacheListOptions, Handler, Informer, InformerOptions, Lister } from './cache.ts'
export { createCache } from './create-cache.ts'
