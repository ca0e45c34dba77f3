/** Tests of operators: the embedded control plane, a simulated clock, faults on request. */
export { embedded } from './embedded.ts'
export type { ApplyObject, Embedded, EmbeddedOptions, SeenEvent } from './embedded.ts'
export { faultyTransport } from './faulty-transport.ts'
export type { Fault, FaultPlan } from './faulty-transport.ts'
export { matchers } from './matchers.ts'
export { NotSettledError, settle } from './settle.ts'
export type { SettleOptions } from './settle.ts'
