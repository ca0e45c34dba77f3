/** Runs tests side by side, the longest ones first, and those that must be alone afterwards, one by one. */
import type { Outcome } from './run-test.ts'
import type { ConformanceTest } from './tests.ts'

export interface RunAll {
  readonly tests: readonly ConformanceTest[]
  readonly processes: number
  readonly run: (test: ConformanceTest) => Promise<Outcome>
  /** Called after each test. */
  readonly onOutcome: (outcome: Outcome, finished: number) => void
}

/** In the order of `tests`. */
export async function runAll({ tests, processes, run, onOutcome }: RunAll): Promise<readonly Outcome[]> {
  const outcomes = new Map<ConformanceTest, Outcome>()
  const lane = async (waiting: ConformanceTest[]): Promise<void> => {
    for (let test = waiting.shift(); test !== undefined; test = waiting.shift()) {
      const outcome = await run(test)
      outcomes.set(test, outcome)
      onOutcome(outcome, outcomes.size)
    }
  }
  const shared = tests.filter(({ isSerial }) => !isSerial).sort((a, b) => b.seconds - a.seconds)
  await Promise.all(Array.from({ length: processes }, () => lane(shared)))
  await lane(tests.filter(({ isSerial }) => isSerial))
  return tests.flatMap((test) => outcomes.get(test) ?? [])
}
