/**
 * One rollback of `npm run -s recovery`, without its time limit. Runs with short leases are left to that command: a
 * busy machine loses them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundlePrograms, type Programs } from './programs.ts'
import { rollBack, rollbackPrograms } from './rollback-run.ts'

let programs: Programs
beforeAll(async () => {
  programs = await bundlePrograms(...rollbackPrograms)
})
afterAll(() => programs.remove())

describe('an operator as a process over HTTPS', () => {
  it('an operator recovers when its server is killed, and another one with an older state takes its port', async () => {
    const { problems } = await rollBack(programs, { hasLease: false, collects: true, state: 'a backup, overtaken' })
    expect(problems).toEqual([])
  }, 300_000)
})
