/**
 * `npm run -s recovery [-- --long] [--only rollback|stop]`: operators as processes whose server is rolled back, and
 * leaders that are stopped while their clock is set back. Prints each run; exits with 1 if one fails.
 */
import { parseArgs } from 'node:util'
import { bundlePrograms, type Programs } from './programs.ts'
import { maxRecoveryMs, rollBack, rollbackPrograms, rolledBackStates, type RollbackRun } from './rollback-run.ts'
import { findsLateWrites, LeaderPair, leaderStops, stopPrograms, type LeaderStop } from './stopped-leader-runs.ts'

const usage = `npm run -s recovery [-- OPTIONS]: operators that survive their server, with real processes
  --long               3 rollbacks of each kind and 30 stops of a leader (default: 1 and 5)
  --only rollback|stop`

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** Runs `tasks` in order, `laneCount` at a time. */
async function inLanes<T>(laneCount: number, tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) results.push(await task())
  }
  // Each lane ends its processes before the first failure is thrown.
  const lanes = Array.from({ length: laneCount }, lane)
  await Promise.allSettled(lanes)
  await Promise.all(lanes)
  return results
}

/** The number of failed runs. */
async function rollbacks(programs: Programs, runCount: number): Promise<number> {
  const combinations = [false, true].flatMap((hasLease) => [false, true].map((collects) => ({ hasLease, collects })))
  const runs: RollbackRun[] = combinations.flatMap((combination, i) =>
    Array.from({ length: runCount }, (_, k) => {
      const state = rolledBackStates[(i * runCount + k) % rolledBackStates.length] as RollbackRun['state']
      return { hasLease: combination.hasLease, collects: combination.collects, state }
    }),
  )
  const results = await inLanes(
    2,
    runs.map((run) => async () => {
      const result = await rollBack(programs, run)
      const lease = run.hasLease ? 'lease' : 'no lease'
      const collector = run.collects ? 'collector' : 'no collector'
      console.log(`rolled back (${lease}, ${collector}, ${run.state}): recovered in ${seconds(result.recoveredMs)}`)
      const { recoveredMs, problems } = result
      for (const problem of problems) console.log(`  FAILED: ${problem}`)
      return { recoveredMs, isFailed: problems.length > 0 || recoveredMs > maxRecoveryMs }
    }),
  )
  const slowest = Math.max(...results.map(({ recoveredMs }) => recoveredMs))
  const failed = results.filter(({ isFailed }) => isFailed).length
  console.log(
    `${results.length - failed} of ${results.length} rollbacks recovered within ${seconds(maxRecoveryMs)}, the ` +
      `slowest in ${seconds(slowest)}, with nothing created for missing owners`,
  )
  return failed
}

/** The number of runs with late writes. */
async function stops(programs: Programs, list: readonly LeaderStop[]): Promise<number> {
  const pair = await LeaderPair.start(programs)
  let late = 0
  try {
    for (const stop of list) {
      const { stopMs, setBackMs, isTakenOver, lateWriteCount } = await pair.run(stop)
      console.log(
        `stopped for ${seconds(stopMs)}, clock set back by ${seconds(setBackMs)}: ` +
          (isTakenOver ? `taken over, late writes: ${lateWriteCount}` : 'not taken over'),
      )
      if (lateWriteCount > 0) late++
    }
  } finally {
    await pair.stop()
  }
  return late
}

/** The number of failed runs. */
async function leaders(programs: Programs, runCount: number, pairCount: number): Promise<number> {
  const list = leaderStops(runCount)
  const lanes = Array.from({ length: pairCount }, (_, lane) => list.filter((_stop, i) => i % pairCount === lane))
  const late = await inLanes(
    pairCount,
    lanes.map((lane) => () => stops(programs, lane)),
  )
  const lateCount = late.reduce((a, b) => a + b, 0)
  console.log(`${runCount - lateCount} of ${runCount} stopped leaders did not write beside their successor`)
  const isFound = await findsLateWrites(programs)
  console.log(`late writes of a mutant that fences by the wall clock: ${isFound ? 'found' : 'FAILED, not found'}`)
  return lateCount + (isFound ? 0 : 1)
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { long: { type: 'boolean' }, only: { type: 'string' }, help: { type: 'boolean' } },
  })
  if (values.help === true || !['rollback', 'stop', undefined].includes(values.only)) {
    console.log(usage)
    return values.help === true ? 0 : 2
  }
  const isLong = values.long === true
  const startedAt = performance.now()
  const programs = await bundlePrograms(...new Set([...rollbackPrograms, ...stopPrograms]))
  try {
    const failed =
      (values.only === 'stop' ? 0 : await rollbacks(programs, isLong ? 3 : 1)) +
      (values.only === 'rollback' ? 0 : await leaders(programs, isLong ? 30 : 5, isLong ? 3 : 1))
    console.log(`recovery: ${failed === 0 ? 'ok' : `${failed} FAILED`} in ${seconds(performance.now() - startedAt)}`)
    return failed === 0 ? 0 : 1
  } finally {
    programs.remove()
  }
}

process.exitCode = await main()
