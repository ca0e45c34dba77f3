/** Sums up replays over one or more transports: which records are equal, explained, or neither. */
import type { Difference } from './compare.ts'
import { explained, explains } from './explained.ts'
import type { Explained } from './explained.ts'
import { reportedFiles } from './golden.ts'
import type { Golden, Recording } from './golden.ts'
import type { Result } from './replay.ts'

export interface Run {
  /** `HTTP` or `in process`. */
  readonly transport: string
  readonly results: readonly Result[]
}

export interface RecordSummary {
  readonly golden: Golden
  /** Differences by transport; a record without any is equal. */
  readonly differences: readonly { readonly transport: string; readonly found: readonly Difference[] }[]
  /** Set if there are differences and a reason for them. */
  readonly reason: string | undefined
}

export interface FileSummary {
  readonly file: string
  readonly title: string
  /** Whether unexplained differences fail the run. */
  readonly required: boolean
  readonly total: number
  /** Equal over every transport. */
  readonly equal: number
  readonly explained: number
  readonly unexplained: number
  readonly equalBy: Readonly<Record<string, number>>
  readonly records: readonly RecordSummary[]
}

export interface Summary {
  readonly transports: readonly string[]
  /** By number. */
  readonly files: readonly FileSummary[]
  readonly total: number
  readonly equal: number
  readonly explained: number
  readonly unexplained: number
  /** Reasons given for records that are equal. */
  readonly stale: readonly Explained[]
}

export function summarise(recording: Recording, runs: readonly Run[], reasons = explained): Summary {
  const transports = runs.map(({ transport }) => transport)
  const byFile = new Map<string, RecordSummary[]>()
  const length = Math.min(...runs.map(({ results }) => results.length))
  for (let i = 0; i < length; i++) {
    const record = recordSummary(runs, i, reasons)
    if (record === undefined) continue
    const list = byFile.get(record.golden.file) ?? []
    list.push(record)
    byFile.set(record.golden.file, list)
  }
  const files = [...byFile]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([file, records]) => fileSummary(file, recording.titles.get(file) ?? file, records, transports))
  const sum = (key: 'total' | 'equal' | 'explained' | 'unexplained'): number => {
    return files.reduce((result, file) => result + file[key], 0)
  }
  const stale = reasons.filter((entry) => {
    const records = (byFile.get(entry.file) ?? []).filter(({ golden }) => explains(entry, golden))
    return records.length > 0 && records.every(({ differences }) => differences.length === 0)
  })
  return {
    transports,
    files,
    total: sum('total'),
    equal: sum('equal'),
    explained: sum('explained'),
    unexplained: sum('unexplained'),
    stale,
  }
}

function recordSummary(runs: readonly Run[], i: number, reasons: readonly Explained[]): RecordSummary | undefined {
  const golden = runs[0]?.results[i]?.golden
  if (golden === undefined) return undefined
  const differences = runs
    .map(({ transport, results }) => ({ transport, found: results[i]?.differences ?? [] }))
    .filter(({ found }) => found.length > 0)
  const known = reasons.find((entry) => explains(entry, golden))
  return { golden, differences, reason: differences.length > 0 ? known?.reason : undefined }
}

function fileSummary(
  file: string,
  title: string,
  records: readonly RecordSummary[],
  transports: readonly string[],
): FileSummary {
  const equal = records.filter(({ differences }) => differences.length === 0).length
  const withReason = records.filter(({ reason }) => reason !== undefined).length
  const equalBy = Object.fromEntries(
    transports.map((name) => {
      const same = records.filter(({ differences }) => !differences.some(({ transport }) => transport === name))
      return [name, same.length]
    }),
  )
  return {
    file,
    title,
    required: !reportedFiles.includes(file),
    total: records.length,
    equal,
    explained: withReason,
    unexplained: records.length - equal - withReason,
    equalBy,
    records,
  }
}

/** How many records of each file were equal when the baseline was last updated. */
export type Baseline = Readonly<Record<string, number>>

/** Why the run fails; empty if it does not. */
export function failures(summary: Summary, baseline: Baseline | undefined): string[] {
  const found: string[] = []
  for (const { file, title, required, equal, unexplained } of summary.files) {
    if (required && unexplained > 0) found.push(`${title}: ${unexplained} unexplained, none allowed`)
    const before = baseline?.[file] ?? 0
    if (equal < before) found.push(`${title}: ${equal} equal, ${before} before (test/conformance/baseline.json)`)
  }
  for (const { file, n, case: name } of summary.stale) found.push(`${file}/${n ?? name} is equal; take its reason out of explained.ts`)
  return found
}
