/** Changes by others: repaired, reported, or left alone. */
import { afterEach, describe, expect, it } from 'vitest'
import { Deployment, HorizontalPodAutoscaler, PodDisruptionBudget, Service, type Client, type Kind } from 'coxswain'
import { World } from './testing/world.ts'

let world: World
afterEach(() => world.close(), 30_000)

async function start(spec: object = {}): Promise<void> {
  world = await World.open()
  await world.apply({ image: 'nginx:1.20', replicas: 2, ...spec })
  await world.settle()
}

/** Somebody with a field manager of his own. */
const by = (manager: string): { readonly fieldManager: string } => ({ fieldManager: manager })
const merge = (patch: object): Parameters<Client['patch']>[2] => ({ type: 'merge', patch: patch as never })

describe('Enforce', () => {
  it.each<[string, Kind, object, string]>([
    ['a number of replicas', Deployment, { spec: { replicas: 7 } }, 'spec.replicas'],
    ['a strategy', Deployment, { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }, 'spec.strategy'],
    ['a budget', PodDisruptionBudget, { spec: { minAvailable: 2 } }, 'spec.minAvailable'],
    ['a label', Service, { metadata: { labels: { 'app.kubernetes.io/name': 'other' } } }, 'metadata.labels'],
  ])(
    'drift mode Enforce repairs a changed %s within one reconcile, and names who changed it',
    async (_, kind, patch, field) => {
      await start()
      const before = (await world.cluster.client.get(kind, world.key())) as unknown as {
        spec: object
        metadata: { labels: object }
      }
      const calls = await world.calls(() => world.cluster.client.patch(kind, world.key(), merge(patch), by('mallory')))
      const after = (await world.cluster.client.get(kind, world.key())) as unknown as typeof before
      expect(after.spec).toEqual(before.spec)
      expect(after.metadata.labels).toEqual(before.metadata.labels)
      expect(calls.filter((call) => call.startsWith('PATCH') && !call.includes('webapps'))).toHaveLength(1)
      const reported = (await world.events()).find(({ reason }) => reason === 'DriftRepaired')
      expect(reported?.message).toContain(field)
      expect(reported?.message).toContain('mallory')
    },
  )

  it('drift mode Enforce: a port of the Service that somebody changed is repaired', async () => {
    await start()
    await world.cluster.client.patch(
      Service,
      world.key(),
      merge({ spec: { ports: [{ name: 'http', port: 81, targetPort: 'http' }] } }),
      by('mallory'),
    )
    await world.settle()
    expect((await world.service()).spec?.ports).toMatchObject([{ name: 'http', port: 80 }])
    expect((await world.events()).find(({ reason }) => reason === 'DriftRepaired')?.message).toMatch(
      /spec\.ports .*mallory/,
    )
    await world.patch({ port: 8080 })
    await world.settle()
    expect((await world.service()).spec?.ports).toMatchObject([{ name: 'http', port: 8080 }])
    expect((await world.app()).status?.phase).toBe('Running')
  })

  it.each<[string, Kind, object, object, string]>([
    [
      'a maximum beside our minimum',
      PodDisruptionBudget,
      {},
      { spec: { minAvailable: null, maxUnavailable: 1 } },
      'spec',
    ],
    [
      'a strategy',
      Deployment,
      { strategy: { type: 'Recreate' } },
      { spec: { strategy: { type: 'RollingUpdate' } } },
      'spec.strategy',
    ],
    [
      'the source of a variable',
      Deployment,
      { env: { A: '1' } },
      {
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'web',
                  env: [{ name: 'A', value: null, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
                },
              ],
            },
          },
        },
      },
      'spec.template.spec',
    ],
  ])('drift mode Enforce: %s that conflicts with ours is repaired', async (_, kind, spec, patch, field) => {
    await start(spec)
    const before = (await world.cluster.client.get(kind, world.key())) as unknown as { spec: object }
    const type = kind === Deployment ? 'strategic' : 'merge'
    await world.cluster.client.patch(kind, world.key(), { type, patch: patch as never }, by('mallory'))
    await world.settle()
    expect(((await world.cluster.client.get(kind, world.key())) as unknown as typeof before).spec).toEqual(before.spec)
    expect((await world.events()).find(({ reason }) => reason === 'DriftRepaired')?.message).toContain(
      `${field} was not as it should be (changed by mallory)`,
    )
    await world.patch({ replicas: 3 })
    await world.settle()
    expect((await world.app()).status).toMatchObject({ phase: 'Running', readyReplicas: 3 })
  })

  it.each<[string, Kind]>([
    ['Deployment', Deployment],
    ['Service', Service],
  ])('drift mode Enforce: a deleted %s is created again', async (_, kind) => {
    await start()
    await world.cluster.client.delete(kind, world.key())
    await world.settle()
    expect((await world.app()).status).toMatchObject({ phase: 'Running', readyReplicas: 2 })
    expect(await world.reasons()).toContain('DriftRepaired')
  })

  it('drift mode Enforce: a change without an event is found within 30 s', async () => {
    await start()
    // The operator is away while it happens, and starts with what it finds.
    await world.cluster.client.patch(Deployment, world.key(), merge({ spec: { replicas: 5 } }), by('mallory'))
    await world.cluster.crash()
    await world.cluster.advance(30_000)
    expect((await world.deployment()).spec?.replicas).toBe(2)
    expect((await world.events()).find(({ reason }) => reason === 'DriftRepaired')?.message).toContain('mallory')
  })

  it('an unchanged app is only compared with its checkpoint; any change causes a full check', async () => {
    await start()
    const checks = async (): Promise<string[]> => {
      const from = world.traces.traces.length
      await world.cluster.advance(30_000)
      return world.traces.traces
        .slice(from)
        .map(({ entries }) => (JSON.stringify(entries).includes('"repair drift"') ? 'whole' : 'look'))
    }
    await checks()
    expect([await checks(), await checks()]).toEqual([['look'], ['look']])
    // The status of a budget wakes nobody.
    const status = { disruptionsAllowed: 7, currentHealthy: 7, desiredHealthy: 1, expectedPods: 2 }
    await world.cluster.client.patch(PodDisruptionBudget, world.key(), merge({ status }), {
      ...by('mallory'),
      subresource: 'status',
    })
    expect([await checks(), await checks()]).toEqual([['whole'], ['look']])
    await world.cluster.client.patch(Deployment, world.key(), merge({ spec: { replicas: 7 } }), by('mallory'))
    await world.settle()
    expect((await world.deployment()).spec?.replicas).toBe(2)
  })

  it('drift mode Enforce: fields that are not ours stay: annotations, and kubectl rollout restart', async () => {
    await start()
    const restart = {
      spec: {
        template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' } } },
      },
    }
    await world.cluster.client.patch(
      Deployment,
      world.key(),
      { type: 'strategic', patch: restart },
      by('kubectl-rollout'),
    )
    await world.cluster.client.patch(
      Service,
      world.key(),
      merge({ metadata: { annotations: { team: 'a' } } }),
      by('kubectl-annotate'),
    )
    await world.settle()
    await world.patch({ image: 'nginx:1.21' })
    await world.settle()
    const { template } = (await world.deployment()).spec ?? {}
    expect(template?.metadata?.annotations).toEqual({ 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' })
    expect(template?.spec?.containers?.[0]?.image).toBe('nginx:1.21')
    expect((await world.service()).metadata.annotations).toEqual({ team: 'a' })
    expect(await world.reasons()).not.toContain('DriftRepaired')
    expect((await world.app()).status).toMatchObject({ phase: 'Running', updatedReplicas: 2 })
  })
})

