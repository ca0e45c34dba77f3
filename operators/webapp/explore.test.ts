/**
 * A crash, a conflict, an error, a lost call or reply and a late watch at the calls of the operator: always the same
 * end. `npm test` tries some faults, `npm run test:long` all of these steps; `npm run -s explore` has more steps.
 */
import { expect, it } from 'vitest'
import { explore } from 'coxswain/testing'
import { exploration } from './testing/exploration.ts'
import { parts } from './testing/scenario.ts'

const isLong = process.env['COXSWAIN_TESTS'] === 'long'

const some = (name: string) =>
  Object.values(parts)
    .flat()
    .filter((step) => step.name === name)

it(
  'the WebApp operator converges whatever fails from creation to deletion of an app',
  { timeout: isLong ? 600_000 : 120_000 },
  async () => {
    const report = await explore({
      ...exploration([...parts.creation, ...some('image'), ...some('service deleted'), ...parts.deletion]),
      atMost: isLong ? undefined : 24,
    })
    expect(report.failures, report.text).toEqual([])
  },
)
