/** `npm run test:conformance`; see `options.ts`. The last line is the verdict. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { areBuilt, ClusterError, ensurePrograms, isUnavailable } from '../cluster/index.ts'
import { duration, toStderr } from '../cluster/progress.ts'
import { afterRun, readKnownFailures, writeKnownFailures } from './known-failures.ts'
import { parseOptions, usage, UsageError } from './options.ts'
import type { Options } from './options.ts'
import { writePages } from './pages.ts'
import { report } from './report.ts'
import { runAll } from './run-all.ts'
import { endTests, runTest } from './run-test.ts'
import type { Outcome, Site } from './run-test.ts'
import { startServer } from './server.ts'
import { createSystemPods } from './system-pods.ts'
import { select } from './tests.ts'
import type { ConformanceTest } from './tests.ts'

const nodes = 3
const processes = 2
const programs = ['e2e.test', 'kubectl'] as const

async function main(options: Options): Promise<number> {
  if (options.help) {
    console.log(usage)
    return 0
  }
  const tests = select(options)
  if (tests.length === 0) throw new UsageError('no test has such a name')
  if (options.ifBuilt && !areBuilt(programs)) {
    console.log('test:conformance: skipped, since e2e.test is not built (npm run test:conformance builds it, with Go)')
    return 0
  }
  const { 'e2e.test': e2e, kubectl } = await ensurePrograms(programs)
  if (e2e === undefined || kubectl === undefined) throw new Error('e2e.test and kubectl are not built')
  const outcomes = await onServer(tests, { program: e2e.path, kubectl: kubectl.path }, options.logs)
  const known = readKnownFailures()
  const { lines, unknown } = report(outcomes, known)
  for (const line of lines) console.log(line)
  if (options.update) {
    const now = afterRun(known, outcomes)
    writeKnownFailures(now)
    writePages(now)
    return 0
  }
  return unknown > 0 ? 1 : 0
}

/** Starts a server and runs the tests on it. */
async function onServer(
  tests: readonly ConformanceTest[],
  built: Pick<Site, 'program' | 'kubectl'>,
  keep: string | undefined,
): Promise<readonly Outcome[]> {
  const logs = keep === undefined ? mkdtempSync(join(tmpdir(), 'coxswain-conformance-')) : resolve(keep)
  mkdirSync(logs, { recursive: true })
  const server = await startServer(nodes, join(logs, 'server.log'))
  const end = (): void => {
    endTests()
    void server.stop().finally(() => process.exit(130))
  }
  process.once('SIGINT', end).once('SIGTERM', end)
  const started = performance.now()
  try {
    const site = { ...built, kubeconfig: server.kubeconfig, folder: server.folder, nodes }
    await createSystemPods(site)
    const outcomes = await runAll({
      tests,
      processes,
      async run(test) {
        const log = join(logs, `${test.name.replaceAll(/[^\w-]+/g, '-')}.log`)
        const outcome = await runTest(site, test, log)
        const failure = server.failure()
        if (failure !== undefined) throw new Error(failure)
        if (keep === undefined && outcome.failure === undefined) rmSync(log)
        return outcome
      },
      onOutcome({ test, failure, seconds }, finished) {
        const state = failure === undefined ? 'ok    ' : 'FAILED'
        console.log(`${finished}/${tests.length} ${state} ${seconds.toFixed(1)} s ${test.name}`)
      },
    })
    console.log(`${tests.length} tests in ${duration(performance.now() - started)}`)
    if (outcomes.some(({ failure }) => failure !== undefined)) console.log(`the output is in ${logs}`)
    else if (keep === undefined) rmSync(logs, { recursive: true, force: true })
    return outcomes
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
    endTests()
    await server.stop()
  }
}

try {
  process.exitCode = await main(parseOptions(process.argv.slice(2).filter((arg) => arg !== '--')))
} catch (error) {
  if (error instanceof UsageError) toStderr(`${error.message}\n\n${usage}`)
  else toStderr(error instanceof ClusterError ? error.message : String((error as Error).stack))
  if (isUnavailable(error)) console.log('test:conformance: skipped, since e2e.test cannot be built (see above)')
  process.exitCode = error instanceof UsageError ? 2 : isUnavailable(error) ? 0 : 1
}
