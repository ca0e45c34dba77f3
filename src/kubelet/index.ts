/** Simulated nodes and the pods on them. */
export { faultNames } from './behaviour.ts'
export type { Behaviour, BehaviourRule } from './behaviour.ts'
export { lostAnnotation, nodesTask } from './nodes.ts'
export type { NodeOptions } from './nodes.ts'
export { kubelets } from './pods.ts'
export type { KubeletOptions } from './pods.ts'
