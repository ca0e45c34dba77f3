import { afterEach, describe, expect, it } from 'vitest'
import { controller, Deployment, keyOf, Pod, ReplicaSet, type Live } from '../../index.ts'
import { timestamp } from '../../env/index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { replicaSets } from '../replica-set/index.ts'
import { deployments } from './index.ts'

/** Replaces a node: makes every pod Ready, unless its image is broken. */
const nodes = controller(Pod)
  .named('nodes')
  .reconcile(({ object: pod, status, now }) => {
    if (pod.status?.phase === 'Running' || pod.spec?.containers[0]?.image === 'broken') return
    status.set({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: timestamp(now()) }],
    })
  })

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [deployments, replicaSets, nodes] })
  running.push(cluster)
  return cluster
}

const web = (image = 'web:1', spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
    ...spec,
  },
})
const key = { namespace: 'default', name: 'web' }

async function sets({ client }: Embedded): Promise<readonly Live<ReplicaSet>[]> {
  const { items } = await client.list(ReplicaSet, { namespace: 'default' })
  return [...items].sort(
    (a, b) =>
      Number(a.metadata.annotations?.['deployment.kubernetes.io/revision']) -
      Number(b.metadata.annotations?.['deployment.kubernetes.io/revision']),
  )
}

describe('a Deployment', () => {
  it('a Deployment becomes a ReplicaSet and its pods, and says so', async () => {
    const cluster = await start()
    await cluster.apply(web())
    await cluster.settle()
    const { items: pods } = await cluster.client.list(Pod, { namespace: 'default' })
    expect(pods).toHaveLength(3)
    const { status, metadata } = await cluster.client.get(Deployment, key)
    expect(status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: metadata.generation,
    })
    expect(status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)).toEqual([
      'Available True MinimumReplicasAvailable',
      'Progressing True NewReplicaSetAvailable',
    ])
    expect(
      (await cluster.events({ metadata: key })).map(
        ({ reason, message }) => `${reason} ${message.replace(/web-\w+/, 'SET')}`,
      ),
    ).toEqual(['ScalingReplicaSet Scaled up replica set SET from 0 to 3'])
  })

  it('a Deployment rolls over to a new template without ever having too many or too few', async () => {
    const cluster = await start()
    await cluster.apply(web())
    await cluster.settle()
    await cluster.apply(web('web:2'))
    await cluster.settle()
    const [first, second] = await sets(cluster)
    expect([first?.spec?.replicas, second?.spec?.replicas]).toEqual([0, 3])
    const scaling = (await cluster.events({ metadata: key })).map(({ message }) => message.replace(/web-\w+/, 'SET'))
    expect(scaling.slice(1)).toEqual([
      'Scaled up replica set SET from 0 to 1',
      'Scaled down replica set SET from 3 to 2',
      'Scaled up replica set SET from 1 to 2',
      'Scaled down replica set SET from 2 to 1',
      'Scaled up replica set SET from 2 to 3',
      'Scaled down replica set SET from 1 to 0',
    ])
  })

  it('a Deployment stops at a broken image, keeps what works, and says that it is stuck', async () => {
    const cluster = await start()
    await cluster.apply(web('web:1', { progressDeadlineSeconds: 60 }))
    await cluster.settle()
    await cluster.apply(web('broken', { progressDeadlineSeconds: 60 }))
    await cluster.settle()
    await cluster.advance(120_000)
    const { status } = await cluster.client.get(Deployment, key)
    expect(status?.availableReplicas).toBe(3)
    expect(status?.conditions?.find(({ type }) => type === 'Progressing')).toMatchObject({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
    })
  })

  it('a Deployment recreates: no new pod before the last old one is gone', async () => {
    const cluster = await start()
    const strategy = { strategy: { type: 'Recreate' } }
    await cluster.apply(web('web:1', strategy))
    await cluster.settle()
    await cluster.apply(web('web:2', strategy))
    await cluster.settle()
    const { items: pods } = await cluster.client.list(Pod, { namespace: 'default' })
    expect(pods.map(({ spec }) => spec?.containers[0]?.image)).toEqual(['web:2', 'web:2', 'web:2'])
  })

  it('a Deployment scales in proportion in the middle of a rollout', async () => {
    const cluster = await start()
    await cluster.apply(web('web:1', { replicas: 10 }))
    await cluster.settle()
    await cluster.apply(web('broken', { replicas: 10 }))
    await cluster.settle()
    await cluster.apply(web('broken', { replicas: 20 }))
    await cluster.settle()
    const sizes = (await sets(cluster)).map(({ spec }) => spec?.replicas)
    expect((sizes[0] as number) + (sizes[1] as number)).toBe(25)
    expect(sizes[0]).toBeGreaterThan(sizes[1] as number)
  })

  it('a Deployment does nothing while paused, and goes on when resumed', async () => {
    const cluster = await start()
    await cluster.apply(web())
    await cluster.settle()
    await cluster.apply(web('web:2', { paused: true }))
    await cluster.settle()
    expect(await sets(cluster)).toHaveLength(1)
    await cluster.apply(web('web:2', { paused: false }))
    await cluster.settle()
    expect((await sets(cluster)).map(({ spec }) => spec?.replicas)).toEqual([0, 3])
  })

  it('a Deployment keeps as much history as it is reported, and goes back to a revision by its template', async () => {
    const cluster = await start()
    for (const image of ['web:1', 'web:2', 'web:3', 'web:4']) {
      await cluster.apply(web(image, { revisionHistoryLimit: 2 }))
      await cluster.settle()
    }
    expect((await sets(cluster)).map(({ spec }) => spec?.template?.spec?.containers[0]?.image)).toEqual([
      'web:2',
      'web:3',
      'web:4',
    ])
    await cluster.apply(web('web:2', { revisionHistoryLimit: 2 }))
    await cluster.settle()
    expect(
      (await sets(cluster)).map(({ spec, metadata }) => [
        spec?.template?.spec?.containers[0]?.image,
        metadata.annotations?.['deployment.kubernetes.io/revision'],
      ]),
    ).toEqual([
      ['web:3', '3'],
      ['web:4', '4'],
      ['web:2', '5'],
    ])
  })

  it('a Deployment counts revisions with 64 bits', async () => {
    const cluster = await start()
    const revision = 'deployment.kubernetes.io/revision'
    const history = 'deployment.kubernetes.io/revision-history'
    const { selector, template } = web('web:old').spec
    await cluster.client.create(ReplicaSet, {
      metadata: {
        name: 'old',
        namespace: 'default',
        labels: { app: 'web' },
        annotations: { [revision]: '3546343826724305832' },
      },
      spec: { replicas: 1, selector, template },
    })
    await cluster.apply(web())
    await cluster.settle()
    const revisions = async (): Promise<object> =>
      Object.fromEntries(
        (await sets(cluster)).map(({ spec, metadata }) => [
          spec?.template?.spec?.containers[0]?.image,
          [metadata.annotations?.[revision], metadata.annotations?.[history]],
        ]),
      )
    expect(await revisions()).toEqual({
      'web:old': ['3546343826724305832', undefined],
      'web:1': ['3546343826724305833', undefined],
    })
    await cluster.apply(web('web:old'))
    await cluster.settle()
    expect(await revisions()).toEqual({
      'web:old': ['3546343826724305834', '3546343826724305832'],
      'web:1': ['3546343826724305833', undefined],
    })
    expect((await cluster.client.get(Deployment, key)).metadata.annotations?.[revision]).toBe('3546343826724305834')
  })

  it('a Deployment replaces pods that are deleted, and is at rest otherwise', async () => {
    const cluster = await start()
    await cluster.apply(web())
    await cluster.settle()
    const { items: pods } = await cluster.client.list(Pod, { namespace: 'default' })
    await cluster.client.delete(Pod, keyOf(pods[0] as Live<Pod>))
    await cluster.settle()
    expect((await cluster.client.list(Pod, { namespace: 'default' })).items).toHaveLength(3)
    const { revision } = cluster.plane.store
    await cluster.advance(3_600_000)
    expect(cluster.plane.store.revision).toBe(revision)
  })
})
