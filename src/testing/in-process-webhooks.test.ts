import { afterEach, describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { PermanentError } from '../controller/errors.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { mutating, validating } from '../webhooks/admission-webhook.ts'
import { check, Shop, tag } from '../webhooks/testdata/shop.ts'
import { embedded, type Embedded } from './embedded.ts'

let cluster: Embedded
afterEach(() => cluster.stop())

const shop = (name: string, rooms = 1) => ({ metadata: { namespace: 'default', name }, spec: { owner: { name: 'ann' }, rooms } })

describe('webhooks in a test', () => {
  it('have their say in what users write', async () => {
    cluster = await embedded({ controllers: [controller(Shop).reconcile(() => undefined)], webhooks: [check, tag] })
    await expect(cluster.client.create(Shop, shop('large', 21))).rejects.toThrow('admission webhook "validate-example-dev-v1-shop.test.webhook" denied the request: Shop.example.dev "large" is invalid: spec.rooms: a shop has at most 20 rooms')
    expect((await cluster.client.create(Shop, shop('a'))).spec.tags).toEqual(['by admin'])
  })

  it('and in what controllers write; a handler may read', async () => {
    const maps = validating(ConfigMap, { create: async ({ object, client }) => {
      const { spec } = await client.get(Shop, { namespace: 'default', name: object.metadata.name ?? '' })
      return spec.rooms > 5 ? 'a map of a large shop is not for everybody' : undefined
    } })
    const label = mutating(ConfigMap, { create: ({ object }) => {
      object.metadata.labels = { ...object.metadata.labels, seen: 'yes' }
    } })
    const draws = controller(Shop).owns(ConfigMap).reconcile(async ({ object, apply }) => {
      await apply(ConfigMap, { metadata: { name: object.metadata.name } }).catch((error: unknown) => {
        throw new PermanentError(String(error))
      })
    })
    cluster = await embedded({ controllers: [draws], webhooks: [maps, label] })
    await cluster.client.create(Shop, shop('small'))
    await cluster.client.create(Shop, shop('large', 6))
    await cluster.settle()
    expect((await cluster.client.list(ConfigMap, { namespace: 'default', labelSelector: 'seen=yes' })).items.map(({ metadata }) => metadata.name)).toEqual(['small'])
    expect(await cluster.events({ metadata: { name: 'large' } })).toMatchObject([{ type: 'Warning', reason: 'ReconcileFailed', message: expect.stringContaining('not for everybody') as string }])
  })
})
