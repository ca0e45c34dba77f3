/** What a write left behind: the stored version, or under dry run only the object. */
import type { KubeObject } from '../../api/object.ts'
import type { Stored } from '../storage/store.ts'

export interface Written {
  readonly object: KubeObject
  readonly stored?: Stored
  readonly created: boolean
}
