/**
 * Runs many scenarios concurrently on one cluster, each in its namespace. Scenarios that affect others run after them.
 */
import { runScenario } from './run.ts'
import type { Outcome, Scenario } from './scenario.ts'
import type { Site } from './site.ts'

/** Concurrent scenarios: on a real cluster a scenario mostly waits. */
const atOnce = 16

export async function runAll(
  site: Site,
  scenarios: readonly Scenario[],
  prefix: string,
): Promise<Map<string, Outcome | Error>> {
  const outcomes = new Map<string, Outcome | Error>()
  const late = scenarios.filter((each) => each.late === true)
  const early = scenarios.filter((each) => each.early === true)
  const waiting = [...early, ...scenarios.filter((each) => each.early !== true && each.late !== true)]
  let left = early.length
  if (left === 0) waiting.unshift(...late)
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      outcomes.set(
        next.name,
        await runScenario(site, next, prefix).catch((error: unknown) =>
          error instanceof Error ? error : new Error(String(error)),
        ),
      )
      if (next.early === true && --left === 0) waiting.unshift(...late)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return outcomes
}
