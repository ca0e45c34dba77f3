import { isForbidden, isInvalid } from 'coxswain'
import { inProcessTransport, RestClient } from 'coxswain/client'
import { embedded, matchers, type Embedded } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import releasesOperator, { check, createdBy, Release, releases, stamp } from './webhooks.ts'

const key = { namespace: 'default', name: 'shop' }
const shop = (image = 'quay.io/shop:1') => ({ metadata: key, spec: { image } })

let cluster: Embedded
beforeEach(async () => {
  cluster = await embedded({ controllers: [releases], webhooks: [stamp, check] })
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'registries' },
    data: { allowed: 'quay.io,ghcr.io' },
  })
})
afterEach(() => cluster.stop())

/** A client of another user. */
const clientOf = (name: string) =>
  new RestClient({
    env: cluster.env,
    transport: inProcessTransport(cluster.plane.transport({ name, uid: name, groups: ['system:masters'] })),
  })
const patch = (body: object) => cluster.client.patch(Release, key, { type: 'merge', patch: body as never })

it('records the creator, whatever the creator says', async () => {
  const forged = { ...shop(), metadata: { ...key, annotations: { [createdBy]: 'somebody else' } } }
  const { metadata } = await clientOf('ann').create(Release, forged)
  expect(metadata.annotations).toEqual({ [createdBy]: 'ann' })
})

it('the webhook example allows only images of the registries that the namespace allows', async () => {
  const refused = cluster.client.create(Release, shop('docker.io/shop:1'))
  await expect(refused).rejects.toSatisfy(isInvalid)
  await expect(refused).rejects.toThrow('spec.image: the namespace default allows only images of quay.io, ghcr.io')

  await cluster.client.create(Release, shop())
  await expect(patch({ spec: { image: 'docker.io/shop:2' } })).rejects.toSatisfy(isInvalid)
  await patch({ spec: { image: 'ghcr.io/shop:2' } })
})

it('the webhook example refuses a change of the creator, and lets only the creator delete', async () => {
  await clientOf('ann').create(Release, shop())
  await expect(patch({ metadata: { annotations: { [createdBy]: 'admin' } } })).rejects.toThrow(
    'the creator cannot change',
  )
  await expect(clientOf('bob').delete(Release, key)).rejects.toSatisfy(isForbidden)
  await expect(clientOf('bob').delete(Release, key)).rejects.toThrow('only ann may delete this Release')
  await clientOf('ann').delete(Release, key)
})

it('the webhook example reconciles what is admitted, and is then at rest', async () => {
  await cluster.client.create(Release, shop())
  await cluster.settle()
  const release = await cluster.client.get(Release, key)
  expect(release.status).toMatchObject({ image: 'quay.io/shop:1', observedGeneration: 1 })
  expect(matchers.toHaveCondition(release, 'Ready', 'True', 'Released')).toMatchObject({ pass: true })
  expect(await cluster.writesDuring(3_600_000)).toEqual([])
})

it('the webhook example is granted what the webhooks read', async () => {
  const { files } = await releasesOperator.manifests()
  expect(files['roles.yaml']).toContain('- registries')
})
