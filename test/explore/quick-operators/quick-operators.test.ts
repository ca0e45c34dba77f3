/** What the explorer reports of operators that were written quickly: see docs/explanation/explored-operators.md. */
import { describe, expect, it } from 'vitest'
import type { ControllerDefinition } from 'coxswain'
import { explore, standardOracles, type ExploreFailure, type ExploreStep } from 'coxswain/testing'
import { counting, forgottenOwns, throwing } from './cache-mistakes.ts'
import { correctScheduledReports, scheduledReports } from './scheduled-report.ts'
import { passwordIsKept, reportSteps, sitePassword, siteSteps, tenantSteps, thingSteps } from './scenarios.ts'
import { correctSites, sites } from './site.ts'
import { tenants } from './tenant.ts'

const told = (failures: readonly ExploreFailure[]): string =>
  failures.map(({ id, problems }) => `${id}: ${problems.join('\n')}`).join('\n')

async function failuresOf(controller: ControllerDefinition, steps: readonly ExploreStep[], options: object) {
  const { failures } = await explore({ cluster: { controllers: () => [controller] }, steps, ...options })
  return told(failures)
}

describe('a mistake that no fault is needed for', () => {
  it.each([
    ['an operator that only throws', throwing, 'Error: the database is down'],
    ['a forgotten .owns', forgottenOwns, 'declare them with .owns(ConfigMap)'],
    ['a counter that never stops', counting, 'status.runs: '],
  ])('%s', async (_, operator, expected) => {
    const found = await failuresOf(operator(), thingSteps, {})
    expect(found).toContain(expected)
    expect(found).toContain('test/explore/quick-operators/cache-mistakes.ts')
  })
})

describe('ScheduledReport', () => {
  // The annotation is a command of the user, which this operator takes away.
  const oracles = standardOracles.filter(({ name }) => name !== 'lost updates')

  it('as written, removes what belongs to the user', async () => {
    expect(await failuresOf(scheduledReports, reportSteps, {})).toContain(
      'overwrote metadata.annotations.quick.example.dev/run-now of ScheduledReport sales, which belongs to user',
    )
  })

  it('as written, starts two Jobs for one command', async () => {
    const found = await failuresOf(scheduledReports, reportSteps, { only: 'run/1/lost-reply', oracles })
    expect(found).toContain('created batch/v1 Job default/sales-manual-* 2 times instead of once')
  })

  it('corrected, converges', async () => {
    expect(await failuresOf(correctScheduledReports, reportSteps, { only: 'run/1/lost-reply' })).toBe('')
    expect(await failuresOf(correctScheduledReports, reportSteps, { atMost: 10 })).toBe('')
  })
})

describe('Site', () => {
  // Without nodes: no pod is ever ready.
  const steps: ExploreStep[] = siteSteps.slice(0, 1).map((step) => ({ ...step, expects: 'not ready' }))

  it('is compared by its random password unless that is ignored', async () => {
    const found = await failuresOf(sites, steps, { only: 'create/2/crash-after' })
    expect(found).toContain('v1 Secret default/shop-admin: data.password: ')
  })

  it('corrected, converges', async () => {
    const oracles = [...standardOracles, passwordIsKept]
    expect(await failuresOf(correctSites, steps, { atMost: 10, ignore: [sitePassword], oracles })).toBe('')
  })
})

it('Tenant, as written, converges', async () => {
  expect(await failuresOf(tenants, tenantSteps, { atMost: 10 })).toBe('')
})
