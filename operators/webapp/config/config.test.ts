/** ConfigMaps and Secrets that an app refers to: found, missing, changed; and never kept. */
import { afterEach, describe, expect, it } from 'vitest'
import { ConfigMap, Secret } from 'coxswain'
import { WebApp } from '../schema/webapp.ts'
import { World } from '../testing/world.ts'
import { resolveConfig, withDigests } from './checksum.ts'
import { references, type Reference } from './references.ts'

const reference = (change: Partial<Reference> = {}): Reference => ({
  kind: 'ConfigMap',
  name: 'a',
  optional: false,
  path: 'spec.envFrom[0].configMapRef',
  ...change,
})

describe('references', () => {
  it('references of an app are found in all places, with the field that has them', () => {
    const spec = {
      envValueFrom: {
        A: { configMapKeyRef: { name: 'c', key: 'k' } },
        B: { secretKeyRef: { name: 's', key: 'k', optional: true } },
        C: { fieldRef: { fieldPath: 'x' } },
      },
      envFrom: [{ configMapRef: { name: 'd' } }, { secretRef: { name: 't' } }],
      files: [
        { path: '/a', configMap: 'e', optional: false },
        { path: '/b', secret: 'u', optional: true },
      ],
    }
    expect(
      references(spec as never).map(
        ({ kind, name, key, optional, path }) => `${path} ${kind}/${name}/${key ?? '*'} ${String(optional)}`,
      ),
    ).toEqual([
      'spec.envValueFrom.A.configMapKeyRef ConfigMap/c/k false',
      'spec.envValueFrom.B.secretKeyRef Secret/s/k true',
      'spec.envFrom[0].configMapRef ConfigMap/d/* false',
      'spec.envFrom[1].secretRef Secret/t/* false',
      'spec.files[0].configMap ConfigMap/e/* false',
      'spec.files[1].secret Secret/u/* true',
    ])
  })
})

describe('the checksum', () => {
  it('the config checksum changes with what is used, and with nothing else', () => {
    const all = (data: Record<string, string>) => resolveConfig([reference()], () => ({ data })).checksum
    expect(all({ x: '1', y: '2' })).toBe(all({ y: '2', x: '1' }))
    expect(all({ x: '1' })).not.toBe(all({ x: '2' }))
    const one = (data: Record<string, string>) => resolveConfig([reference({ key: 'x' })], () => ({ data })).checksum
    expect(one({ x: '1', y: '2' })).toBe(one({ x: '1', y: '3' }))
    expect(one({ x: '1' })).not.toBe(one({ x: '2' }))
  })

  it('the config checksum is none where nothing is referred to', () => {
    expect(resolveConfig([], () => undefined)).toEqual({ missing: [] })
  })

  it('the config checksum tells what is missing, unless it is optional', () => {
    const find = ({ name }: Reference) => (name === 'a' ? { data: { x: '1' } } : undefined)
    expect(
      resolveConfig(
        [reference({ key: 'y' }), reference({ name: 'b' }), reference({ name: 'c', optional: true })],
        find,
      ).missing.map(({ message }) => message),
    ).toEqual(['ConfigMap a has no key y', 'there is no ConfigMap b'])
  })

  it('the config checksum is made of digests: no value is kept, and a second time changes nothing', () => {
    const secret: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a', annotations: { big: 'x' } },
      data: { password: 'aHVudGVyMg==' },
    }
    const kept = withDigests(secret)
    expect(JSON.stringify(kept)).not.toContain('aHVudGVyMg')
    expect(withDigests(kept)).toEqual(kept)
    expect(kept.metadata.annotations).toBeUndefined()
  })
})

