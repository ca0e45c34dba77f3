import { afterEach, describe, expect, it } from 'vitest'
import {
  controller,
  ControllerRevision,
  DaemonSet,
  type JsonObject,
  type Live,
  type ReconcileContext,
} from '../../index.ts'
import { labelSelectorFrom } from '../../api/index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { adoptableInformer } from './adoption.ts'
import {
  applyRevision,
  claimRevisions,
  createRevision,
  deleteOldest,
  hasData,
  inRevisionOrder,
  nextRevision,
  podRevisionLabel,
  renumber,
  revisionData,
  type LiveRevision,
} from './controller-revisions.ts'
import { revisionHash } from './revision-hash.ts'

const revision = (name: string, number: number, creationTimestamp = '2026-01-01T00:00:00Z'): LiveRevision => ({
  metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp },
  revision: number,
})

const agent = (image = 'agent:1'): DaemonSet => ({
  metadata: { name: 'agent', namespace: 'default', annotations: { 'kubernetes.io/change-cause': 'first' } },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'agent', image }] } },
  },
})

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

/** A cluster with one DaemonSet, and a function that runs `work` in a reconcile of it. */
async function start(): Promise<{
  readonly cluster: Embedded
  readonly run: <T>(work: (context: ReconcileContext<DaemonSet>) => Promise<T>) => Promise<T>
}> {
  let job: ((context: ReconcileContext<DaemonSet>) => Promise<void>) | undefined
  const definition = controller(DaemonSet)
    .named('test')
    .watches(ControllerRevision, { map: () => [], informer: adoptableInformer })
    .owns(ControllerRevision)
    .options({ reconcileOwnWrites: 'never' })
    .reconcile(async (context) => {
      const next = job
      job = undefined
      await next?.(context)
    })
  const cluster = await embedded({ controllers: [definition] })
  running.push(cluster)
  await cluster.client.create(DaemonSet, agent())
  await cluster.settle()
  let count = 0
  return {
    cluster,
    run: async (work) => {
      const results: Awaited<ReturnType<typeof work>>[] = []
      job = async (context) => void results.push(await work(context))
      const patch = { metadata: { labels: { run: String(++count) } } }
      await cluster.client.patch(DaemonSet, { namespace: 'default', name: 'agent' }, { type: 'merge', patch })
      await cluster.settle()
      expect(results).toHaveLength(1)
      return results[0] as Awaited<ReturnType<typeof work>>
    },
  }
}

const selector = labelSelectorFrom({ matchLabels: { app: 'agent' } })

/** As a controller creates it. */
const create = (context: ReconcileContext<DaemonSet>, number: number, hash: string, data?: JsonObject) =>
  createRevision(context, {
    data: data ?? revisionData(context.object),
    revision: number,
    hash,
    hashLabel: podRevisionLabel,
  })

describe('the hash of a revision', () => {
  it('is the one of kube-controller-manager, with and without a collision count', () => {
    const data = {
      spec: {
        template: {
          metadata: { labels: { app: 'web', 9: 'x', 10: 'y' } },
          spec: {
            containers: [{ name: 'web', image: 'web:1', args: ['a<b && c>d'], resources: {} }],
            terminationGracePeriodSeconds: 30,
          },
          $patch: 'replace',
        },
      },
    }
    expect([undefined, 0, 1].map((collisions) => revisionHash(data, collisions))).toEqual([
      '6548dfb84c',
      '8474dbfd5',
      '8474dbfd4',
    ])
  })
})

describe('numbers of revisions', () => {
  it('are ordered by number, age and name', () => {
    const [old, young] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
    const all = [revision('c', 10, young), revision('e', 9), revision('b', 10, old), revision('a', 10, young)]
    expect(inRevisionOrder(all).map(({ metadata }) => metadata.name)).toEqual(['e', 'b', 'a', 'c'])
  })

  it('go on from the highest one, up to int64', () => {
    expect(nextRevision([])).toBe(1)
    expect(nextRevision([revision('a', 3), revision('b', 7), revision('c', 5)])).toBe(8)
    const wide = 2 ** 61
    expect(nextRevision([revision('a', wide)])).toBeGreaterThan(wide)
    expect(nextRevision([revision('a', wide)])).toBeLessThan(2 ** 63)
  })
})

