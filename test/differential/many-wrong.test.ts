/** Checks the size of the topic many-wrong: hundreds of objects, of every kind, each with several recorded errors. */
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/json.ts'
import { loadTopic } from './fixtures.ts'
import { manifests } from './manifests/index.ts'

interface Cause {
  readonly field: string
}

/** The number of fields with errors in a response. */
function wrongFields({ status, res }: JsonObject): number {
  const causes = status === 422 ? (res as { details?: { causes?: Cause[] } }).details?.causes : undefined
  return new Set(causes?.map(({ field }) => field)).size
}

it('the differential suite compares at least 300 objects with several wrong fields', () => {
  const cases = loadTopic('many-wrong')
  const several = cases.map(({ name, records }) => ({
    name,
    count: records.filter((record) => wrongFields(record) > 1).length,
  }))
  expect(several.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(300)
  expect(
    several.filter(({ count }) => count < 3),
    'kinds with too few',
  ).toEqual([])
  expect(several.map(({ name }) => name)).toEqual([
    ...manifests.map(({ full, kind }) => `${String(full['apiVersion'])} ${kind}`),
    'custom resources',
    'addresses',
  ])
})
