/**
 * The tests of the recorded answers: our server must respond as the real one did. Split into several test files, so
 * that they run in parallel.
 *
 * Every topic runs over HTTP and in process, as `npm run conformance` does and `docs/internals/conformance.md` shows.
 * `.ci/run` repeats this with a store that serializes every object (`COXSWAIN_STORE=round-trip`).
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

const timeoutMs = 240_000

/** Part 1 of 4 has the largest topic, the fifth largest, and so on. */
export function answersAsRecorded(part: number, parts: number): void {
  const page = readFileSync(pageUrl, 'utf8')
  const topics = storedTopics()
    .toSorted((a, b) => requestsOf(page, b) - requestsOf(page, a))
    .filter((_, index) => index % parts === part - 1)

  describe(`the control plane answers as recorded, part ${part} of ${parts}`, () => {
    it('over HTTP and in process, as docs/internals/conformance.md says', { timeout: timeoutMs }, async () => {
      const summary = await replayed(topics, embeddedTargets(true, true))
      const lines = page.split('\n')
      const missing = [...topicRows(summary), ...differenceRows(summary)].filter((row) => !lines.includes(row))
      expect(missing, 'docs/internals/conformance.md is not current: npm run conformance').toEqual([])
    })
  })
}

async function replayed(topics: readonly string[], targets: readonly Open[]): Promise<Summary> {
  const summary = summarise(await replayTopics(topics.map(loadTopic), targets))
  const failed = failures(summary)
  expect(failed, failed.length > 0 ? textReport(summary) : '').toEqual([])
  return summary
}

/** The number of requests of a topic according to the page; 0 if it is missing. */
function requestsOf(page: string, topic: string): number {
  return Number(new RegExp(`^\\| ${topic.replaceAll('.', '\\.')} \\| (\\d+) \\|`, 'm').exec(page)?.[1] ?? 0)
}
