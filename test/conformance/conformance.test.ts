/** The embedded control plane against the recording, over HTTP and in process: what `npm run conformance` does. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadRecording } from './golden.ts'
import { markdownReport, textReport } from './report.ts'
import { embeddedTargets, pageUrl, readBaseline, runAll } from './run.ts'
import { failures, summarise } from './summary.ts'

test('the control plane answers as recorded', { timeout: 120_000 }, async () => {
  const recording = loadRecording()
  const summary = summarise(recording, await runAll(recording, embeddedTargets(recording, true, true)))
  const failed = failures(summary, readBaseline())
  expect(failed, failed.length > 0 ? textReport(summary) : '').toEqual([])
  expect(markdownReport(summary), 'docs/conformance.md is not current: npm run conformance').toBe(
    readFileSync(pageUrl, 'utf8'),
  )
})
