/** A cluster that is rewound: its objects, its clock and its nodes. */
import { afterEach, expect, it } from 'vitest'
import { ConfigMap, Deployment, Pod } from '../schema/builtin/kinds.ts'
import { reusableCluster } from './embedded.ts'
import type { ReusableCluster, Snapshot } from './embedded-handle.ts'

const key = { namespace: 'default', name: 'web' }
const web = (image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: key,
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
  },
})

let cluster: ReusableCluster | undefined
afterEach(() => cluster?.stop())

/** Uids by key: what is created again would have another one. */
const uids = ({ items }: Snapshot): ReadonlyMap<string, string | undefined> =>
  new Map(
    items.filter(({ key }) => !/\/(events|leases)\//.test(key)).map((each) => [each.key, each.object.metadata.uid]),
  )

it('has the objects of a snapshot again, and its nodes go on from there', async () => {
  cluster = await reusableCluster({ nodes: 2 })
  await cluster.apply(web('nginx:1'))
  await cluster.settle()
  const before = cluster.snapshot()
  await cluster.apply(web('nginx:2'))
  await cluster.settle()
  await cluster.client.delete(Deployment, key)
  await cluster.settle()
  expect(uids(cluster.snapshot())).not.toEqual(uids(before))

  await cluster.rewind(before)
  expect(uids(cluster.snapshot())).toEqual(uids(before))
  expect(Math.abs(cluster.env.now() - before.time)).toBeLessThan(60_000)
  const { status } = await cluster.client.get(Deployment, key)
  expect(status?.readyReplicas).toBe(2)

  await cluster.apply(web('nginx:3'))
  await cluster.settle()
  const { items } = await cluster.client.list(Pod, { namespace: 'default' })
  expect(items.map(({ spec, status: { phase } = {} }) => [spec?.containers[0]?.image, phase])).toEqual([
    ['nginx:3', 'Running'],
    ['nginx:3', 'Running'],
  ])
})

it('collects again what it had begun to delete before', async () => {
  cluster = await reusableCluster({ nodes: 1 })
  const owner = { namespace: 'default', name: 'owner' }
  const held = { namespace: 'default', name: 'held' }
  const base = { apiVersion: 'v1', kind: 'ConfigMap' }
  const { metadata } = await cluster.client.create(ConfigMap, { ...base, metadata: owner })
  const { uid } = metadata
  const ownerReferences = [{ ...base, name: 'owner', uid }]
  await cluster.client.create(ConfigMap, {
    ...base,
    metadata: { ...held, finalizers: ['example.com/hold'], ownerReferences },
  })
  await cluster.settle()
  const before = cluster.snapshot()

  for (const attempt of ['first', 'second']) {
    await cluster.client.delete(ConfigMap, owner)
    await cluster.settle()
    const { metadata } = await cluster.client.get(ConfigMap, held)
    expect(metadata.deletionTimestamp, attempt).toBeDefined()
    await cluster.rewind(before)
  }
})
