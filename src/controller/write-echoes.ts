/**
 * Versions that runs of each key have written and the cache has not shown yet: of the object itself, and of others by
 * `apply` or `client.create`. An event with such a version is an echo; the run that caused it knew everything: reads
 * wait for own writes, a write to the object itself fails if the object has changed since the run read it, and changes
 * by others to an applied object cause their own events. One exception: a relist after a broken watch may show only our
 * version, with a change by another writer in it. The next run finds that.
 */
import type { Triggers } from './triggers.ts'

/** Nothing has changed since the last run. */
export interface Echo {
  /** When the key must run again, as that run asked, by the monotonic clock. */
  readonly dueAt: number | undefined
}

interface Written extends Echo {
  /** Versions that the cache has not shown yet. */
  readonly versions: Set<string>
}

/** The maximum: after a relist, a watch may never show some versions. */
const maxVersions = 16

export class WriteEchoes {
  readonly #written = new Map<string, Written>()

  /** A run has completed. */
  expect(key: string, versions: readonly string[], dueAt: number | undefined): void {
    if (versions.length === 0) return this.forget(key)
    const unseen = [...(this.#written.get(key)?.versions ?? []), ...versions]
    this.#written.set(key, { versions: new Set(unseen.slice(-maxVersions)), dueAt })
  }

  /** The echo that triggered the run; undefined if there is any other trigger. */
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
