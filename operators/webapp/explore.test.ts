/**
 * A crash, a conflict, an error, a lost call or reply and a late watch at the calls of the operator: always the same
 * end.
 */
import { expect, it } from 'vitest'
import { explore } from 'coxswain/testing'
import { exploration } from './testing/exploration.ts'
import { parts } from './testing/scenario.ts'

const some = (name: string) =>
  Object.values(parts)
    .flat()
    .filter((step) => step.name === name)

it(
  'the WebApp operator converges whatever fails from creation to deletion of an app',
  { timeout: 120_000 },
  async () => {
    const report = await explore({
      ...exploration([...parts.creation, ...some('image'), ...some('service deleted'), ...parts.deletion]),
      atMost: 24,
    })
    expect(report.failures, report.text).toEqual([])
  },
)
