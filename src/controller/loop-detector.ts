/**
 * Detects reconcile loops: runs of one key that keep writing although its spec is the same. A run counts if it changes
 * owned objects (a fight with another writer, or a desired state that differs each time), or if it writes the status
 * when only its own writes had triggered it. Following the progress of others (a rollout) in the status is not a loop.
 */
import type { Triggers } from './triggers.ts'

/** One write of a run. */
export interface RunWrite {
  /** A description: `App web (status)`. */
  readonly what: string
  /** The resulting version. */
  readonly version: string
  readonly isStatus: boolean
}

/** The writes of a run. */
export interface RunWrites {
  readonly generation: number | undefined
  readonly writes: readonly RunWrite[]
}

/** More such runs than this within a minute make a loop. */
const maxRuns = 10
const windowMs = 60_000
/** At most one warning per key within this time. */
const warningIntervalMs = 600_000

interface Track {
  readonly generation: number | undefined
  /** The times of counted runs within the last minute. */
  readonly runs: readonly number[]
  /** The versions that the last run wrote. */
  readonly versions: ReadonlySet<string>
  warnedAt: number
}

const none: ReadonlySet<string> = new Set()

export class LoopDetector {
  readonly #tracks = new Map<string, Track>()

  /** Records a run. Returns a text if it is one too many: what is written repeatedly. */
  note(key: string, { generation, writes }: RunWrites, triggers: Triggers, now: number): string | undefined {
    const before = this.#tracks.get(key)
    if (before === undefined && writes.length === 0) return undefined
    const known = before?.generation === generation ? before : undefined
    const runs = (known?.runs ?? []).filter((at) => now - at < windowMs)
    const counts =
      writes.some(({ isStatus }) => !isStatus) || (writes.length > 0 && isSelfMade(triggers, known?.versions ?? none))
    if (counts) runs.push(now)
    // The run after an own write often finds everything as desired: that does not end a loop. An idle key is forgotten
    // after a minute.
    if (writes.length === 0 && runs.length === 0) {
      this.#tracks.delete(key)
      return undefined
    }
    const versions = new Set(writes.map(({ version }) => version))
    const track: Track = { generation, runs, versions, warnedAt: known?.warnedAt ?? -Infinity }
    this.#tracks.set(key, track)
    if (!counts || runs.length <= maxRuns || now - track.warnedAt < warningIntervalMs) return undefined
    track.warnedAt = now
    const what = writes.map((write) => write.what).join('; ')
    return `ran ${runs.length} times within a minute though its spec did not change; what it keeps writing: ${what}`
  }

  forget(key: string): void {
    this.#tracks.delete(key)
  }
}

function isSelfMade({ first, count }: Triggers, versions: ReadonlySet<string>): boolean {
  return (
    count > 0 && count === first.length && first.every(({ version }) => version !== undefined && versions.has(version))
  )
}
