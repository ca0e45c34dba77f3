/** How an app goes, and how it is left alone. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Deployment, isNotFound, Pod, Service } from 'coxswain'
import { WebApp } from './schema/webapp.ts'
import { World } from './testing/world.ts'

let world: World
// A busy machine takes its time.
beforeEach(async () => {
  world = await World.open()
}, 30_000)
afterEach(() => world.close(), 30_000)

const isGone = async (found: Promise<unknown>): Promise<boolean> => {
  try {
    await found
    return false
  } catch (error) {
    if (!isNotFound(error)) throw error
    return true
  }
}
const remove = (): Promise<unknown> => world.cluster.client.delete(WebApp, world.key())

describe('deletion', () => {
  it('the deletion of an app goes Ingress, Service, Deployment: each waits for the one before', async () => {
    await world.apply({ image: 'nginx:1.20', ingress: { host: 'a.example.com' } })
    await world.settle()
    await world.cluster.client.patch(Service, world.key(), {
      type: 'merge',
      patch: { metadata: { finalizers: ['example.dev/cloud'] } },
    })
    await world.settle()
    await remove()
    await world.cluster.advance(60_000)
    expect(await isGone(world.ingress())).toBe(true)
    expect((await world.service()).metadata.deletionTimestamp).toBeDefined()
    expect((await world.deployment()).metadata.deletionTimestamp).toBeUndefined()
    expect((await world.app()).status).toMatchObject({
      phase: 'Deleting',
      message: 'the app is being deleted',
      image: 'nginx:1.20',
      replicas: 1,
    })
    // What has no meaning any more is not said any more.
    for (const name of ['url', 'endpoints', 'children', 'history', 'lastGoodRevision'])
      expect((await world.app()).status).not.toHaveProperty(name)
    expect(world.condition(await world.app(), 'Stalled')).toBeUndefined()

    // A deadline that becomes a condition, and an event, once.
    await world.cluster.advance(300_000)
    const stuck = await world.app()
    expect(world.condition(stuck, 'Stalled')).toBe('True DeletionStuck')
    expect(stuck.status?.message).toContain('Service hello (held by example.dev/cloud)')
    expect((await world.events()).filter(({ reason }) => reason === 'DeletionStuck')).toMatchObject([{ count: 1 }])

    await world.cluster.client.patch(Service, world.key(), { type: 'merge', patch: { metadata: { finalizers: null } } })
    await world.settle()
    expect(await isGone(world.app())).toBe(true)
    expect(await isGone(world.deployment())).toBe(true)
    expect(world.phases).toEqual(['Creating', 'Running', 'Deleting'])
  })

  it('the deletion of an app, WaitForTermination: the app is there until its pods have ended', async () => {
    await world.apply({
      image: 'nginx:1.20',
      deletionPolicy: 'WaitForTermination',
      podMetadata: { annotations: { 'coxswain.dev/stop-takes': '20s' } },
    })
    await world.settle()
    await remove()
    await world.cluster.advance(10_000)
    expect(await isGone(world.deployment())).toBe(true)
    expect((await world.app()).status?.phase).toBe('Deleting')
    await world.settle()
    expect(await isGone(world.app())).toBe(true)
    expect((await world.cluster.client.list(Pod)).items).toEqual([])
  })

  it('the deletion of an app, Orphan: what the operator made stays, and serves', async () => {
    await world.apply({ image: 'nginx:1.20', replicas: 2, deletionPolicy: 'Orphan' })
    await world.settle()
    await remove()
    await world.settle()
    expect(await isGone(world.app())).toBe(true)
    expect((await world.deployment()).metadata.ownerReferences).toBeUndefined()
    expect((await world.deployment()).status?.availableReplicas).toBe(2)
    expect((await world.service()).metadata.ownerReferences).toBeUndefined()
  })

  it('deletionPolicy Orphan after a rollback keeps what runs, not what the spec asks for', async () => {
    await world.apply({
      image: 'nginx:1.20',
      onFailure: 'Rollback',
      deletionPolicy: 'Orphan',
      progressDeadlineSeconds: 60,
    })
    await world.settle()
    await world.patch({ image: 'nginx:bad', podMetadata: { annotations: { 'coxswain.dev/fault': 'image-pull' } } })
    await world.cluster.advance(200_000)
    expect(world.condition(await world.app(), 'Stalled')).toBe('True RolledBack')
    await remove()
    await world.settle()
    expect(await isGone(world.app())).toBe(true)
    expect((await world.deployment()).metadata.ownerReferences).toBeUndefined()
    expect((await world.deployment()).spec?.template?.spec?.containers?.[0]?.image).toBe('nginx:1.20')
  })

  it("the deletion of an app does not touch what is somebody else's", async () => {
    await world.cluster.client.create(Service, {
      metadata: { namespace: 'default', name: 'hello' },
      spec: { ports: [{ port: 1 }] },
    })
    await world.apply({ image: 'nginx:1.20' })
    await world.cluster.advance(2_000)
    await remove()
    await world.settle()
    expect(await isGone(world.app())).toBe(true)
    expect(await isGone(world.deployment())).toBe(true)
    expect((await world.service()).spec?.ports).toMatchObject([{ port: 1 }])
  })

  it('the deletion of an app goes with its namespace, without a word of failure', async () => {
    await world.close()
    world = await World.open({ builtin: ['all'] })
    await world.cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } } as never)
    await world.cluster.apply({
      apiVersion: WebApp.apiVersion,
      kind: 'WebApp',
      metadata: { name: 'hello', namespace: 'shop' },
      spec: { image: 'nginx:1.20' },
    } as never)
    await world.settle()
    await world.cluster.client.raw('DELETE', '/api/v1/namespaces/shop')
    await world.settle()
    expect((await world.cluster.client.list(WebApp)).items).toEqual([])
    expect((await world.cluster.client.list(Deployment)).items).toEqual([])
    expect(world.phases).not.toContain('Failed')
  })
})

describe('suspend', () => {
  it('spec.suspend leaves everything as it is, says so, and does not hold up a deletion', async () => {
    await world.apply({ image: 'nginx:1.20' })
    await world.settle()
    await world.patch({ suspend: true, image: 'nginx:1.21' })
    await world.settle()
    await world.cluster.client.patch(Deployment, world.key(), { type: 'merge', patch: { spec: { replicas: 3 } } })
    await world.settle()
    const app = await world.app()
    expect(app.status?.phase).toBe('Running')
    expect(world.condition(app, 'Paused')).toBe('True Suspended')
    expect(world.condition(app, 'Ready')).toBe('False Suspended')
    expect((await world.deployment()).spec).toMatchObject({
      replicas: 3,
      template: { spec: { containers: [{ image: 'nginx:1.20' }] } },
    })
    await world.patch({ suspend: false })
    await world.settle()
    expect((await world.deployment()).spec).toMatchObject({
      replicas: 1,
      template: { spec: { containers: [{ image: 'nginx:1.21' }] } },
    })
    expect(await world.reasons()).toEqual(expect.arrayContaining(['Suspended', 'Resumed', 'DeploymentSynced']))
    await world.patch({ suspend: true })
    await world.settle()
    await remove()
    await world.settle()
    expect(await isGone(world.app())).toBe(true)
    expect(await isGone(world.deployment())).toBe(true)
  })

  it('spec.suspend before the first run: Pending, and nothing is made', async () => {
    await world.apply({ image: 'nginx:1.20', suspend: true })
    await world.settle()
    expect((await world.app()).status?.phase).toBe('Pending')
    expect(await isGone(world.deployment())).toBe(true)
    await world.patch({ suspend: false })
    await world.settle()
    expect(world.phases).toEqual(['Pending', 'Creating', 'Running'])
  })
})
