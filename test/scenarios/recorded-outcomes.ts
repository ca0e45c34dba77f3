/**
 * The tests of the scenarios: our cluster, on a simulated clock, must behave as the real one did. Split into several
 * test files, so that they run in parallel.
 */
import { describe, expect, it } from 'vitest'
import { differencesOf, explanationOf, textOf } from './compare.ts'
import { embeddedSite } from './embedded-site.ts'
import { load } from './recorded.ts'
import { runScenario } from './run.ts'
import { scenarios } from './scenarios.ts'

/** Part 1 of 4 has the first scenario, the fifth, and so on. */
export function endAsRecorded(part: number, parts: number): void {
  describe.each(scenarios.filter((_, index) => index % parts === part - 1))('$name', (scenario) => {
    it('ends as on the real cluster', { timeout: 60_000 }, async () => {
      const recorded = load(scenario.name)
      const site = await embeddedSite(scenario)
      try {
        const differences = differencesOf(recorded, await runScenario(site, scenario))
        expect(
          differences.filter((each) => explanationOf(scenario.name, each, 'ours') === undefined).map(textOf),
        ).toEqual([])
      } finally {
        await site.stop()
      }
    })
  })
}
