/** The typed client, its transports and the access to a cluster. */
export type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  LiveList,
  Partially,
  Patch,
  WatchEvent,
  WatchEvents,
  WriteOptions,
} from './client.ts'
export { clusterTransport } from './cluster-access.ts'
export type { ServedKind } from './discovery.ts'
export { HttpTransport } from './http-transport.ts'
export { inProcessTransport } from './in-process-transport.ts'
export { KubeconfigError } from './kubeconfig-file.ts'
export { loadAccess } from './load-access.ts'
export { RestClient } from './rest-client.ts'
export { KindNotServedError, RestMapper } from './rest-mapper.ts'
export { TransportError } from './transport.ts'
export type { Transport } from './transport.ts'
export { createOrGet, retryOnConflict } from './write-races.ts'
