/** What goes wrong: what is told, what is tried again, what is rolled back, and what never shows. */
import { afterEach, describe, expect, it } from 'vitest'
import { Deployment, ReplicaSet, ResourceQuota, Service, type Live } from 'coxswain'
import type { WebApp } from './schema/webapp.ts'
import { World, type WorldOptions } from './testing/world.ts'

let world: World
afterEach(() => world.close(), 30_000)

async function start(options?: WorldOptions): Promise<void> {
  world = await World.open(options)
}

const fault = (name: string) => ({
  podMetadata: {
    annotations: {
      'coxswain.dev/fault': name,
      ...(name === 'never-ready' ? {} : { 'coxswain.dev/ready-after': '5s' }),
    },
  },
})
const problems = (app: Live<WebApp>): string[] =>
  (app.status?.problems ?? []).map(({ path, severity }) => `${severity} ${path}`)

describe('pods that do not come up', () => {
  it.each([
    ['image-pull', 'ImagePullFailed', 'spec.image', /nginx:1\.20 cannot be pulled/],
    ['crash-loop', 'CrashLooping', 'spec.image', /ends again and again: it ended with exit code 1/],
    ['oom', 'OutOfMemory', 'spec.resources.limits.memory', /used more memory than it may/],
  ])('pods fail to start because of %s: %s', async (name, reason, path, message) => {
    await start()
    await world.apply({ image: 'nginx:1.20', progressDeadlineSeconds: 60, ...fault(name) })
    await world.cluster.advance(20_000)
    const early = await world.app()
    expect(world.condition(early, 'Ready')).toBe(`False ${reason}`)
    expect(early.status).toMatchObject({ phase: 'Creating', message: expect.stringMatching(message) as string })
    expect(problems(early)).toEqual([`Warning ${path}`])
    await world.cluster.advance(50_000)
    const late = await world.app()
    expect(late.status).toMatchObject({
      phase: 'Failed',
      failedRevision: { attempts: 1, reason },
      nextRetryTime: expect.any(String) as string,
    })
    expect(world.condition(late, 'Stalled')).toBe(`True ${reason}`)
    expect(problems(late)).toEqual([`Error ${path}`])
    expect((await world.reasons()).filter((each) => each === 'Failed')).toHaveLength(1)
  })

  it('pods fail to start because no node takes them', async () => {
    await start()
    await world.apply({ image: 'nginx:1.20', resources: { requests: { cpu: '100' } }, progressDeadlineSeconds: 60 })
    await world.cluster.advance(70_000)
    const app = await world.app()
    expect(world.condition(app, 'Stalled')).toBe('True Unschedulable')
    expect(app.status?.message).toMatch(/no node takes pod hello-.*Insufficient cpu/)
    expect(problems(app)).toEqual(['Error spec.resources'])
  })

  it('pods fail to start because a quota forbids them', async () => {
    await start({ builtin: ['all'] })
    await world.cluster.client.create(ResourceQuota, {
      metadata: { namespace: 'default', name: 'none' },
      spec: { hard: { pods: '0' } },
    })
    await world.settle()
    await world.apply({ image: 'nginx:1.20', progressDeadlineSeconds: 60 })
    await world.cluster.advance(5_000)
    const app = await world.app()
    expect(app.status?.message).toMatch(/exceeded quota/)
    expect(problems(app)).toEqual(['Error spec.replicas'])
  })

  it('pods that recover without help: the app is Failed, then Running', async () => {
    await start()
    await world.apply({ image: 'nginx:1.20', progressDeadlineSeconds: 30, ...fault('never-ready') })
    await world.cluster.advance(40_000)
    expect((await world.app()).status?.phase).toBe('Failed')
    await world.patch({ podMetadata: null })
    await world.settle()
    expect(world.phases).toEqual(['Creating', 'Failed', 'Creating', 'Running'])
    const app = await world.app()
    expect(app.status?.failedRevision).toBeUndefined()
    expect(app.status?.nextRetryTime).toBeUndefined()
    expect(world.condition(app, 'Ready')).toBe('True Ready')
  })
})

describe('a pod of a running app that dies', () => {
  it('a pod of a running app that dies makes it Degraded, not Failed, and it recovers', async () => {
    await start()
    await world.apply({
      image: 'nginx:1.20',
      podMetadata: { annotations: { 'coxswain.dev/exit-after': '60s', 'coxswain.dev/exit-code': '3' } },
    })
    // The first restart is immediate, the second one is not.
    await world.cluster.advance(125_000)
    const app = await world.app()
    expect(app.status?.phase).toBe('Running')
    expect(world.condition(app, 'Degraded')).toMatch(/^True (CrashLooping|ContainerExited)$/)
    expect(app.status?.message).toContain('exit code 3')
    await world.cluster.advance(15_000)
    expect(world.condition(await world.app(), 'Ready')).toBe('True Ready')
    expect(await world.reasons()).toEqual(['Created', 'Running', 'Degraded', 'Recovered'])
  })
})

