/** Controllers beyond what `coxswain` exports: conditions, update filters, checkpoints, access rules. */
export type { Access, AccessTarget, Verb } from './access.ts'
export type { Checkpoint, CheckpointInputs } from './checkpoint.ts'
export { withCondition, withoutCondition } from './conditions.ts'
export type { ConditionStatus } from './conditions.ts'
export type { MapReads } from './definition.ts'
export { BeingDeletedError } from './errors.ts'
export { controllerReference } from './owner-references.ts'
export type { Requeue } from './result.ts'
export {
  allOf,
  annotationsChanged,
  anyOf,
  changed,
  finalizersChanged,
  generationChanged,
  labelsChanged,
} from './update-filters.ts'
