/**
 * `coxswain/testing` as tests of operators see it in vitest: the same, and each test notes what its explorations
 * covered, for the line that `reporter.ts` prints.
 */
import { TestRunner } from 'vitest'
import {
  explore as exploreFaults,
  exploreSpec as exploreOperations,
  type ExploreOptions,
  type ExploreReport,
  type ExploreSpecOptions,
  type SpecReport,
} from '../../../src/testing/index.ts'
import { addExplored, type Explored } from './explored.ts'

export * from '../../../src/testing/index.ts'

/** Hides the one above. */
export async function explore(options: ExploreOptions): Promise<ExploreReport> {
  return noting(
    () => exploreFaults(options),
    ({ tried, took, coverage }) => ({
      explorations: 1,
      schedules: tried,
      singles: coverage.singles,
      operations: { tried: 0, total: 0 },
      took,
    }),
  )
}

export async function exploreSpec(options: ExploreSpecOptions): Promise<SpecReport> {
  return noting(
    () => exploreOperations(options),
    ({ operations, leftOut, took }) => ({
      explorations: 1,
      schedules: 0,
      singles: { tried: 0, total: 0 },
      operations: { tried: operations.length, total: operations.length + (options.only === undefined ? leftOut : 0) },
      took,
    }),
  )
}

async function noting<Report>(run: () => Promise<Report>, counts: (report: Report) => Explored): Promise<Report> {
  const test = TestRunner.getCurrentTest()
  const report = await run()
  if (test !== undefined) test.meta.explored = addExplored(test.meta.explored, counts(report))
  return report
}