describe('what the server refuses', () => {
  it('a foreign Deployment is not touched (NotOwned); when it is deleted, the app starts', async () => {
    await start()
    await world.cluster.client.create(Deployment, {
      metadata: { namespace: 'default', name: 'hello' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'other', image: 'other' }] } },
      },
    })
    const before = (await world.deployment()).metadata.uid
    await world.apply({ image: 'nginx:1.20' })
    await world.cluster.advance(3_000)
    const app = await world.app()
    expect(app.status?.phase).toBe('Failed')
    expect(world.condition(app, 'Stalled')).toBe('True NotOwned')
    expect(problems(app)).toEqual(['Error metadata.name'])
    expect(app.status?.children).toMatchObject([
      { kind: 'Deployment', state: 'NotOwned' },
      { kind: 'Service', state: 'Missing' },
    ])
    expect((await world.deployment()).metadata).toMatchObject({ uid: before })
    expect((await world.deployment()).metadata.labels).toBeUndefined()
    await world.cluster.client.delete(Deployment, world.key())
    await world.settle()
    expect((await world.app()).status?.phase).toBe('Running')
  })

  it('a rejected write is retried with a backoff that is counted in the status, also across restarts', async () => {
    await start()
    await world.cluster.client.create(Service, {
      metadata: { namespace: 'default', name: 'hello' },
      spec: { ports: [{ port: 1 }] },
    })
    await world.apply({ image: 'nginx:1.20' })
    await world.cluster.advance(5_000)
    const attempts = async (): Promise<number | undefined> => (await world.app()).status?.failedRevision?.attempts
    expect(await attempts()).toBe(1)
    await world.cluster.advance(10_000)
    expect(await attempts()).toBe(2)
    await world.cluster.crash()
    await world.cluster.advance(10_000)
    expect(await attempts()).toBe(2)
    await world.cluster.advance(11_000)
    expect(await attempts()).toBe(3)
    await world.patch({ replicas: 2 })
    await world.cluster.advance(1_000)
    expect(await attempts()).toBe(4)
    expect((await world.reasons()).filter((each) => each === 'Failed')).toHaveLength(1)
  })

  it('the annotation coxswain.dev/reconcile-at asks for a retry now, and the status acknowledges it', async () => {
    await start()
    await world.cluster.client.create(Service, {
      metadata: { namespace: 'default', name: 'hello' },
      spec: { ports: [{ port: 1 }] },
    })
    await world.apply({ image: 'nginx:1.20' })
    await world.cluster.advance(100_000)
    await world.cluster.client.delete(Service, world.key())
    await world.cluster.advance(1_000)
    expect((await world.app()).status?.phase).toBe('Failed')
    await world.patch({}, { annotations: { 'coxswain.dev/reconcile-at': 'now' } })
    await world.settle()
    expect((await world.app()).status).toMatchObject({ phase: 'Running', lastHandledReconcileAt: 'now' })
  })
})

describe('a failure and missing configuration', () => {
  it('an app with missing configuration is Pending once its failure is retried, then Running', async () => {
    await start()
    await world.cluster.client.create(Deployment, {
      metadata: { namespace: 'default', name: 'hello' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'other', image: 'other' }] } },
      },
    })
    await world.apply({ image: 'nginx:1.20' })
    await world.cluster.advance(1_000)
    await world.patch({ envFrom: [{ secretRef: { name: 'late' } }] })
    await world.cluster.advance(1_000)
    await world.cluster.client.delete(Deployment, world.key())
    await world.cluster.advance(1_000)
    await world.cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'late' } } as never)
    await world.settle()
    expect(world.phases).toEqual(['Failed', 'Pending', 'Creating', 'Running'])
  })
})

