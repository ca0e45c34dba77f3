/** One run of each kind of `npm run -s recovery`: a server that is rolled back, a leader that is stopped. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundlePrograms, type Programs } from './programs.ts'
import { maxRecoveryMs, rollBack, rollbackPrograms } from './rollback-run.ts'
import { findsLateWrites, LeaderPair, misleadingStop, stopPrograms } from './stopped-leader-runs.ts'

let programs: Programs
beforeAll(async () => {
  programs = await bundlePrograms(...new Set([...rollbackPrograms, ...stopPrograms]))
})
afterAll(() => programs.remove())

// Mostly waiting, so at the same time.
describe.concurrent('processes over HTTPS', () => {
  it('an operator recovers when its server is killed, and another one with an older state takes its port', async () => {
    const run = { hasLease: true, collects: true, state: 'a backup, overtaken' } as const
    const { problems, recoveredMs } = await rollBack(programs, run)
    expect(problems).toEqual([])
    expect(recoveredMs).toBeLessThan(maxRecoveryMs)
  }, 180_000)

  it('a stopped leader whose clock is set back does not write beside its successor', async () => {
    const pair = await LeaderPair.start(programs)
    try {
      expect(await pair.run(misleadingStop)).toMatchObject({ isTakenOver: true, lateWriteCount: 0 })
    } finally {
      await pair.stop()
    }
  }, 180_000)

  it('a stopped leader that fences by the wall clock would be found', async () => {
    expect(await findsLateWrites(programs)).toBe(true)
  }, 180_000)
})
