import { mutableCopy } from 'coxswain'
import { embedded, matchers, type Embedded } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Backend, BackendV1alpha1, backends, tlsAnnotation, versions } from './conversion.ts'

const key = { namespace: 'default', name: 'shop' }

let cluster: Embedded
beforeEach(async () => {
  cluster = await embedded({ controllers: [backends], webhooks: [versions] })
})
afterEach(() => cluster.stop())

it('the conversion example serves an object of v1alpha1 in v1, and reconciles it', async () => {
  await cluster.client.create(BackendV1alpha1, { metadata: key, spec: { address: 'shop.local:80' } })
  await cluster.settle()
  const backend = await cluster.client.get(Backend, key)
  expect(backend.spec).toEqual({ host: 'shop.local', port: 80, tls: false })
  expect(backend.metadata.annotations).toBeUndefined()
  expect(matchers.toHaveCondition(backend, 'Ready')).toMatchObject({ pass: true })
  expect((await cluster.client.get(BackendV1alpha1, key)).status).toEqual(backend.status)
  expect(await cluster.writesDuring(3_600_000)).toEqual([])
})

it('a field that v1alpha1 does not have survives a change through v1alpha1', async () => {
  await cluster.client.create(Backend, { metadata: key, spec: { host: 'shop.local', port: 443, tls: true } })
  await cluster.settle()
  const old = await cluster.client.get(BackendV1alpha1, key)
  expect(old.spec).toEqual({ address: 'shop.local:443' })
  expect(old.metadata.annotations).toEqual({ [tlsAnnotation]: 'true' })

  await cluster.client.update(BackendV1alpha1, { ...mutableCopy(old), spec: { address: 'new.local:8443' } })
  await cluster.settle()
  const { metadata, spec, status } = await cluster.client.get(Backend, key)
  expect(spec).toEqual({ host: 'new.local', port: 8443, tls: true })
  expect(metadata.annotations).toBeUndefined()
  expect(status?.url).toBe('https://new.local:8443')
})

it('tracks the owners of fields when two versions are applied', async () => {
  const alpha = { apiVersion: 'example.dev/v1alpha1', kind: 'Backend', metadata: { name: 'shop' } }
  await cluster.apply({ ...alpha, spec: { address: 'shop.local:80' } })
  await cluster.client.apply(Backend, { metadata: key, spec: { tls: true } }, { fieldManager: 'security' })
  expect((await cluster.client.get(Backend, key)).spec).toEqual({ host: 'shop.local', port: 80, tls: true })
  // What the first manager applies again does not take back what the second one owns.
  await cluster.apply({ ...alpha, spec: { address: 'shop.local:81' } })
  expect((await cluster.client.get(Backend, key)).spec).toEqual({ host: 'shop.local', port: 81, tls: true })
})
