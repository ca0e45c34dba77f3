/** Informers, listers and indexes. */
export {
  ProjectionError,
  RepeatedInformerError,
  StaleCacheError,
  UndeclaredKindError,
  UnknownIndexError,
  WideInformerError,
} from './cache-error.ts'
export type { Cache, CacheListOptions, Handler, Informer, InformerOptions, Lister } from './cache.ts'
export { createCache } from './create-cache.ts'
