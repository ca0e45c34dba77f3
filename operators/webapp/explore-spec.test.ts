/** Some operations on an app's spec; `npm run -s explore:spec` plays all of them. */
import { expect, it } from 'vitest'
import { exploreSpec, type SpecReport } from 'coxswain/testing'
import { specExploration } from './testing/spec-exploration.ts'

const failed = ({ operations }: SpecReport) => operations.filter(({ outcome }) => outcome === 'failed')

it('the WebApp operator follows changes of fields of the spec, and comes back', { timeout: 60_000 }, async () => {
  const report = await exploreSpec({ ...specExploration(), atMost: 4 })
  expect(failed(report), report.text).toEqual([])
  expect(report.operations).toHaveLength(4)
})

it('the pods of an app without a service account have the default one, also if it was removed', async () => {
  const report = await exploreSpec({ ...specExploration(), only: 'spec.serviceAccountName/other' })
  expect(
    report.operations.map(({ outcome }) => outcome),
    report.text,
  ).toEqual(['passed'])
})
