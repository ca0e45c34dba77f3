/** Summarizes replays over one or more transports: which records are equal, explained, or neither. */
import type { Difference } from './compare.ts'
import { concerns, explained, open } from './explained.ts'
import type { Known } from './explained.ts'
import type { Golden } from './golden.ts'
import type { Result } from './replay.ts'

export interface Run {
  /** `HTTP` or `in process`. */
  readonly transport: string
  readonly results: readonly Result[]
}

export interface RecordSummary {
  readonly golden: Golden
  /** Differences by transport; none: the record is equal. */
  readonly differences: readonly { readonly transport: string; readonly found: readonly Difference[] }[]
  /** Set if the differences have an accepted reason. */
  readonly reason: string | undefined
  /** Set if the differences are known and to be fixed. */
  readonly open: string | undefined
}

export interface TopicSummary {
  readonly topic: string
  readonly total: number
  /** Equal over all transports. */
  readonly equal: number
  readonly explained: number
  readonly unexplained: number
  readonly equalBy: Readonly<Record<string, number>>
  readonly records: readonly RecordSummary[]
}

export interface Summary {
  readonly transports: readonly string[]
  /** By name. */
  readonly topics: readonly TopicSummary[]
  readonly total: number
  readonly equal: number
  readonly explained: number
  readonly unexplained: number
  /** Explanations for records that are equal. */
  readonly stale: readonly Known[]
}

/** The known differences. */
export interface Knowledge {
  readonly explained: readonly Known[]
  readonly open: readonly Known[]
}

export function summarise(runs: readonly Run[], known: Knowledge = { explained, open }): Summary {
  const transports = runs.map(({ transport }) => transport)
  const byTopic = new Map<string, RecordSummary[]>()
  const length = Math.min(...runs.map(({ results }) => results.length))
  for (let i = 0; i < length; i++) {
    const record = recordSummary(runs, i, known)
    if (record === undefined) continue
    const list = byTopic.get(record.golden.file)
    if (list === undefined) byTopic.set(record.golden.file, [record])
    else list.push(record)
  }
  const topics = [...byTopic]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([topic, records]) => topicSummary(topic, records, transports))
  const sum = (key: 'total' | 'equal' | 'explained' | 'unexplained'): number => {
    return topics.reduce((result, topic) => result + topic[key], 0)
  }
  const stale = [...known.explained, ...known.open].filter((entry) => {
    const records = (byTopic.get(entry.topic) ?? []).filter(({ golden }) => concerns(entry, golden))
    return records.length > 0 && records.every(({ differences }) => differences.length === 0)
  })
  return {
    transports,
    topics,
    total: sum('total'),
    equal: sum('equal'),
    explained: sum('explained'),
    unexplained: sum('unexplained'),
    stale,
  }
}

function recordSummary(runs: readonly Run[], i: number, known: Knowledge): RecordSummary | undefined {
  const golden = runs[0]?.results[i]?.golden
  if (golden === undefined) return undefined
  const differences = runs
    .map(({ transport, results }) => ({ transport, found: results[i]?.differences ?? [] }))
    .filter(({ found }) => found.length > 0)
  if (differences.length === 0) return { golden, differences, reason: undefined, open: undefined }
  const reasonIn = (list: readonly Known[]): string | undefined => list.find((entry) => concerns(entry, golden))?.reason
  return { golden, differences, reason: reasonIn(known.explained), open: reasonIn(known.open) }
}

function topicSummary(topic: string, records: readonly RecordSummary[], transports: readonly string[]): TopicSummary {
  const equal = records.filter(({ differences }) => differences.length === 0).length
  const withReason = records.filter(({ reason }) => reason !== undefined).length
  const equalBy = Object.fromEntries(
    transports.map((name) => {
      const same = records.filter(({ differences }) => !differences.some(({ transport }) => transport === name))
      return [name, same.length]
    }),
  )
  return {
    topic,
    total: records.length,
    equal,
    explained: withReason,
    unexplained: records.length - equal - withReason,
    equalBy,
    records,
  }
}

/** Why the run fails; empty if it succeeds. */
export function failures(summary: Summary): string[] {
  const found: string[] = []
  for (const { topic, records } of summary.topics) {
    const bad = records.filter(({ differences, reason, open: known }) => {
      return differences.length > 0 && reason === undefined && known === undefined
    })
    if (bad.length > 0) found.push(`${topic}: ${bad.length} unexplained`)
  }
  for (const { topic, case: name, n } of summary.stale) {
    found.push(
      `${[topic, name, n].filter((part) => part !== undefined).join(': ')} is equal; take it out of explained.ts`,
    )
  }
  return found
}
