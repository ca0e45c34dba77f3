/** What another WebApp operator, that of a tutorial, gets wrong. Each is a test here. */
import { afterEach, describe, expect, it } from 'vitest'
import { Deployment, ReplicaSet, Service } from 'coxswain'
import { World, type WorldOptions } from './testing/world.ts'

let world: World
afterEach(() => world.close(), 30_000)
const start = async (options?: WorldOptions): Promise<void> => {
  world = await World.open(options)
}

describe('failures of other frameworks that the WebApp operator avoids', () => {
  it('an app whose apply failed is not Ready', async () => {
    await start({
      faults: ({ method, path }) =>
        method === 'PATCH' && path.includes('/deployments/') ? { type: 'answer', status: 500 } : undefined,
    })
    await world.apply({ image: 'nginx:1.20' })
    await world.cluster.advance(30_000)
    const app = await world.app()
    expect(world.condition(app, 'Ready')).toBe('False Retrying')
    expect(app.status?.message).not.toBe('')
    expect(app.status?.lastGoodRevision).toBeUndefined()
  })

  it('pods do not roll on every apply of an app', async () => {
    await start()
    const spec = { image: 'nginx:1.20', replicas: 2, env: { B: 'b', A: 'a' }, resources: { requests: { cpu: '0.5' } } }
    await world.apply(spec)
    await world.settle()
    const uids = async () => (await world.cluster.client.list(ReplicaSet)).items.map(({ metadata }) => metadata.uid)
    const before = await uids()
    await world.apply(spec)
    await world.apply({ ...spec, env: { A: 'a', B: 'b' }, replicas: 3, progressDeadlineSeconds: 99 })
    await world.cluster.restart()
    await world.settle()
    expect(await uids()).toEqual(before)
  })

  it('an app does not stay Pending', async () => {
    await start()
    await world.apply({ image: 'nginx:1.20', envFrom: [{ secretRef: { name: 'late' } }] })
    await world.cluster.advance(600_000)
    expect((await world.app()).status).toMatchObject({
      phase: 'Pending',
      message: 'spec.envFrom[0].secretRef: there is no Secret late',
    })
    await world.cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'late' }, data: {} } as never)
    await world.settle()
    expect((await world.app()).status?.phase).toBe('Running')
  })

  it('a Failed app is tried again', async () => {
    await start()
    await world.cluster.client.create(Service, {
      metadata: { namespace: 'default', name: 'hello' },
      spec: { ports: [{ port: 1 }] },
    })
    await world.apply({ image: 'nginx:1.20' })
    await world.cluster.advance(2_000)
    expect((await world.app()).status?.phase).toBe('Failed')
    await world.cluster.client.delete(Service, world.key())
    await world.cluster.advance(20_000)
    expect((await world.app()).status?.phase).toBe('Running')
    expect(world.phases).toEqual(['Failed', 'Running'])
    const text = JSON.stringify(world.traces.traces)
    for (const edge of [
      '"from":"Failed","to":"Pending"',
      '"from":"Pending","to":"Creating"',
      '"from":"Creating","to":"Running"',
    ])
      expect(text).toContain(edge)
  })

  it('drift of an app does not stay', async () => {
    await start()
    await world.apply({ image: 'nginx:1.20' })
    await world.settle()
    await world.cluster.client.patch(Deployment, world.key(), {
      type: 'json',
      patch: [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'evil:1' }],
    })
    await world.settle()
    expect((await world.deployment()).spec?.template?.spec?.containers?.[0]?.image).toBe('nginx:1.20')
  })
})
