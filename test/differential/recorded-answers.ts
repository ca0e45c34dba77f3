/**
 * The tests of the recorded answers: our server must respond as the real one did. Split into several test files, so
 * that they run in parallel.
 *
 * In `npm test` the topics take turns: one runs over HTTP, the next one in process. In the long form each runs over
 * both, as `npm run conformance` does and `docs/internals/conformance.md` shows. `.ci/run` runs the long form once more
 * with a store that serializes every object (`COXSWAIN_STORE=round-trip`).
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { differenceRows, textReport, topicRows } from '../conformance/report.ts'
import { failures, summarise } from '../conformance/summary.ts'
import type { Summary } from '../conformance/summary.ts'
import { embeddedTargets } from './embedded.ts'
import type { Open } from './embedded.ts'
import { loadTopic, pageUrl, storedTopics } from './fixtures.ts'
import { replayTopics } from './replay-cases.ts'
import { isLong } from '../long.ts'

const timeoutMs = 240_000
const notCurrent = 'docs/internals/conformance.md is not current: npm run conformance'

const transports = ['HTTP', 'in process'] as const

interface Replay {
  readonly over: readonly (typeof transports)[number][]
  readonly topics: readonly string[]
}

/** Part 1 of 4 has the largest topic, the fifth largest, and so on. */
export function answersAsRecorded(part: number, parts: number): void {
  const page = readFileSync(pageUrl, 'utf8')
  const own = storedTopics()
    .toSorted((a, b) => requestsOf(page, b) - requestsOf(page, a))
    .filter((_, index) => index % parts === part - 1)

  describe(`the control plane answers as recorded, part ${part} of ${parts}`, () => {
    for (const { over, topics } of replaysOf(own, part))
      it(`over ${over.join(' and ')}, as docs/internals/conformance.md says`, { timeout: timeoutMs }, async () => {
        const summary = await replayed(topics, embeddedTargets(over.includes('HTTP'), over.includes('in process')))
        const found = summary.topics.map(({ topic, total, equalBy }) => [
          topic,
          total,
          ...over.map((name) => equalBy[name]),
        ])
        expect(found, notCurrent).toEqual(summary.topics.map(({ topic }) => countsOf(page, topic, over)))
        if (over.length < transports.length) return
        const lines = page.split('\n')
        const missing = [...topicRows(summary), ...differenceRows(summary)].filter((row) => !lines.includes(row))
        expect(missing, notCurrent).toEqual([])
      })
  })
}

/** All topics over both transports, or each over one of them. The largest topics of all parts are not over the same. */
function replaysOf(topics: readonly string[], part: number): Replay[] {
  if (isLong) return [{ over: transports, topics }]
  return transports.map((name, turn) => ({
    over: [name],
    topics: topics.filter((_, index) => (index + part) % transports.length === turn),
  }))
}

async function replayed(topics: readonly string[], targets: readonly Open[]): Promise<Summary> {
  const summary = summarise(await replayTopics(topics.map(loadTopic), targets))
  const failed = failures(summary)
  expect(failed, failed.length > 0 ? textReport(summary) : '').toEqual([])
  return summary
}

/** A topic, its requests, and how many are equal over these transports, according to the page. */
function countsOf(page: string, topic: string, over: Replay['over']): (string | number | undefined)[] {
  const row = page.split('\n').find((line) => line.startsWith(`| ${topic} |`)) ?? ''
  const [total, , ...equalBy] = row.split('|').slice(2, -1).map(Number)
  return [topic, total, ...over.map((name) => equalBy[transports.indexOf(name)])]
}

/** The number of requests of a topic according to the page; 0 if it is missing. */
function requestsOf(page: string, topic: string): number {
  return Number(new RegExp(`^\\| ${topic.replaceAll('.', '\\.')} \\| (\\d+) \\|`, 'm').exec(page)?.[1] ?? 0)
}
