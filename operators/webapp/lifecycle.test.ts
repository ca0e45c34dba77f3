/** The life of an app from end to end: what is made, told, changed and taken away, and how many calls that takes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Deployment, isNotFound, Service } from 'coxswain'
import { matchers } from 'coxswain/testing'
import { finalizer } from './controller.ts'
import operatorModule from './operator.ts'
import { WebApp } from './schema/webapp.ts'
import { lifecycle } from './steps/lifecycle.ts'
import { World } from './testing/world.ts'

expect.extend(matchers)

let world: World
// A busy machine takes its time.
beforeEach(async () => {
  world = await World.open()
}, 30_000)
afterEach(() => world.close(), 30_000)

const gone = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error
  return undefined
}

describe('creation', () => {
  it('the creation of an app goes through Pending, Creating and Running, and reports it', async () => {
    await world.apply({ image: 'nginx:1.20', replicas: 2, env: { ENV: 'production' } })
    expect((await world.app()).status).toEqual({ observedGeneration: -1, phase: 'Pending' })
    await world.settle()
    expect(world.phases).toEqual(['Creating', 'Running'])
    const app = await world.app()
    expect(app.metadata.finalizers).toEqual([finalizer])
    expect(app.status).toMatchObject({
      observedGeneration: 1,
      phase: 'Running',
      replicas: 2,
      desiredReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      updatedReplicas: 2,
      selector: 'coxswain.dev/webapp=hello',
      url: 'http://hello.default.svc',
      image: 'nginx:1.20',
      message: '2 of 2 replicas are available',
    })
    expect(world.condition(app, 'Ready')).toBe('True Ready')
    expect(await world.reasons()).toEqual(['Created', 'Running'])
    const deployment = await world.deployment()
    expect(matchers.toBeControlledBy(deployment, app).pass).toBe(true)
    expect(deployment.spec?.template?.spec?.containers?.[0]).toMatchObject({
      image: 'nginx:1.20',
      env: [{ name: 'ENV', value: 'production' }],
    })
    expect(matchers.toBeControlledBy(await world.service(), app).pass).toBe(true)
  })

  it('the creation of an app takes 7 calls: finalizer, two children, two statuses, two events', async () => {
    expect(await world.calls(() => world.apply({ image: 'nginx:1.20' }))).toEqual([
      'PATCH webapps/hello',
      'PATCH deployments/hello',
      'PATCH services/hello',
      'POST events',
      'PATCH webapps/hello/status',
      'POST events',
      'PATCH webapps/hello/status',
    ])
  })
})

describe('an update', () => {
  beforeEach(async () => {
    await world.apply({ image: 'nginx:1.20' })
    await world.settle()
  }, 30_000)

  const startsAfter = (time: string) => ({ podMetadata: { annotations: { 'coxswain.dev/start-after': time } } })
  const expectUpdated = async (): Promise<void> => {
    expect(world.phases).toEqual(['Creating', 'Running'])
    expect((await world.app()).status).toMatchObject({ observedGeneration: 2, image: 'nginx:1.21', updatedReplicas: 1 })
    expect(await world.reasons()).toEqual(['Created', 'Running', 'DeploymentSynced', 'ResourcesSynced'])
  }

  it('an update of the image that completes within a second takes 4 calls, and the app stays Running', async () => {
    expect(await world.calls(() => world.patch({ image: 'nginx:1.21', ...startsAfter('100ms') }))).toEqual([
      'PATCH deployments/hello',
      'POST events',
      'POST events',
      'PATCH webapps/hello/status',
    ])
    await expectUpdated()
  })

  it('an update that takes longer is reported after a second, in one more call', async () => {
    const observed = async (): Promise<unknown> => (await world.app()).status?.observedGeneration
    expect(
      await world.calls(async () => {
        await world.patch({ image: 'nginx:1.21', ...startsAfter('3s') })
        await world.cluster.advance(900)
        expect(await observed()).toBe(1)
        await world.cluster.advance(200)
        expect(await observed()).toBe(2)
        expect(world.condition(await world.app(), 'Reconciling')).toBe('True RollingOut')
      }),
    ).toEqual([
      'PATCH deployments/hello',
      'POST events',
      'POST events',
      'PATCH webapps/hello/status',
      'PATCH webapps/hello/status',
    ])
    await expectUpdated()
  })

  it('an update that changes no child reports that all is in sync, and sends nothing else', async () => {
    expect(await world.calls(() => world.patch({ deletionPolicy: 'WaitForTermination' }))).toEqual([
      'POST events',
      'PATCH webapps/hello/status',
    ])
    expect(await world.reasons()).toContain('ResourcesSynced')
  })

  it('an update of an app makes and takes away what is asked for and not any more', async () => {
    await world.patch({ ingress: { host: 'hello.example.com' }, replicas: 3 })
    await world.settle()
    expect((await world.ingress()).spec?.rules?.[0]?.host).toBe('hello.example.com')
    expect((await world.app()).status).toMatchObject({ url: 'http://hello.example.com' })
    expect(await world.calls(() => world.patch({ ingress: null, replicas: 1 }))).toEqual(
      expect.arrayContaining(['DELETE ingresses/hello', 'DELETE poddisruptionbudgets/hello']),
    )
    expect(await world.ingress().catch(gone)).toBeUndefined()
  })

  it('an update of an app by kubectl scale works', async () => {
    await world.cluster.client.patch(
      WebApp,
      world.key(),
      { type: 'merge', patch: { spec: { replicas: 4 } } },
      { subresource: 'scale' },
    )
    await world.settle()
    expect((await world.deployment()).spec?.replicas).toBe(4)
    expect((await world.app()).status?.readyReplicas).toBe(4)
  })
})

describe('at rest', () => {
  it.each([true, false])('an app at rest causes no writes, with watchSecrets: %s', async (watchSecrets) => {
    await world.close()
    world = await World.open({ settings: { watchSecrets } })
    await world.apply({
      image: 'nginx:1.20',
      replicas: 3,
      ingress: { host: 'a.example.com' },
      envValueFrom: { NODE: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      resources: { requests: { cpu: '0.1', memory: '1Gi' }, limits: { cpu: 1 } },
      env: { EMPTY: '', B: 'b', A: 'a' },
    })
    await world.apply(
      {
        image: 'nginx:1.20',
        autoscaling: {
          min: 2,
          max: 4,
          cpu: 50,
          behavior: {
            scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] },
          },
        },
        probes: { liveness: { httpGet: { port: 'http' } } },
        files: [{ path: '/a', secret: 'none', optional: true }],
        preStopSeconds: 5,
      },
      { name: 'other' },
    )
    await world.settle()
    const calls = await world.calls(() => world.cluster.advance(900_000))
    // Secrets that are not watched are read in each check.
    expect([...new Set(calls)]).toEqual(watchSecrets ? [] : ['GET secrets/none'])
  })

  it('even the first check after an update only compares the checkpoint', async () => {
    await world.apply({ image: 'nginx:1.20' })
    await world.settle()
    await world.patch({ image: 'nginx:1.21' })
    await world.settle()
    const seen = world.traces.traces.length
    await world.cluster.advance(30_000)
    const checks = world.traces.traces.slice(seen).map((trace) => JSON.stringify(trace.entries))
    expect(checks.length).toBeGreaterThan(0)
    for (const check of checks) {
      expect(check).toContain('nothing has changed since the last check')
      expect(check).not.toContain('sync children')
    }
  })

  it('a restart of the operator writes nothing', async () => {
    await world.apply({ image: 'nginx:1.20' })
    await world.settle()
    expect(await world.calls(() => world.cluster.restart())).toEqual([])
  })
})

describe('deletion', () => {
  it('the deletion of an app takes 4 calls, reports first, and goes in order', async () => {
    await world.apply({ image: 'nginx:1.20' })
    await world.settle()
    expect(await world.calls(() => world.cluster.client.delete(WebApp, world.key()))).toEqual([
      'PATCH webapps/hello/status',
      'DELETE services/hello',
      'DELETE deployments/hello',
      'PATCH webapps/hello',
    ])
    expect(world.phases).toEqual(['Creating', 'Running', 'Deleting'])
    expect(await world.app().catch(gone)).toBeUndefined()
    expect((await world.cluster.client.list(Deployment)).items).toEqual([])
  })

  it('the deletion of an app that was never reconciled leaves nothing behind', async () => {
    await world.apply({ image: 'nginx:1.20' })
    await world.cluster.client.delete(WebApp, world.key())
    await world.settle()
    expect((await world.cluster.client.list(WebApp)).items).toEqual([])
    expect((await world.cluster.client.list(Service, { labelSelector: 'coxswain.dev/webapp' })).items).toEqual([])
  })
})

describe('the machine', () => {
  it('the lifecycle machine has the documented edges, and no others', () => {
    expect(lifecycle.edges.map((edge) => edge.join(' → '))).toEqual([
      'Pending → Creating',
      'Pending → Failed',
      'Pending → Deleting',
      'Creating → Running',
      'Creating → Failed',
      'Creating → Deleting',
      'Running → Failed',
      'Running → Deleting',
      'Failed → Pending',
      'Failed → Deleting',
    ])
  })

  it('the lifecycle machine traces each run: steps, calls and transitions', async () => {
    await world.apply({ image: 'nginx:1.20' })
    await world.settle()
    const text = JSON.stringify(world.traces.traces)
    for (const part of [
      'sync children',
      'check health',
      '"from":"Pending","to":"Creating"',
      '"from":"Creating","to":"Running"',
    ])
      expect(text).toContain(part)
  })
})

describe('the rights of the operator', () => {
  it('the rights of the operator are exactly those that it uses', async () => {
    const envFrom = [{ secretRef: { name: 'keys', optional: true } }]
    await world.apply({ image: 'nginx:1.20', replicas: 2, ingress: { host: 'a.example.com' }, envFrom })
    await world.settle()
    await world.patch({ replicas: 1, autoscaling: { min: 2, max: 4, cpu: 80 }, ingress: null })
    await world.settle()
    await world.apply({ image: 'nginx:1.21', replicas: 1, ingress: { host: 'a.example.com' } })
    await world.patch({ autoscaling: null, replicas: 1, ingress: { host: 'a.example.com' } })
    await world.settle()
    await world.cluster.client.delete(WebApp, world.key())
    await world.settle()
    expect(matchers.toUseExactly(world.cluster.access, operatorModule)).toMatchObject({ pass: true })
  })
})
