import { afterEach, describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { PermanentError } from '../controller/errors.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { mutating, validating } from '../webhooks/admission-webhook.ts'
import { converting } from '../webhooks/conversion-webhook.ts'
import { check, conversion, Shop, ShopV1alpha1, tag } from '../webhooks/testdata/shop.ts'
import { embedded } from './embedded.ts'
import type { Embedded } from './embedded-handle.ts'

let cluster: Embedded
afterEach(() => cluster.stop())

const shop = (name: string, rooms = 1) => ({
  metadata: { namespace: 'default', name },
  spec: { owner: { name: 'ann' }, rooms },
})

describe('webhooks in a test', () => {
  it('webhooks in a test have their say in what users write', async () => {
    cluster = await embedded({ controllers: [controller(Shop).reconcile(() => undefined)], webhooks: [check, tag] })
    await expect(cluster.client.create(Shop, shop('large', 21))).rejects.toThrow(
      'admission webhook "validate-example-dev-v1-shop.test.webhook" denied the request: Shop.example.dev ' +
        '"large" is invalid: spec.rooms: a shop has at most 20 rooms',
    )
    expect((await cluster.client.create(Shop, shop('a'))).spec.tags).toEqual(['by admin'])
  })

  it('webhooks in a test have their say in what controllers write; a handler may read', async () => {
    const maps = validating(ConfigMap, {
      create: async ({ object, client }) => {
        const { spec } = await client.get(Shop, { namespace: 'default', name: object.metadata.name ?? '' })
        return spec.rooms > 5 ? 'a map of a large shop is not for everybody' : undefined
      },
    })
    const label = mutating(ConfigMap, {
      create: ({ object }) => {
        object.metadata.labels = { ...object.metadata.labels, seen: 'yes' }
      },
    })
    const draws = controller(Shop)
      .owns(ConfigMap)
      .reconcile(async ({ object, apply }) => {
        await apply(ConfigMap, { metadata: { name: object.metadata.name } }).catch((error: unknown) => {
          throw new PermanentError(String(error))
        })
      })
    cluster = await embedded({ controllers: [draws], webhooks: [maps, label] })
    await cluster.client.create(Shop, shop('small'))
    await cluster.client.create(Shop, shop('large', 6))
    await cluster.settle()
    expect(
      (await cluster.client.list(ConfigMap, { namespace: 'default', labelSelector: 'seen=yes' })).items.map(
        ({ metadata }) => metadata.name,
      ),
    ).toEqual(['small'])
    expect(await cluster.events({ metadata: { name: 'large' } })).toMatchObject([
      { type: 'Warning', reason: 'ReconcileFailed', message: expect.stringContaining('not for everybody') as string },
    ])
  })

  it('webhooks in a test convert for users and for controllers, whichever version they are in', async () => {
    const seen: string[] = []
    const olds = controller(ShopV1alpha1)
      .owns(ConfigMap)
      .reconcile(async ({ object, apply }) => {
        seen.push(`${object.metadata.name} of ${object.spec.owner} is ${object.spec.size}`)
        await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { size: object.spec.size } })
      })
    cluster = await embedded({ controllers: [olds], webhooks: [check, tag, conversion] })
    const key = { namespace: 'default', name: 'old' }
    const made = await cluster.client.create(ShopV1alpha1, { metadata: key, spec: { owner: 'ann', size: 'large' } })
    expect(made.metadata.annotations).toEqual({ 'example.dev/rooms': '10' })
    await cluster.settle()
    expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ size: 'large' })
    // The webhooks get the object in their version. Fields that they add and the version of the write does not have are
    // lost.
    expect((await cluster.client.get(Shop, key)).spec).toEqual({ owner: { name: 'ann' }, rooms: 10 })
    await expect(
      cluster.client.patch(ShopV1alpha1, key, { type: 'merge', patch: { spec: { owner: 'bob' } } }),
    ).rejects.toThrow('a shop keeps its owner')
    await cluster.client.patch(Shop, key, { type: 'merge', patch: { spec: { rooms: 2 } } })
    await cluster.settle()
    expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ size: 'small' })
    expect([...new Set(seen)]).toEqual(['old of ann is large', 'old of ann is small'])
    const { revision } = cluster.plane.store
    await cluster.crash()
    await cluster.settle()
    expect(cluster.plane.store.revision).toBe(revision)
  })

  it('webhooks in a test say in the log what a conversion threw', async () => {
    const broken = converting(Shop).version(ShopV1alpha1, {
      up: () => {
        throw new TypeError('there is no way up')
      },
      down: () => ({ spec: { owner: '', size: '' } }),
    })
    cluster = await embedded({ webhooks: [broken] })
    await expect(
      cluster.client.create(ShopV1alpha1, {
        metadata: { namespace: 'default', name: 'a' },
        spec: { owner: 'ann', size: 'large' },
      }),
    ).rejects.toThrow('conversion webhook for example.dev/v1alpha1, Kind=Shop failed: there is no way up')
    expect(cluster.logs.some((line) => line.includes('there is no way up'))).toBe(true)
    await cluster.stop()
    await expect(embedded({ webhooks: [converting(Shop)] })).rejects.toThrow(
      'Shop cannot be converted from and to example.dev/v1alpha1',
    )
  })
})
