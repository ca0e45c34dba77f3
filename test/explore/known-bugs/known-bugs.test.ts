/** The explorer finds each known bug by its schedule, and nothing in the correct operator by any schedule. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { explore, standardOracles, type ExploreFailure } from 'coxswain/testing'
import { faultNames, type FaultName } from '../../../src/explore/faults.ts'
import { knownBugs } from './index.ts'
import type { KnownBug } from './known-bug.ts'

const isPending = ({ needs }: KnownBug): boolean => needs !== undefined
const found = knownBugs.filter((bug) => !isPending(bug))
const pending = knownBugs.filter(isPending)

/** These do not reveal the bugs that are pending. */
const tried: ReadonlySet<string> = new Set([
  'crash-before',
  'crash-after',
  'conflict',
  'error',
  'lost-call',
  'lost-reply',
  'stale-cache',
  'stale-kind',
] satisfies readonly FaultName[])
const newFaults = faultNames.filter((name) => !tried.has(name))

async function failuresOf(bug: KnownBug, operator: KnownBug['broken'], schedule?: string) {
  const isFaultFree = schedule?.endsWith('/0/none') === true
  const faults = schedule === undefined ? newFaults : []
  const { failures } = await explore({
    cluster: { controllers: operator },
    steps: bug.steps,
    oracles: [...standardOracles, ...(bug.properties ?? [])],
    ...(schedule === undefined || isFaultFree ? { faults } : { only: schedule }),
  })
  return failures
}

const told = (failures: readonly ExploreFailure[]): string =>
  failures.map(({ id, problems }) => `${id}: ${problems.join('\n')}`).join('\n')

describe.each(found)('$id', (bug) => {
  it('is found', async () => {
    const failures = await failuresOf(bug, bug.broken, bug.reveals)
    expect(told(failures.filter(({ id }) => id === bug.reveals))).toContain(bug.expects)
  })

  it('is not in the correct operator', async () => {
    expect(told(await failuresOf(bug, bug.correct, bug.reveals))).toBe('')
  })
})

describe.each(pending)('$id, which needs $needs', (bug) => {
  // Tries all faults that did not exist when it was written. Fails as soon as one of them reveals the bug: then `needs`
  // goes, and `reveals` is the schedule of the report.
  it.fails('is found', async () => {
    expect(told(await failuresOf(bug, bug.broken))).toContain(bug.expects)
  })

  it('is not in the correct operator', async () => {
    expect(told(await failuresOf(bug, bug.correct))).toBe('')
  })
})

it('docs/explanation/known-operator-bugs.md tells the story of each', () => {
  const page = readFileSync(new URL('../../../docs/explanation/known-operator-bugs.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => /^\| [^|]+ \| (Sieve|Acto|Anvil) \|/.test(line))
  expect(rows.map((row) => row.split(' | ')[0]?.slice(2))).toEqual(knownBugs.map(({ id }) => id))
  for (const [index, bug] of knownBugs.entries()) expect(rows[index]?.includes('not yet'), bug.id).toBe(isPending(bug))
})
