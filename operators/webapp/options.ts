/** What whoever runs the operator may choose. */
import type { Backoff } from './state/failure.ts'

export interface WebAppOptions {
  /** Milliseconds between checks of an app to which nothing happens. Default 30 s. */
  readonly checkEveryMs?: number | undefined
  /** Milliseconds between writes that tell of nothing but progress. Default 5 s. */
  readonly progressIntervalMs?: number | undefined
  /**
   * Milliseconds that a roll-out has to come through before it is told that it goes on. Until then the new generation
   * is not observed, which says the same. Default 1 s.
   */
  readonly rolloutGraceMs?: number | undefined
  /** Milliseconds that a deletion may take until it is told to be stuck; it goes on all the same. Default 5 min. */
  readonly deletionDeadlineMs?: number | undefined
  /** After a failure. Default 10 s, doubled each time, 1 h at most. */
  readonly retry?: Backoff | undefined
  /** Apps worked on at the same time. Default 8. */
  readonly concurrency?: number | undefined
}

export type Settings = { readonly [Name in keyof WebAppOptions]-?: Exclude<WebAppOptions[Name], undefined> }

export const defaults: Settings = {
  checkEveryMs: 30_000,
  progressIntervalMs: 5_000,
  rolloutGraceMs: 1_000,
  deletionDeadlineMs: 300_000,
  retry: { baseMs: 10_000, maxMs: 3_600_000 },
  concurrency: 8,
}
