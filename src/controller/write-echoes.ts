/**
 * What the runs of each key have written, until the cache shows it: to the object itself, and to others by `apply` or
 * `client.create`. Such an event is the echo of a run that knew all there was: reads wait for own writes, a write to
 * the object itself was refused unless that was still as the run had read it, and what others did to an applied object
 * comes as an event of its own. But for one case: a new list, in place of a broken watch, may show only our version,
 * with a change of somebody else's in it. That is found in the next run.
 */
import type { Triggers } from './triggers.ts'

/** Nothing is new since the last run. */
export interface Echo {
  /** When that run asked to run again, in milliseconds since the epoch. */
  readonly dueAt: number | undefined
}

interface Written extends Echo {
  /** Versions that the cache has not shown. */
  readonly versions: Set<string>
}

/** Those of a watch that skips some, after a new list, never come. */
const maxVersions = 16

export class WriteEchoes {
  readonly #written = new Map<string, Written>()

  /** A run has come through. */
  expect(key: string, versions: readonly string[], dueAt: number | undefined): void {
    if (versions.length === 0) return this.forget(key)
    const unseen = [...(this.#written.get(key)?.versions ?? []), ...versions]
    this.#written.set(key, { versions: new Set(unseen.slice(-maxVersions)), dueAt })
  }

  /** The echo that a run would answer; undefined when it has any other reason. */
  match(key: string, { first, count }: Triggers): Echo | undefined {
    const written = this.#written.get(key)
    if (written === undefined || count === 0 || count > first.length) return undefined
    const { versions } = written
    const isEcho = first.every(
      ({ verb, version }) => (verb === 'update' || verb === 'add') && version !== undefined && versions.has(version),
    )
    for (const { version } of first) if (version !== undefined) versions.delete(version)
    if (versions.size === 0) this.#written.delete(key)
    return isEcho ? written : undefined
  }

  forget(key: string): void {
    this.#written.delete(key)
  }
}
