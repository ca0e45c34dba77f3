import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { docsPage } from '../../../test/docs/page.ts'
import { pageScript, pageScriptHash } from './html/page-script.ts'
import { reportHtml } from './html/page.ts'
import { reportJunit } from './junit.ts'
import { joinReports, makeReport, reportJson } from './make-report.ts'
import type { ExploreFailure, ExploreReport } from './report.ts'

const hostile = `"><script>alert('1')</script>&\u0000\ud800`

const failure: ExploreFailure = {
  id: 'create/1/crash-after',
  step: 'create',
  run: 'faults',
  faults: [{ at: '1', fault: 'crash-after' }],
  calls: ['POST /api/v1/namespaces/default/configmaps'],
  problems: ['v1 ConfigMap default/a should not be there'],
  timeline: {
    rows: [
      { isSame: true, twin: start(0), run: start(5) },
      { isSame: false, twin: call(201), run: call(undefined) },
    ],
    firstDifference: 1,
    dropped: 0,
  },
}

function start(at: number) {
  return { type: 'start', at } as const
}

function call(status: number | undefined) {
  return { type: 'call', at: 0, call: 1, method: 'POST', path: `/api/v1/${hostile}`, isServed: true, status } as const
}

const report = (failures: readonly ExploreFailure[] = [], step = 'create'): ExploreReport =>
  makeReport({
    steps: [{ name: step, calls: [{ method: 'POST', path: '/api/v1/namespaces/default/configmaps', at: 0 }] }],
    tried: 2,
    coverage: { singles: { tried: 2, total: 2 }, unconfirmed: 0 },
    took: 1000,
    processes: 1,
    singleFaults: [
      { step, at: '1', fault: 'crash-after', result: failures.length === 0 ? 'ok' : 'failed' },
      { step, at: '1', fault: 'error', result: 'ok' },
    ],
    failures,
  })

/** Tags are closed in order, and nothing but known entities is escaped. */
function expectWellFormed(xml: string): void {
  const open: string[] = []
  const body = xml.replace(/^<\?xml[^>]*\?>\n/, '')
  for (const [, close, name = '', isEmpty] of body.matchAll(/<(\/?)([\w-]+)(?:\s+[\w-]+="[^"<]*")*\s*(\/?)>/g))
    if (close === '/') expect(open.pop()).toBe(name)
    else if (isEmpty !== '/') open.push(name)
  expect(open).toEqual([])
  const text = body.replaceAll(/<(\/?)([\w-]+)(?:\s+[\w-]+="[^"<]*")*\s*(\/?)>/g, '')
  expect(text).not.toMatch(/[<>]|&(?!(amp|lt|gt|quot);)/)
}

describe('a report', () => {
  it('a report survives JSON, without its text', () => {
    const made = report([failure])
    expect(JSON.parse(reportJson(made))).toEqual(JSON.parse(JSON.stringify({ ...made, text: undefined })))
    expect(JSON.parse(reportJson(made))).toMatchObject({ version: 'coxswain.dev/explore/v1' })
  })

  it('a report of several processes has the results and failures of all', () => {
    const joined = joinReports([report([failure]), report()])
    expect([joined.tried, joined.processes, joined.singleFaults.length]).toEqual([4, 2, 4])
    expect(joined.failures).toEqual([failure])
  })

  it('a report is a JUnit file, with a test case for each call', () => {
    const xml = reportJunit(report([{ ...failure, problems: [hostile] }]))
    expectWellFormed(xml)
    expect(xml).toContain('<testsuite name="create" tests="2" failures="1">')
    expect(xml).toContain('<testcase classname="create" name="1 POST /api/v1/namespaces/default/configmaps">')
    expect(xml).toContain('message="create/1/crash-after: &quot;&gt;&lt;script&gt;')
    expectWellFormed(reportJunit(report([], hostile)))
  })

  it('a page escapes what it shows, and runs no script but its own', () => {
    const step = hostile.replace('/', '')
    const page = reportHtml(report([{ ...failure, step, id: `${step}/1/error`, problems: [hostile] }], step))
    expect(page.match(/<script/g)).toEqual(['<script'])
    expect(page).not.toContain(`"><script>alert`)
    const hash = createHash('sha256').update(pageScript).digest('base64')
    expect(pageScriptHash).toBe(`sha256-${hash}`)
    expect(page).toContain(`<script>${pageScript}</script>`)
    expect(page).not.toMatch(/\b(src|href)="?https?:|@import|url\(/)
  })

  it('a page tells the verdict, the grid and the first difference', () => {
    expect(reportHtml(report())).toContain('The operator converges')
    const page = reportHtml(report([failure]))
    expect(page).toContain('the first difference')
    expect(page).toContain('data-id="create/1/crash-after"')
    expect(page).toContain('no response, though the server has done it')
  })

  it('docs/reference/explore-report.md shows a report of this form', () => {
    const [example = ''] = docsPage('reference/explore-report.md').blocks('json')
    const shown = JSON.parse(example) as ExploreReport
    const real = JSON.parse(reportJson(report([failure]))) as ExploreReport
    expect(Object.keys(shown)).toEqual(Object.keys(real))
    expect(Object.keys(shown.failures[0] ?? {})).toEqual(Object.keys(failure))
    expect(Object.keys(shown.singleFaults[0] ?? {})).toEqual(Object.keys(real.singleFaults[0] ?? {}))
    expect(shown.version).toBe(real.version)
  })
})
