/** The result of a write: the stored version, or only the object for a dry run. */
import type { KubeObject } from '../../api/object.ts'
import type { Stored } from '../storage/store.ts'

export interface Written {
  readonly object: KubeObject
  readonly stored?: Stored
  readonly created: boolean
}
