import { afterEach, describe, expect, it } from 'vitest'
import { ConfigMap, ServiceAccount } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { serviceAccounts } from './index.ts'
import { rootCas } from './root-ca.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [serviceAccounts, rootCas({ ca: 'PEM' })] })
  running.push(cluster)
  return cluster
}
const ca = { namespace: 'blue', name: 'kube-root-ca.crt' }

describe('what every namespace has', () => {
  it('what every namespace has is made with it, and made again when somebody deletes it', async () => {
    const { client, apply, settle } = bound(await start())
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'blue' } })
    await settle()
    const account = await client.get(ServiceAccount, { namespace: 'blue', name: 'default' })
    expect((await client.get(ConfigMap, ca)).data).toEqual({ 'ca.crt': 'PEM' })
    await client.delete(ServiceAccount, { namespace: 'blue', name: 'default' })
    await client.delete(ConfigMap, ca)
    await settle()
    expect((await client.get(ServiceAccount, { namespace: 'blue', name: 'default' })).metadata.uid).not.toBe(
      account.metadata.uid,
    )
    expect((await client.get(ConfigMap, ca)).metadata.annotations?.['kubernetes.io/description']).toContain('CA bundle')
  })

  it('what every namespace has is repaired when somebody changes it, and left alone when nobody does', async () => {
    const cluster = await start()
    const { client, apply, settle } = bound(cluster)
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'blue' } })
    await settle()
    await client.patch(ConfigMap, ca, { type: 'merge', patch: { data: { 'ca.crt': 'forged', more: 'x' } } })
    await settle()
    expect((await client.get(ConfigMap, ca)).data).toEqual({ 'ca.crt': 'PEM' })
    const before = cluster.plane.store.revision
    await cluster.restart()
    await settle()
    expect(cluster.plane.store.revision).toBe(before)
  })

  it('what every namespace has is not made in a namespace that ends', async () => {
    const cluster = await start()
    const { client, apply, settle } = bound(cluster)
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'blue' } })
    await settle()
    await client.raw('DELETE', '/api/v1/namespaces/blue')
    await client.delete(ConfigMap, ca)
    await client.delete(ServiceAccount, { namespace: 'blue', name: 'default' })
    await settle()
    expect((await client.list(ConfigMap, { namespace: 'blue' })).items).toEqual([])
    expect((await client.list(ServiceAccount, { namespace: 'blue' })).items).toEqual([])
    expect(cluster.logs.filter((line) => line.includes('"error"'))).toEqual([])
  })
})

function bound(cluster: Embedded) {
  return { client: cluster.client, apply: cluster.apply.bind(cluster), settle: cluster.settle.bind(cluster) }
}