describe('Warn', () => {
  it('drift mode Warn reports drift in a condition, leaves it, and still applies a new spec', async () => {
    await start({ drift: { mode: 'Warn' } })
    await world.cluster.client.patch(Deployment, world.key(), merge({ spec: { replicas: 3 } }), by('mallory'))
    await world.settle()
    const app = await world.app()
    expect(world.condition(app, 'DriftDetected')).toBe('True Drifted')
    expect(world.condition(app, 'Ready')).toBe('False Drifted')
    expect(app.status).toMatchObject({
      phase: 'Running',
      message: 'Deployment spec.replicas was changed by mallory; left as it is',
    })
    expect(app.status?.children?.[0]).toMatchObject({ drift: 'Deployment spec.replicas was changed by mallory' })
    expect((await world.deployment()).spec?.replicas).toBe(3)
    expect((await world.reasons()).filter((reason) => reason.startsWith('Drift'))).toEqual(['DriftDetected'])
    expect(await world.calls(() => world.cluster.advance(120_000))).not.toContain('PATCH webapps/hello/status')

    await world.patch({ image: 'nginx:1.21' })
    await world.settle()
    expect((await world.deployment()).spec).toMatchObject({
      replicas: 2,
      template: { spec: { containers: [{ image: 'nginx:1.21' }] } },
    })
    expect(world.condition(await world.app(), 'Ready')).toBe('True Ready')
  })

  it('drift mode Warn leaves a port that somebody changed', async () => {
    await start({ drift: { mode: 'Warn' } })
    await world.cluster.client.patch(
      Service,
      world.key(),
      merge({ spec: { ports: [{ name: 'http', port: 81, targetPort: 'http' }] } }),
      by('mallory'),
    )
    await world.settle()
    expect((await world.service()).spec?.ports).toMatchObject([{ port: 81 }])
    expect(world.condition(await world.app(), 'DriftDetected')).toBe('True Drifted')
  })

  it('drift mode Warn creates deleted objects again', async () => {
    await start({ drift: { mode: 'Warn' } })
    await world.cluster.client.delete(Service, world.key())
    await world.settle()
    expect(await world.service()).toBeDefined()
  })
})

