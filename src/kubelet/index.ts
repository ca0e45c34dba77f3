/** Simulated nodes and the pods on them. */
export { podFaultNames } from './behaviour.ts'
export type { Behaviour, BehaviourRule, LogEntry } from './behaviour.ts'
export { containerLogs } from './container-log.ts'
export type { ContainerLog, ContainerLogs } from './container-log.ts'
export { lostAnnotation, nodesTask } from './nodes.ts'
export type { NodeOptions } from './nodes.ts'
export { kubelets } from './pods.ts'
export type { KubeletOptions } from './pods.ts'
