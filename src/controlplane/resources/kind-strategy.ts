/** The part of a strategy that the folder of a kind defines: only functions, and only where the kind differs. */
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
  /** Decides which changes increment the generation, if not those of the spec. */
  readonly generation?: Exclude<Strategy['generation'], string>
}
