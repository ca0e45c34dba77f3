/** Options of the operator. */
import type { Backoff } from './state/failure.ts'

export interface WebAppOptions {
  /** Milliseconds between checks of an app to which nothing happens. Default 30 s. */
  readonly checkEveryMs?: number | undefined
  /** Milliseconds between status writes that only report progress. Default 5 s. */
  readonly progressIntervalMs?: number | undefined
  /**
   * Milliseconds that a rollout has to complete before the status reports that it is in progress. Until then the new
   * generation is not observed, which says the same. Default 1 s.
   */
  readonly rolloutGraceMs?: number | undefined
  /** Milliseconds until a deletion is reported as stuck; it continues nevertheless. Default 5 min. */
  readonly deletionDeadlineMs?: number | undefined
  /** After a failure. Default 10 s, doubled each time, 1 h at most. */
  readonly retry?: Backoff | undefined
  /** Apps worked on at the same time. Default 8. */
  readonly concurrency?: number | undefined
  /**
   * Watch the Secrets of all watched namespaces, and react to a change at once. Needs list and watch on Secrets.
   * Default false: a run reads the Secrets that its app refers to, so a change is found by the next check.
   */
  readonly watchSecrets?: boolean | undefined
}

export type Settings = { readonly [Name in keyof WebAppOptions]-?: Exclude<WebAppOptions[Name], undefined> }

export const defaults: Settings = {
  checkEveryMs: 30_000,
  progressIntervalMs: 5_000,
  rolloutGraceMs: 1_000,
  deletionDeadlineMs: 300_000,
  retry: { baseMs: 10_000, maxMs: 3_600_000 },
  concurrency: 8,
  watchSecrets: false,
}
