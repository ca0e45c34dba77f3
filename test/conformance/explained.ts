/**
 * Known differences, each with its reason, listed in `docs/internals/conformance.md`. An entry whose records are equal
 * fails the run.
 */
export interface Known {
  readonly topic: string
  /** The name of the case; absent: all cases of the topic. */
  readonly case?: string
  /** One record of the case. */
  readonly n?: number
  /** Why the embedded control plane responds differently, in one or two sentences for users. */
  readonly reason: string
}

/** Differences that stay, because one Node process cannot do otherwise. */
export const explained: readonly Known[] = []

/** Differences that are to be fixed. They count as unexplained, but do not fail the run. */
export const open: readonly Known[] = []

export function concerns(entry: Known, record: { file: string; n: number; case: string | undefined }): boolean {
  return (
    entry.topic === record.file && (entry.n ?? record.n) === record.n && (entry.case ?? record.case) === record.case
  )
}