describe('Off', () => {
  it('drift mode Off neither repairs nor reports drift until the spec changes', async () => {
    await start({ drift: { mode: 'Off' } })
    await world.cluster.client.patch(Deployment, world.key(), merge({ spec: { replicas: 3 } }), by('mallory'))
    await world.settle()
    expect((await world.deployment()).spec?.replicas).toBe(3)
    expect(world.condition(await world.app(), 'Ready')).toBe('True Ready')
    await world.patch({ port: 8080 })
    await world.settle()
    expect((await world.deployment()).spec?.replicas).toBe(2)
  })
})

describe('ignore', () => {
  const ignore = {
    drift: {
      ignore: [
        { kind: 'Deployment', fields: ['spec.replicas'] },
        { kind: 'Service', fields: ["metadata.labels['app.kubernetes.io/name']"] },
      ],
    },
  }

  it('drift.ignore leaves fields to others, and takes them back when the rule is removed', async () => {
    await start(ignore)
    expect((await world.deployment()).spec?.replicas).toBe(2)
    await world.cluster.client.patch(Deployment, world.key(), merge({ spec: { replicas: 6 } }), by('scaler'))
    await world.cluster.client.patch(
      Service,
      world.key(),
      merge({ metadata: { labels: { 'app.kubernetes.io/name': 'other' } } }),
      by('labeller'),
    )
    await world.settle()
    await world.patch({ image: 'nginx:1.21' })
    await world.settle()
    expect((await world.deployment()).spec).toMatchObject({
      replicas: 6,
      template: { spec: { containers: [{ image: 'nginx:1.21' }] } },
    })
    expect((await world.service()).metadata.labels?.['app.kubernetes.io/name']).toBe('other')
    expect(await world.reasons()).not.toContain('DriftRepaired')
    await world.patch({ drift: null })
    await world.settle()
    expect((await world.deployment()).spec?.replicas).toBe(2)
    expect((await world.service()).metadata.labels?.['app.kubernetes.io/name']).toBe('hello')
  })
})

describe('an autoscaler', () => {
  it('an autoscaler has the replicas to itself from the beginning', async () => {
    world = await World.open()
    await world.apply({ image: 'nginx:1.20', autoscaling: { min: 2, max: 5, cpu: 50 } })
    await world.settle()
    const { spec } = await world.cluster.client.get(HorizontalPodAutoscaler, world.key())
    expect(spec).toMatchObject({
      minReplicas: 2,
      maxReplicas: 5,
      scaleTargetRef: { kind: 'Deployment', name: 'hello' },
    })
    await scaleTo(4)
    await world.patch({ image: 'nginx:1.21' })
    await world.settle()
    expect((await world.deployment()).spec?.replicas).toBe(4)
    expect((await world.app()).status).toMatchObject({ desiredReplicas: 4, readyReplicas: 4 })
  })

  it('an autoscaler takes over without a gap, and gives back', async () => {
    await start({ replicas: 3 })
    const seen: (number | undefined)[] = []
    const watch = world.cluster.plane.store.watch(
      '/registry/deployments/',
      world.cluster.plane.store.revision,
      ({ current }) => {
        seen.push((current.object as unknown as { spec: { replicas?: number } }).spec.replicas)
      },
    )
    await world.patch({ replicas: null, autoscaling: { min: 2, max: 9, cpu: 50 } })
    await world.settle()
    expect(new Set(seen)).toEqual(new Set([3]))
    watch.stop()
    await scaleTo(5)
    expect((await world.deployment()).spec?.replicas).toBe(5)
    await world.patch({ replicas: 2, autoscaling: null })
    await world.settle()
    expect((await world.deployment()).spec?.replicas).toBe(2)
  })

  async function scaleTo(replicas: number): Promise<void> {
    await world.cluster.client.patch(Deployment, world.key(), merge({ spec: { replicas } }), {
      subresource: 'scale',
      ...by('horizontal-pod-autoscaler'),
    })
    await world.settle()
  }
})
