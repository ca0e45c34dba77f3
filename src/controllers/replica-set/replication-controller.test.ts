import { afterEach, describe, expect, it } from 'vitest'
import { timestamp } from '../../env/index.ts'
import { controller, Pod, ReplicationController } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { replicationControllers } from './index.ts'

const nodes = controller(Pod)
  .named('nodes')
  .reconcile(({ object: pod, status, now }) => {
    if (pod.status?.phase === 'Running') return
    status.set({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: timestamp(now()) }],
    })
  })

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

const namespace = 'default'
const key = { namespace, name: 'web' }
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }

describe('a ReplicationController', () => {
  it('a ReplicationController keeps its number of pods, adopts one, and rests', async () => {
    const cluster = await embedded({ controllers: [replicationControllers, nodes] })
    running.push(cluster)
    const { client } = cluster
    await client.create(Pod, { metadata: { namespace, name: 'own', labels: { app: 'web' } }, spec: template.spec })
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: key,
      // Without a selector, it is the labels of the template.
      spec: { replicas: 3, template },
    })
    await cluster.settle()
    const { items } = await client.list(Pod, { namespace })
    expect(items.map(({ metadata }) => metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`))).toEqual(
      Array.from({ length: 3 }, () => ['ReplicationController web']),
    )
    const { status, metadata } = await client.get(ReplicationController, key)
    expect(status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: metadata.generation,
    })
    expect((await cluster.events({ metadata: key })).map(({ reason }) => reason)).toEqual([
      'SuccessfulCreate',
      'SuccessfulCreate',
    ])
    const { revision } = cluster.plane.store
    await cluster.restart()
    await cluster.advance(3_600_000)
    expect(cluster.plane.store.revision).toBe(revision)
  })
})