describe('the history of an object', () => {
  it('creates a revision with the template as a patch', async () => {
    const { run } = await start()
    const created = await run((context) => create(context, 1, 'abc'))
    expect(created).toMatchObject({
      metadata: {
        name: 'agent-abc',
        labels: { app: 'agent', 'controller-revision-hash': 'abc' },
        annotations: { 'kubernetes.io/change-cause': 'first' },
        ownerReferences: [{ kind: 'DaemonSet', name: 'agent', controller: true, blockOwnerDeletion: true }],
      },
      revision: 1,
    })
    const text = JSON.stringify(created?.data)
    expect(text).toMatch(/^{"spec":{"template":{"\$patch":"replace","metadata":{"labels":{"app":"agent"}},"spec":/)
  })

  it('finds the same data under its name, and reports other data', async () => {
    const { run } = await start()
    const first = await run((context) => create(context, 1, 'abc'))
    const again = await run((context) => create(context, 2, 'abc'))
    expect(again?.metadata.uid).toBe(first?.metadata.uid)
    expect(again?.revision).toBe(1)
    expect(await run((context) => create(context, 2, 'abc', { spec: {} }))).toBeUndefined()
  })

  it('restores the template of a revision', async () => {
    const { cluster, run } = await start()
    const first = (await run((context) => create(context, 1, 'abc'))) as LiveRevision
    const patch = { spec: { template: { spec: { containers: [{ name: 'agent', image: 'agent:2' }] } } } }
    const key = { namespace: 'default', name: 'agent' }
    const changed: Live<DaemonSet> = await cluster.client.patch(DaemonSet, key, { type: 'strategic', patch })
    expect(hasData(first, revisionData(changed))).toBe(false)
    const restored = applyRevision(changed, first)
    expect(restored.spec?.template.spec?.containers[0]?.image).toBe('agent:1')
    expect(hasData(first, revisionData(restored))).toBe(true)
    expect(restored.spec?.selector).toEqual(changed.spec?.selector)
  })

  it('adopts, releases, renumbers and truncates', async () => {
    const { cluster, run } = await start()
    const { client } = cluster
    for (const [number, hash] of ['a', 'b', 'c', 'd'].entries())
      await run((context) => create(context, number + 1, hash, { spec: { template: { number } } }))
    const key = (hash: string) => ({ namespace: 'default', name: `agent-${hash}` })
    const release = { metadata: { labels: { app: 'other' } } }
    const orphan = { metadata: { ownerReferences: null } }
    await client.patch(ControllerRevision, key('a'), { type: 'merge', patch: release })
    await client.patch(ControllerRevision, key('d'), { type: 'merge', patch: orphan })
    const names = (all: readonly LiveRevision[]) => all.map(({ metadata }) => metadata.name)
    const claimed = await run((context) => claimRevisions(context, selector))
    expect(names(claimed)).toEqual(['agent-b', 'agent-c', 'agent-d'])
    expect((await client.get(ControllerRevision, key('a'))).metadata.ownerReferences).toBeUndefined()
    expect((await client.get(ControllerRevision, key('d'))).metadata.ownerReferences).toHaveLength(1)

    const [oldest] = claimed as [LiveRevision]
    const current = await run((context) => renumber(context, oldest, nextRevision(claimed)))
    expect(current.revision).toBe(5)

    const left = inRevisionOrder([...claimed.slice(1), current])
    await run((context) => deleteOldest(context, left, ({ metadata }) => metadata.name === 'agent-c', 1))
    const { items } = await client.list(ControllerRevision, { namespace: 'default' })
    expect(names(items)).toEqual(['agent-a', 'agent-b', 'agent-c'])
  })
})
