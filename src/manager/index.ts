/** The manager: start and stop order, leader election, probes. */
export { NotLeaderError } from './fenced-transport.ts'
export type { Check } from './health.ts'
export type { ElectionOptions, LeaseOptions } from './lease-election.ts'
export { CacheSyncError, LeaseLostError, StillWorkingError } from './manager-errors.ts'
export { Manager } from './manager.ts'
export type { ManagerOptions, ManagerState, Task, TaskServices } from './manager.ts'
