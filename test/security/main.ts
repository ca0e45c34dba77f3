/**
 * `npm run -s security`: runs the tests that prove the security items (items.ts) and prints which are met, with a
 * reason for each that is not. The last line counts them. Exit code 1 if a test failed or is missing.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { items, requirements } from './items.ts'
import { proofsOf, summary, verdictOf, type Item, type TestResult, type Verdict } from './verdict.ts'

const root = join(import.meta.dirname, '../..')

const usage = `usage: npm run -s security [-- OPTIONS]

Runs the tests of the 34 security items and of the robustness requirements.

  --item ID   only this item (may be repeated): a number from 1 to 34, or the name of a requirement
  --long      more runs of each test, and those that take minutes
  --list      print the items with their tests, and run nothing
  --help      show this help`

/** What makes the tests of each part longer. */
const longVariables = { COXSWAIN_SECURITY: 'long', COXSWAIN_COST: 'long', ROLLBACK_RUNS: '100' }

/** These have processes with short leases, and run when the others are done: a busy machine loses leases. */
const alone = new Set(['test/security/recovery.security.ts'])

interface VitestReport {
  readonly testResults: readonly {
    /** The file. */
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

function readReport(path: string): TestResult[] {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as VitestReport
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name).split(sep).join('/')
    if (assertionResults.length === 0 && status === 'failed')
      return [{ file, name: 'the file cannot be loaded', state: 'failed' as const }]
    return assertionResults.map((test) => ({ file, name: test.fullName, state: stateOf(test.status) }))
  })
}

function stateOf(status: string): TestResult['state'] {
  return status === 'passed' || status === 'failed' ? status : 'skipped'
}

/** A crash of vitest leaves no report: then no proof has a test. */
async function runTests(files: readonly string[], isLong: boolean): Promise<TestResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-security-'))
  const report = join(folder, 'report.json')
  const args = ['run', '--mode', 'security', '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  try {
    await new Promise<void>((resolve, reject) => {
      const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args, ...files], {
        cwd: root,
        env: { ...process.env, ...(isLong ? longVariables : {}) },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      child.on('error', reject)
      child.on('close', () => resolve())
    })
    return readReport(report)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function show({ item, state, reasons, passedCount }: Verdict): void {
  const tests = passedCount === 0 ? '' : ` (${passedCount} ${passedCount === 1 ? 'test' : 'tests'})`
  console.log(`${item.id.padEnd(13)}  ${state.padEnd(14)}  ${item.title}${tests}`)
  const margin = ' '.repeat(31)
  for (const reason of reasons) console.log(`${margin}because: ${reason}`)
  if (item.note !== undefined) console.log(`${margin}note: ${item.note}`)
}

function list(all: readonly Item[]): void {
  for (const item of all) {
    console.log(`${item.id.padEnd(13)}  ${item.title}`)
    for (const { file, name } of proofsOf(item, true))
      console.log(`      ${file}${name === undefined ? '' : ` ${String(name)}`}`)
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      item: { type: 'string', multiple: true, default: [] },
      long: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const all = [...items, ...requirements]
  const unknown = values.item.filter((id) => !all.some((item) => item.id === id))
  if (unknown.length > 0) throw new Error(`there is no item ${unknown.join(', ')}; see --list`)
  const isWanted = ({ id }: Item): boolean => values.item.length === 0 || values.item.includes(id)
  const wanted = all.filter(isWanted)
  if (values.list) {
    list(wanted)
    return 0
  }
  const files = new Set(wanted.flatMap((item) => proofsOf(item, values.long).map(({ file }) => file)))
  console.log(`security: ${wanted.length} items, tests in ${files.size} files`)
  const startedAt = Date.now()
  const results: TestResult[] = []
  for (const group of [[...files].filter((file) => !alone.has(file)), [...files].filter((file) => alone.has(file))])
    if (group.length > 0) results.push(...(await runTests(group, values.long)))
  const judged = (group: readonly Item[]): Verdict[] =>
    group.filter(isWanted).map((item) => verdictOf(item, results, values.long))
  const checkList = judged(items)
  const others = judged(requirements)
  for (const verdict of [...checkList, ...others]) show(verdict)
  console.log(`${results.length} tests in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`)
  const counts = [
    ...(checkList.length === 0 ? [] : [summary(checkList)]),
    ...(others.length === 0 ? [] : [`robustness requirements: ${summary(others)}`]),
  ]
  console.log(`security: ${counts.join('; ')}`)
  return [...checkList, ...others].some(({ isBroken }) => isBroken) ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  process.exitCode = 2
}
