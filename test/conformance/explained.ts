/**
 * Differences that stay, each with its reason. They go into `docs/conformance.md`. An entry whose record has become equal
 * fails the run, so that the list stays true.
 */
export interface Explained {
  /** The number of a file, or a topic of the differential suite. */
  readonly file: string
  /** One record of it; in the suite, the case by its name. */
  readonly n?: number
  readonly case?: string
  /** Why the embedded control plane answers otherwise, in one or two sentences for its users. */
  readonly reason: string
}

export const explained: readonly Explained[] = []

export function explains(entry: Explained, record: { file: string; n: number; case: string | undefined }): boolean {
  return entry.file === record.file && (entry.n ?? record.n) === record.n && (entry.case ?? record.case) === record.case
}
