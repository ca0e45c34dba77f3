/** What a kind's folder contributes to its rules: only functions, and only those that differ. */
import type { Strategy } from '../contract/resource.ts'

type Functions =
  | 'default'
  | 'checkGrants'
  | 'prepareForCreate'
  | 'prepareForUpdate'
  | 'prepareForStatusUpdate'
  | 'validate'
  | 'validateUpdate'
  | 'validateStatusUpdate'
  | 'checksUnchanged'
  | 'warnings'
  | 'statusWarnings'
  | 'gracePeriod'
  | 'markDeleting'
  | 'holdsDeletion'
  | 'selectableField'
  | 'subresources'
  | 'shown'
  | 'tableForm'
  | 'rowConditions'

export type KindStrategy = Pick<Strategy, Functions> & {
  /** Which changes count as a new generation, where that is not `spec`. */
  readonly generation?: Exclude<Strategy['generation'], string>
}
