import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withGenerated } from '../docs/generated.ts'
import { afterRun, readKnownFailures } from './known-failures.ts'
import { parseOptions, UsageError } from './options.ts'
import { sectionName, sections } from './pages.ts'
import { report } from './report.ts'
import { runAll } from './run-all.ts'
import { failureOf, runTest } from './run-test.ts'
import type { Outcome, Site } from './run-test.ts'
import { conformanceTests, limitMs, select, sigs } from './tests.ts'
import type { ConformanceTest } from './tests.ts'

const passed = (test: ConformanceTest): Outcome => ({ test, failure: undefined, seconds: 1 })
const failed = (test: ConformanceTest, failure = 'no\nreally not'): Outcome => ({ test, failure, seconds: 1 })
const named = (name: string, seconds = 1): ConformanceTest => {
  return { name, sig: 'apps', seconds, isSerial: name.includes('[Serial]') }
}

describe('the official tests', () => {
  it('the official tests are a list without duplicates, over ten groups', () => {
    expect(conformanceTests).toHaveLength(210)
    expect(new Set(conformanceTests.map(({ name }) => name)).size).toBe(210)
    expect(sigs).toHaveLength(10)
    expect(conformanceTests.filter(({ isSerial }) => isSerial)).toHaveLength(28)
    expect(conformanceTests.every(({ name }) => name.endsWith('[Conformance]'))).toBe(true)
  })

  it('the official tests are selected by group, by name, or as a sample', () => {
    expect(select({})).toEqual(conformanceTests)
    expect(select({ sig: 'cli' })).toHaveLength(12)
    expect(select({ sig: 'apps', only: 'CronJob' })).toHaveLength(3)
    expect(select({ only: 'no such test' })).toEqual([])
    expect(select({ only: '[Serial]', sig: 'storage' }).map(({ sig }) => sig)).toEqual(['storage'])
  })

  it('the official tests have a sample of all groups that takes less than five minutes', () => {
    const sample = select({ sample: true })
    expect([...new Set(sample.map(({ sig }) => sig))]).toEqual(sigs)
    // What each test costs besides its own time: the start of a process, and its namespace.
    const startSeconds = 3
    const sum = (tests: readonly ConformanceTest[]): number =>
      tests.reduce((total, { seconds }) => total + seconds + startSeconds, 0)
    const alone = sample.filter(({ isSerial }) => isSerial)
    expect(sum(alone) + sum(sample.filter(({ isSerial }) => !isSerial)) / 2).toBeLessThan(240)
    expect(sample.length).toBeGreaterThan(50)
  })

  it('the official tests are ended after half a minute and three times their time', () => {
    expect(limitMs(named('x', 7.5))).toBe(52_500)
  })

  it('the official tests have options', () => {
    const none = { sample: false, ifBuilt: false, update: false, help: false }
    expect(parseOptions([])).toEqual(none)
    expect(parseOptions(['--sig', 'auth', '--only', 'x', '--update'])).toEqual({
      ...none,
      sig: 'auth',
      only: 'x',
      update: true,
    })
    expect(parseOptions(['--sample', '--if-built', '--logs', 'f'])).toMatchObject({
      sample: true,
      ifBuilt: true,
      logs: 'f',
    })
    for (const wrong of [['--sig', 'windows'], ['--unknown'], ['text']]) {
      expect(() => parseOptions(wrong)).toThrow(UsageError)
    }
  })
})

