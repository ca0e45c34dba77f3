/** One version of one key, and its weight: history is limited in bytes as well as in number. */
import type { KnownParts } from '../../api/known-part.ts'
import type { KubeObject } from '../../api/object.ts'
import { freezeAndWeigh } from '../../api/recurring-part.ts'
import type { ServedForms, Stored, StoreEvent } from './store.ts'

export class StoredVersion implements Stored {
  readonly key: string
  readonly object: KubeObject
  readonly revision: number
  readonly needsRewrite: boolean
  encoded: string | undefined = undefined
  forms: ServedForms | undefined = undefined
  conversions: Stored['conversions'] = undefined
  textLength: number | undefined = undefined
  parts: KnownParts | undefined = undefined
  /** The approximate number of bytes that this version does not share with the one it was made from. */
  readonly weight: number

  /** Freezes the object. */
  constructor(key: string, object: KubeObject, revision: number, needsRewrite: boolean) {
    this.key = key
    this.object = object
    this.revision = revision
    this.needsRewrite = needsRewrite
    this.weight = freezeAndWeigh(object)
  }
}

/** A {@link StoreEvent} of the memory store. */
export interface StoreChange extends StoreEvent {
  readonly current: StoredVersion
  readonly previous: StoredVersion | undefined
}

/** An event, its version and their slots in the logs. */
const eventOverheadBytes = 200

/**
 * The memory that a change in history keeps alive: the replaced version. The new version of a put is live, or is
 * counted with the change that replaced it.
 */
export function weightOf(change: StoreChange): number {
  const replaced = change.previous === undefined ? 0 : change.previous.weight
  return eventOverheadBytes + replaced + (change.type === 'delete' ? change.current.weight : 0)
}