describe('an app with configuration', () => {
  let world: World
  afterEach(() => world.close(), 30_000)
  const spec = {
    image: 'nginx:1.20',
    envFrom: [{ configMapRef: { name: 'settings' } }],
    files: [{ path: '/keys', secret: 'keys' }],
  }
  const checksum = async () =>
    (await world.deployment()).spec?.template?.metadata?.annotations?.['coxswain.dev/config-checksum']

  it('an app is Pending until its configuration exists, and rolls out when that changes', async () => {
    world = await World.open()
    await world.cluster.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings' },
      data: { a: '1' },
    } as never)
    await world.apply(spec)
    await world.settle()
    const waiting = await world.app()
    expect(waiting.status).toMatchObject({
      phase: 'Pending',
      observedGeneration: 1,
      problems: [{ path: 'spec.files[0].secret', severity: 'Error', message: 'there is no Secret keys' }],
    })
    expect(world.condition(waiting, 'ConfigResolved')).toBe('False Missing')
    expect(world.condition(waiting, 'Reconciling')).toBe('True ConfigMissing')

    await world.cluster.client.create(Secret, {
      metadata: { namespace: 'default', name: 'keys' },
      data: { key: 'YQ==' },
    })
    await world.settle()
    expect(world.phases).toEqual(['Pending', 'Creating', 'Running'])
    const first = await checksum()
    expect(first).toBe((await world.app()).status?.configChecksum)

    await world.cluster.client.patch(ConfigMap, world.key('settings'), { type: 'merge', patch: { data: { a: '2' } } })
    await world.settle()
    const second = await checksum()
    expect(second).not.toBe(first)
    expect((await world.app()).status).toMatchObject({ phase: 'Running', updatedReplicas: 1 })

    await world.cluster.client.delete(ConfigMap, world.key('settings'))
    await world.settle()
    const lost = await world.app()
    expect(await checksum()).toBe(second)
    expect(lost.status?.phase).toBe('Running')
    expect(world.condition(lost, 'Degraded')).toBe('True ConfigMissing')
    expect(await world.reasons()).toEqual(['ConfigMissing', 'Created', 'Running', 'DeploymentSynced', 'Degraded'])
  })

  it.each([true, false])('an app finds a changed Secret; with watchSecrets: %s', async (watchSecrets) => {
    world = await World.open({ settings: { watchSecrets } })
    await world.cluster.client.create(Secret, { metadata: world.key('keys'), data: { key: 'YQ==' } })
    await world.apply({ image: 'nginx:1.20', files: spec.files })
    await world.settle()
    const first = await checksum()
    await world.cluster.client.patch(Secret, world.key('keys'), { type: 'merge', patch: { data: { key: 'Yg==' } } })
    await world.cluster.advance(1_000)
    if (!watchSecrets) {
      expect(await checksum()).toBe(first)
      await world.cluster.advance(30_000)
    }
    expect(await checksum()).not.toBe(first)
    const lists = world.cluster.requests.filter((request) => /\/secrets(\?|$)/.test(request))
    expect(lists.length > 0).toBe(watchSecrets)
    expect(JSON.stringify(world.traces.traces)).not.toMatch(/YQ==|Yg==/)
  })

  it('an app at rest reads each of its Secrets once in a check, and an app without one reads none', async () => {
    world = await World.open()
    await world.cluster.client.create(Secret, { metadata: world.key('keys'), data: { key: 'YQ==' } })
    await world.apply({ image: 'nginx:1.20', files: spec.files, envFrom: [{ secretRef: { name: 'keys' } }] })
    await world.apply({ image: 'nginx:1.20' }, { name: 'other' })
    await world.settle()
    const from = world.cluster.requests.length
    await world.cluster.advance(300_000)
    const calls = world.cluster.requests.slice(from).filter((request) => request.includes('/namespaces/default/'))
    expect(new Set(calls)).toEqual(new Set(['GET /api/v1/namespaces/default/secrets/keys']))
    expect(calls.length).toBe(10)
  })

  it('an app whose Secret must not be read says so, keeps running, and can be deleted', async () => {
    const isForbidden = { now: false }
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Forbidden', code: 403 }
    const denied = { ...status, message: 'secrets "keys" is forbidden' }
    world = await World.open({
      transport: (inner) => ({
        ...inner,
        request: (request) =>
          isForbidden.now && request.path.includes('/secrets/')
            ? Promise.resolve({ status: 403, headers: {}, body: denied as never })
            : inner.request(request),
        close: () => inner.close(),
      }),
    })
    await world.cluster.client.create(Secret, { metadata: world.key('keys'), data: { key: 'YQ==' } })
    await world.apply({ image: 'nginx:1.20', files: spec.files })
    await world.settle()
    isForbidden.now = true
    await world.cluster.advance(40_000)
    const app = await world.app()
    expect(world.condition(app, 'Ready')).toBe('False Retrying')
    expect(app.status?.message).toContain('secrets')
    expect((await world.deployment()).status?.readyReplicas).toBe(1)
    await world.cluster.client.delete(WebApp, world.key())
    await world.settle()
    expect((await world.cluster.client.list(WebApp)).items).toEqual([])
  })

  it('an app with configuration rolls by hand only under configRollout: Manual', async () => {
    world = await World.open()
    await world.cluster.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings' },
      data: { a: '1' },
    } as never)
    await world.apply({ image: 'nginx:1.20', envFrom: spec.envFrom, configRollout: 'Manual' })
    await world.settle()
    const { generation } = (await world.deployment()).metadata
    await world.cluster.client.patch(ConfigMap, world.key('settings'), { type: 'merge', patch: { data: { a: '2' } } })
    await world.settle()
    expect((await world.deployment()).metadata.generation).toBe(generation)
    expect(await checksum()).toBeUndefined()
  })
})
