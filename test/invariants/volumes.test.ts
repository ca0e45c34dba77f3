/**
 * Volumes and claims when the binder crashes after any of its writes, and under random actions: both sides of a binding
 * agree, no volume has two claims, and a released volume is never bound again. `settings.ts` says how
 * to play many.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PersistentVolume, PersistentVolumeClaim, type Live } from '../../src/index.ts'
import { play } from './play.ts'
import { settings, timeout } from './settings.ts'
import { volumeStory } from './volume-actions.ts'
import { volumes } from './volume-rules.ts'
import { World } from './world.ts'

const namespace = 'default'
const accessModes = ['ReadWriteOnce' as const]

async function volumesOf({ client }: World): Promise<readonly Live<PersistentVolume>[]> {
  return (await client.list(PersistentVolume)).items
}

async function claimsOf({ client }: World): Promise<readonly Live<PersistentVolumeClaim>[]> {
  return (await client.list(PersistentVolumeClaim, { namespace })).items
}

async function createObjects({ client }: World): Promise<void> {
  for (const name of ['v1', 'v2'])
    await client.create(PersistentVolume, {
      metadata: { name },
      spec: { accessModes, capacity: { storage: '1Gi' }, hostPath: { path: `/data/${name}` } },
    })
  for (const name of ['a', 'b', 'c'])
    await client.create(PersistentVolumeClaim, {
      metadata: { name, namespace },
      spec: { accessModes, resources: { requests: { storage: '1Gi' } }, storageClassName: '' },
    })
}

async function expectAgreement(world: World): Promise<void> {
  const claims = await claimsOf(world)
  for (const { metadata, spec, status } of await volumesOf(world)) {
    const claim = claims.find(({ metadata: { uid } }) => uid === spec?.claimRef?.uid)
    if (status?.phase === 'Bound') expect(claim).toMatchObject({ spec: { volumeName: metadata.name } })
    else expect(claim).toBeUndefined()
  }
  const bound = claims.filter(({ status }) => status?.phase === 'Bound').map(({ spec }) => spec?.volumeName)
  expect(new Set(bound).size).toBe(bound.length)
}

test.each([0, 1, 2, 3, 4, 5, 6, 7])('volumes and claims agree after a crash at write %i', async (writes) => {
  const world = new World(writes)
  try {
    await world.start()
    world.plan('controllers', { type: 'crash', when: 'after' }, writes)
    await createObjects(world)
    await world.settle()
    await expectAgreement(world)
    const bound = (await claimsOf(world)).filter(({ status }) => status?.phase === 'Bound')
    expect(bound).toHaveLength(2)
    world.plan('controllers', { type: 'crash', when: 'after' }, writes)
    await world.client.delete(PersistentVolumeClaim, { namespace, name: bound[0]?.metadata.name ?? '' })
    await world.settle()
    await expectAgreement(world)
    const phases = new Set((await volumesOf(world)).map(({ status }) => status?.phase))
    expect(phases).toEqual(new Set(['Bound', 'Released']))
  } finally {
    await world.stop()
  }
})

test('invariants of volumes hold whatever users do and whoever crashes', { timeout }, async () => {
  const property = fc.asyncProperty(volumeStory, fc.nat({ max: 1000 }), (actions, seed) => play(actions, seed, volumes))
  await fc.assert(property, settings(3))
})