describe('a run of the official tests', () => {
  it('a run of the official tests does two at a time, long ones first, serial ones alone at the end', async () => {
    const tests = [
      named('short', 1),
      named('alone [Serial]', 9),
      named('long', 5),
      named('alone too [Serial]'),
      named('b', 2),
    ]
    const steps: string[] = []
    const waiting: { readonly name: string; readonly finish: () => void }[] = []
    const finishNext = async (): Promise<void> => {
      waiting.shift()?.finish()
      for (let i = 0; i < 10; i++) await Promise.resolve()
      steps.push(waiting.map(({ name }) => name).join(' + '))
    }
    const done = runAll({
      tests,
      processes: 2,
      run: (test) => new Promise((resolve) => waiting.push({ name: test.name, finish: () => resolve(passed(test)) })),
      onOutcome: ({ test }, finished) => steps.push(`${finished} ${test.name}`),
    })
    steps.push(waiting.map(({ name }) => name).join(' + '))
    while (waiting.length > 0) await finishNext()
    expect((await done).map(({ test }) => test)).toEqual(tests)
    expect(steps).toEqual([
      'long + b',
      '1 long',
      'b + short',
      '2 b',
      'short',
      '3 short',
      'alone [Serial]',
      '4 alone [Serial]',
      'alone too [Serial]',
      '5 alone too [Serial]',
      '',
    ])
  })

  it('a run of the official tests reports groups, failures, and whether they are known', () => {
    const [first, second, third] = select({ sig: 'auth' }) as [ConformanceTest, ConformanceTest, ConformanceTest]
    const other = select({ sig: 'cli' })[0] as ConformanceTest
    const outcomes = [passed(first), failed(second), failed(third, 'odd'), passed(other)]
    const known = { [second.name]: 'later', [first.name]: 'it was broken' }
    const { lines, unknown } = report(outcomes, known)
    expect(lines).toEqual([
      `known failure ${second.name}`,
      '    no',
      '    really not',
      `FAILED ${third.name}`,
      '    odd',
      `passes now, and is listed as a known failure: ${first.name}`,
      'sig                 passed    of',
      'auth                     1     3',
      'cli                      1     1',
      'all                      2     4',
      'test:conformance: 2 of 4 passed, 1 known failures, 1 new failures, 1 known failures pass now',
    ])
    expect(unknown).toBe(1)
    expect(afterRun({ ...known, [conformanceTests[0]?.name ?? '']: 'did not run' }, outcomes)).toEqual({
      [conformanceTests[0]?.name ?? '']: 'did not run',
      [second.name]: 'later',
      [third.name]: 'odd',
    })
  })

  it('a run of the official tests reads what Ginkgo prints', () => {
    const summary = (passed: number, failed: number): string =>
      `Ran 1 of 7000 Specs in 0.1 seconds\nX -- ${passed} Passed | ${failed} Failed | 0 Pending | 6999 Skipped\n`
    expect(failureOf(summary(1, 0))).toBeUndefined()
    expect(failureOf(summary(2, 0))).toBe('2 tests ran instead of one')
    const timeline = '  [FAILED] in [It] - x.go:1 @ 11/18/26\n'
    const block = '  [FAILED] not ready: Timed out\n  Expected\n      <int>: 1\n  In [It] at: x.go:1 @ 11/18/26\n'
    expect(failureOf(timeline + block + summary(0, 1))).toBe('not ready: Timed out\nExpected\n    <int>: 1')
    expect(failureOf(`Will run 0 of 7000 specs\n${summary(0, 0)}`)).toBe('e2e.test has no such test')
    expect(failureOf('panic: a\nb\n')).toBe('panic: a\nb')
  })
})

describe('an official test', () => {
  let folder: string
  let log: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coxswain-e2e-'))
    log = join(folder, 'log')
  })
  afterEach(() => {
    vi.useRealTimers()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A program in place of e2e.test, which runs `body`. */
  function site(body: string): Site {
    const program = join(folder, 'e2e.test')
    writeFileSync(program, `#!${process.execPath}\nconst args = process.argv.slice(2)\n${body}\n`)
    chmodSync(program, 0o755)
    return { program, kubectl: '/bin/kubectl', kubeconfig: '/k', folder, nodes: 3 }
  }

  const success = `console.log('SUCCESS! -- 1 Passed | 0 Failed | 0 Pending | 1 Skipped')`

  it('an official test runs by its whole name', async () => {
    const test = named("[sig-apps] it's a (test) [Conformance]")
    const outcome = await runTest(site(`console.log(JSON.stringify(args)); ${success}`), test, log)
    expect(outcome).toMatchObject({ test, failure: undefined })
    const args = JSON.parse(readFileSync(log, 'utf8').split('\n')[0] ?? '') as string[]
    expect(args).toContain('--kubeconfig=/k')
    expect(args).toContain('--num-nodes=3')
    const focus = args.find((arg) => arg.startsWith('--ginkgo.focus='))?.slice('--ginkgo.focus='.length) ?? ''
    expect(`Kubernetes e2e suite ${test.name}`).toMatch(new RegExp(focus))
    expect(`Kubernetes e2e suite ${test.name} and more`).not.toMatch(new RegExp(focus))
  })

  it('an official test that takes too long is interrupted, and may clean up', async () => {
    const cleaned = join(folder, 'cleaned')
    const body = `setInterval(() => {}, 1000)
process.on('SIGINT', () => { require('node:fs').writeFileSync(${JSON.stringify(cleaned)}, ''); process.exit(1) })
console.log('  [FAILED] half done\\n  In [It] at: x')`
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const run = runTest(site(body), named('x', 10), log)
    while (!readFileSync(log, 'utf8').includes('half done')) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    expect((await run).failure).toBe('ended after 60 s\nhalf done')
    expect(existsSync(cleaned)).toBe(true)
  })
})

it('README and docs have the number of official tests that pass', () => {
  const known = readKnownFailures()
  const names = new Set(conformanceTests.map(({ name }) => name))
  expect(Object.keys(known).filter((name) => !names.has(name))).toEqual([])
  for (const { page, lines } of sections(known)) {
    const text = readFileSync(page, 'utf8')
    expect(text, 'npm run test:conformance -- --update writes it').toBe(withGenerated(text, sectionName, lines))
  }
})
