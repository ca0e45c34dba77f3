/**
 * The embedded control plane against all recorded answers, over HTTP and in process: what `npm run conformance` does.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { markdownReport, textReport } from '../conformance/report.ts'
import { failures, summarise } from '../conformance/summary.ts'
import { embeddedTargets } from './embedded.ts'
import { loadTopic, pageUrl, storedTopics } from './fixtures.ts'
import { replayTopics } from './replay-cases.ts'

test('the control plane answers as recorded', { timeout: 240_000 }, async () => {
  const summary = summarise(await replayTopics(storedTopics().map(loadTopic), embeddedTargets(true, true)))
  const failed = failures(summary)
  expect(failed, failed.length > 0 ? textReport(summary) : '').toEqual([])
  expect(markdownReport(summary), 'docs/internals/conformance.md is not current: npm run conformance').toBe(
    readFileSync(pageUrl, 'utf8'),
  )
})
