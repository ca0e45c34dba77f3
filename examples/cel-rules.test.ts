import { ApiError, isInvalid, type Input } from 'coxswain'
import { embedded, matchers, type Embedded } from 'coxswain/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import poolsOperator, { Pool, pools } from './cel-rules.ts'

type Spec = Input<typeof Pool>['spec']

const key = { namespace: 'default', name: 'small' }
const pool = (spec: Partial<Spec> = {}, name = 'small') => ({
  metadata: { namespace: 'default', name },
  spec: { zone: 'a', storage: { type: 'disk' as const, diskGiB: 10 }, ...spec },
})

describe('without a server', () => {
  const problems = async (spec: Partial<Spec>, old?: Partial<Spec>, name?: string) =>
    (await Pool.validate(pool(spec, name), old === undefined ? undefined : pool(old))).map(
      ({ field, message }) => `${field}: ${message}`,
    )

  it('without a server accepts a valid Pool and fills in the defaults', async () => {
    expect(await problems({})).toEqual([])
    expect(Pool.defaulted(pool()).spec).toMatchObject({ scaling: { min: 1, max: 10 }, tags: [] })
  })

  it.each<[rule: string, spec: Partial<Spec>, problem: string]>([
    [
      'compares two fields',
      { scaling: { min: 11, max: 10 } },
      'spec.scaling.min: Invalid value: min 11 is more than max 10',
    ],
    [
      'requires a field in one case',
      { storage: { type: 'disk' } },
      'spec.storage.diskGiB: Invalid value: set diskGiB for the type disk, and only then',
    ],
    [
      'forbids the field in all others',
      { storage: { type: 'memory', diskGiB: 1 } },
      'spec.storage.diskGiB: Invalid value: set diskGiB for the type disk, and only then',
    ],
    [
      'checks every item of a list',
      { tags: ['good', 'Bad'] },
      'spec.tags: Invalid value: tags are lower-case words with dashes',
    ],
  ])('%s', async (_rule, spec, problem) => {
    expect(await problems(spec)).toEqual([problem])
  })

  it('without a server makes a field immutable', async () => {
    expect(await problems({ zone: 'b' }, {})).toEqual(['spec.zone: Invalid value: "b": the zone cannot change'])
  })

  it('without a server lets a disk grow, and not shrink', async () => {
    const disk = (diskGiB: number): Partial<Spec> => ({ storage: { type: 'disk', diskGiB } })
    expect(await problems(disk(20), disk(10))).toEqual([])
    expect(await problems(disk(5), disk(10))).toEqual(['spec.storage.diskGiB: Invalid value: a disk cannot shrink'])
    expect(await problems({ storage: { type: 'memory' } }, disk(10))).toEqual([])
  })

  it('without a server limits the name', async () => {
    expect(await problems({}, undefined, 'a-name-of-more-than-20-characters')).toEqual([
      expect.stringContaining('the name has at most 20 characters'),
    ])
  })
})

describe('in a cluster', () => {
  let cluster: Embedded
  beforeEach(async () => {
    cluster = await embedded({ controllers: [pools] })
  })
  afterEach(() => cluster.stop())

  it('in a cluster refuses an update with 422, and the message of the rule', async () => {
    await cluster.client.create(Pool, Pool.defaulted(pool()))
    const refused = cluster.client.patch(Pool, key, { type: 'merge', patch: { spec: { zone: 'b' } } })
    await expect(refused).rejects.toSatisfy(isInvalid)
    await expect(refused).rejects.toThrow(ApiError)
    await expect(refused).rejects.toThrow('spec.zone: Invalid value: "b": the zone cannot change')
  })

  it('in a cluster reconciles what is valid, and is then at rest', async () => {
    await cluster.client.create(Pool, Pool.defaulted(pool()))
    await cluster.settle()
    const accepted = await cluster.client.get(Pool, key)
    expect(accepted.status).toMatchObject({ size: 1, observedGeneration: 1 })
    expect(matchers.toHaveCondition(accepted, 'Ready')).toMatchObject({ pass: true })
    expect(matchers.toUseExactly(cluster.access, poolsOperator)).toMatchObject({ pass: true })
    expect(await cluster.writesDuring(3_600_000)).toEqual([])
  })
})
