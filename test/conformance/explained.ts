/**
 * Known differences, each with its reason, listed in `docs/internals/conformance.md`. An entry whose records have
 * become equal fails the run.
 */
export interface Known {
  readonly topic: string
  /** The case by its name; absent: all of the topic. */
  readonly case?: string
  /** One record of it. */
  readonly n?: number
  /** Why the embedded control plane answers otherwise, in one or two sentences for its users. */
  readonly reason: string
}

/** Differences that stay: what cannot be had in one Node process. */
export const explained: readonly Known[] = []

/** Differences that are to be mended. They count as unexplained, but do not fail the run. */
export const open: readonly Known[] = []

export function concerns(entry: Known, record: { file: string; n: number; case: string | undefined }): boolean {
  return (
    entry.topic === record.file && (entry.n ?? record.n) === record.n && (entry.case ?? record.case) === record.case
  )
}
