/**
 * The tests of the scenarios: our cluster, on a simulated clock, must behave as the real one did. Split into several
 * test files, so that they run in parallel. In the long form each scenario has a cluster of its own, as with
 * `npm run -s scenarios -- --stored`.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { isLong } from '../long.ts'
import { differencesOf, explanationOf, textOf } from './compare.ts'
import { load } from './recorded.ts'
import { runScenario } from './run.ts'
import { scenarios } from './scenarios.ts'
import { SharedSites } from './shared-sites.ts'

const perSite = isLong ? 1 : 32

/** Part 1 of 4 has the first scenario, the fifth, and so on. */
export function endAsRecorded(part: number, parts: number): void {
  const sites = new SharedSites(perSite)
  afterAll(() => sites.stop())
  describe.each(scenarios.filter((_, index) => index % parts === part - 1))('$name', (scenario) => {
    it('ends as on the real cluster', { timeout: 60_000 }, async ({ onTestFailed }) => {
      // What it left behind must not make others fail.
      onTestFailed(() => sites.stop())
      const recorded = load(scenario.name)
      const differences = differencesOf(recorded, await runScenario(await sites.of(scenario), scenario))
      expect(
        differences.filter((each) => explanationOf(scenario.name, each, 'ours') === undefined).map(textOf),
        `alone, on a cluster of its own: npm run -s scenarios -- --stored --only ${scenario.name}`,
      ).toEqual([])
    })
  })
}
