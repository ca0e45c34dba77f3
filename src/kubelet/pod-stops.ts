/** When the containers of deleted pods were told to stop. */
import { keyOf, keyText, type Live, type ObjectKey, type Pod } from '../index.ts'

/**
 * Expected flow: a kubelet tells containers to stop when it sees that their pod is being deleted. `deletionTimestamp`
 * does not tell when that was: it has whole seconds, so a pod that is deleted late in a second would have been stopping
 * for most of it already, and vanish at once.
 *
 * Caveats: a kubelet that was restarted has forgotten the time. Then it is the latest one that the timestamp allows.
 */
export class PodStops {
  readonly #seen = new Map<string, { readonly uid: string; readonly at: number }>()

  /** Milliseconds since the epoch. */
  begunAt(pod: Live<Pod>, now: number): number {
    const { uid, deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = pod.metadata
    const key = keyText(keyOf(pod))
    let seen = this.#seen.get(key)
    if (seen?.uid !== uid) this.#seen.set(key, (seen = { uid, at: now }))
    const latest = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000 + 999
    return Math.min(seen.at, latest)
  }

  forget(key: ObjectKey): void {
    this.#seen.delete(keyText(key))
  }
}
