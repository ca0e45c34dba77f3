/** The reference cluster's exports for tests and benchmarks. */
export { startCluster } from './cluster.ts'
export type { Cluster, ClusterOptions } from './cluster.ts'
export { areBuilt, ensurePrograms } from './build.ts'
export { BuildFailed, ClusterError, GoMissing, isUnavailable, ModulesUnavailable, StartFailed } from './errors.ts'
export { request } from './request.ts'
export type { Access, Answer } from './request.ts'
export type { User, UserName, Users } from './users.ts'