describe('a roll-out that fails', () => {
  const good = { image: 'nginx:1.20', replicas: 2, progressDeadlineSeconds: 60 }

  it('a failed rollout with Hold stays as it is, and the old pods keep serving', async () => {
    await start()
    await world.apply(good)
    await world.settle()
    await world.patch({ image: 'nginx:bad', ...fault('image-pull') })
    await world.cluster.advance(120_000)
    const app = await world.app()
    expect(app.status).toMatchObject({
      phase: 'Failed',
      image: 'nginx:bad',
      lastGoodRevision: { image: 'nginx:1.20' },
      failedRevision: { image: 'nginx:bad' },
    })
    expect(world.condition(app, 'Available')).toMatch(/^True/)
  })

  it('a failed rollout with Rollback runs the last good revision until the spec changes', async () => {
    await start()
    await world.apply({ ...good, onFailure: 'Rollback' })
    await world.settle()
    const revision = (await world.app()).status?.currentRevision
    await world.patch({ image: 'nginx:bad', ...fault('image-pull') })
    await world.cluster.advance(200_000)
    const app = await world.app()
    expect(app.status).toMatchObject({
      phase: 'Failed',
      image: 'nginx:1.20',
      currentRevision: revision,
      availableReplicas: 2,
      updatedReplicas: 2,
      failedRevision: { image: 'nginx:bad' },
    })
    expect(app.status?.nextRetryTime).toBeUndefined()
    expect(world.condition(app, 'Stalled')).toBe('True RolledBack')
    expect(world.condition(app, 'Available')).toMatch(/^True/)
    expect((await world.deployment()).spec?.template?.spec?.containers?.[0]?.image).toBe('nginx:1.20')
    expect((await world.deployment()).spec?.template?.metadata?.annotations).toBeUndefined()
    expect(app.status?.history?.map(({ image, outcome }) => `${image ?? ''} ${outcome}`)).toEqual([
      'nginx:1.20 RolledBack',
      'nginx:bad Failed',
      'nginx:1.20 Good',
    ])
    expect(await world.reasons()).toEqual([
      'Created',
      'Running',
      'DeploymentSynced',
      'ResourcesSynced',
      'Failed',
      'RolledBack',
    ])

    // It stays pinned: no upgrade and roll-back for ever. Other fields still count.
    expect(await world.calls(() => world.cluster.advance(600_000))).toEqual([])
    await world.patch({ replicas: 3 })
    await world.settle()
    expect((await world.deployment()).spec).toMatchObject({
      replicas: 3,
      template: { spec: { containers: [{ image: 'nginx:1.20' }] } },
    })

    await world.patch({ image: 'nginx:1.22', podMetadata: null })
    await world.settle()
    expect((await world.app()).status).toMatchObject({ phase: 'Running', image: 'nginx:1.22' })
    expect((await world.app()).status?.failedRevision).toBeUndefined()
  })

  it('a failed rollout with Rollback is rolled back only after the configured retries', async () => {
    await start()
    await world.apply({ ...good, onFailure: 'Rollback', onFailureRetries: 2 })
    await world.settle()
    await world.patch({ image: 'nginx:bad', ...fault('image-pull') })
    const seen: string[] = []
    for (let seconds = 0; seconds < 400; seconds++) {
      await world.cluster.advance(1_000)
      const { status } = await world.app()
      const now = `${status?.image ?? ''} after ${status?.failedRevision?.attempts ?? 0}`
      if (seen.at(-1) !== now) seen.push(now)
    }
    expect(seen).toEqual(['nginx:bad after 0', 'nginx:bad after 1', 'nginx:bad after 2', 'nginx:1.20 after 3'])
    expect(world.condition(await world.app(), 'Stalled')).toBe('True RolledBack')
  })

  it('a failed rollout with Rollback tries the same spec again when asked to', async () => {
    await start()
    await world.apply({ ...good, onFailure: 'Rollback' })
    await world.settle()
    await world.patch({ image: 'nginx:bad', ...fault('image-pull') })
    await world.cluster.advance(200_000)
    await world.patch({}, { annotations: { 'coxswain.dev/reconcile-at': '1' } })
    await world.cluster.advance(5_000)
    expect((await world.deployment()).spec?.template?.spec?.containers?.[0]?.image).toBe('nginx:bad')
    expect((await world.app()).status).toMatchObject({ phase: 'Running', lastHandledReconcileAt: '1' })
    await world.cluster.advance(200_000)
    expect((await world.app()).status).toMatchObject({
      phase: 'Failed',
      image: 'nginx:1.20',
      failedRevision: { attempts: 1 },
    })
  })

  it('a failed rollout is abandoned as soon as a fix arrives', async () => {
    await start()
    await world.apply(good)
    await world.settle()
    await world.patch({ image: 'nginx:bad', ...fault('image-pull') })
    await world.cluster.advance(10_000)
    await world.patch({ image: 'nginx:1.21', podMetadata: null })
    await world.settle()
    expect((await world.app()).status).toMatchObject({ phase: 'Running', image: 'nginx:1.21', readyReplicas: 2 })
    expect(world.phases).toEqual(['Creating', 'Running'])
    expect(
      (await world.cluster.client.list(ReplicaSet)).items.filter(({ spec }) => (spec?.replicas ?? 0) > 0),
    ).toHaveLength(1)
  })
})

describe('a server in trouble', () => {
  it('a conflict never shows in the phase, events or conditions', async () => {
    let conflicts = 0
    await start({
      faults: ({ method, path }) =>
        method === 'PATCH' && /deployments|status/.test(path) && conflicts++ < 4
          ? { type: 'answer', status: 409 }
          : undefined,
    })
    await world.apply({ image: 'nginx:1.20' })
    await world.settle()
    expect(conflicts).toBeGreaterThan(4)
    expect(world.phases).toEqual(['Creating', 'Running'])
    expect(await world.reasons()).toEqual(['Created', 'Running'])
  })

  it('an apply that fails for a while is reported as a retry, and the app is not Ready meanwhile', async () => {
    let isBroken = true
    await start({
      faults: ({ method, path }) =>
        isBroken && method === 'PATCH' && path.includes('/services/') ? { type: 'answer', status: 500 } : undefined,
    })
    await world.apply({ image: 'nginx:1.20' })
    await world.cluster.advance(60_000)
    const app = await world.app()
    expect(world.condition(app, 'Ready')).toBe('False Retrying')
    expect(world.condition(app, 'Reconciling')).toBe('True Retrying')
    expect(app.status?.phase).toBe('Pending')
    isBroken = false
    await world.settle()
    expect((await world.app()).status?.phase).toBe('Running')
    expect(world.phases).toEqual(['Pending', 'Running'])
  })
})
