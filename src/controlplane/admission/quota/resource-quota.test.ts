import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { testPlane, type TestPlane } from '../testdata/plane.ts'

const base = '/api/v1/namespaces/default'

async function setQuota(plane: TestPlane, name: string, hard: JsonObject, used: JsonObject, spec: JsonObject = {}) {
  const made = await plane.post(`${base}/resourcequotas`, { metadata: { name }, spec: { hard, ...spec } })
  expect(made.status).toBe(201)
  expect((await plane.patch(`${base}/resourcequotas/${name}/status`, { status: { hard, used } })).status).toBe(200)
}

async function usedOf(plane: TestPlane, name: string): Promise<unknown> {
  return ((await plane.get(`${base}/resourcequotas/${name}`)).body['status'] as JsonObject)['used']
}

const configMap = (plane: TestPlane, name: string, query = '') =>
  plane.post(`${base}/configmaps${query}`, { metadata: { name } })

describe('quota', () => {
  it('quota counts only from when its status says so', async () => {
    const plane = testPlane()
    await plane.post(`${base}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { configmaps: '0' } } })
    expect((await configMap(plane, 'a')).status).toBe(201)
    await plane.patch(`${base}/resourcequotas/q/status`, { status: { hard: { configmaps: '0' } } })
    expect((await configMap(plane, 'b')).message).toBe(
      'configmaps "b" is forbidden: status unknown for quota: q, resources: configmaps',
    )
  })

  it('quota charges what is made, and refuses the rest', async () => {
    const plane = testPlane()
    await setQuota(
      plane,
      'q',
      { configmaps: '2', 'count/configmaps': '9' },
      { configmaps: '0', 'count/configmaps': '5' },
    )
    expect((await configMap(plane, 'a')).status).toBe(201)
    expect((await configMap(plane, 'dry', '?dryRun=All')).status).toBe(201)
    expect(await usedOf(plane, 'q')).toEqual({ configmaps: '1', 'count/configmaps': '6' })
    await configMap(plane, 'b')
    expect((await configMap(plane, 'c')).message).toBe(
      'configmaps "c" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: ' +
        'configmaps=2',
    )
    expect((await plane.patch(`${base}/configmaps/a`, { data: { x: 'y' } })).status).toBe(200)
  })

  it('quota is written by the server itself', async () => {
    const plane = testPlane()
    await setQuota(plane, 'q', { configmaps: '2' }, { configmaps: '0' })
    await configMap(plane, 'a')
    const { managedFields } = (await plane.get(`${base}/resourcequotas/q`)).body['metadata'] as {
      managedFields: JsonObject[]
    }
    expect(managedFields.map(({ manager, subresource }) => [manager, subresource])).toContainEqual([
      'kube-apiserver',
      'status',
    ])
  })

  it('quota adds up what pods ask for, and makes them say it', async () => {
    const plane = testPlane()
    await setQuota(
      plane,
      'q',
      { 'requests.cpu': '1', 'limits.memory': '1Gi' },
      { 'requests.cpu': '0', 'limits.memory': '0' },
    )
    expect((await plane.pod('p')).message).toBe(
      'pods "p" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    )
    const spec = (cpu: string) => ({
      containers: [{ name: 'c', image: 'i:1', resources: { requests: { cpu }, limits: { memory: '256Mi' } } }],
    })
    expect((await plane.pod('a', spec('600m'))).status).toBe(201)
    expect((await plane.pod('b', spec('0.5'))).message).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, ' +
        'limited: requests.cpu=1',
    )
    expect(await usedOf(plane, 'q')).toEqual({ 'requests.cpu': '600m', 'limits.memory': '256Mi' })
  })

  it('quota looks only at pods of its scopes, also when a pod comes into them', async () => {
    const plane = testPlane()
    await setQuota(plane, 'q', { pods: '1' }, { pods: '1' }, { scopes: ['Terminating'] })
    expect((await plane.pod('a')).status).toBe(201)
    const moved = await plane.patch(`${base}/pods/a`, { spec: { activeDeadlineSeconds: 5 } })
    expect(moved.message).toBe(
      'pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    )
  })

  it.each([
    ['In', ['hi'], [403, 201]],
    ['NotIn', ['hi'], [201, 403]],
    ['Exists', undefined, [403, 201]],
    ['DoesNotExist', undefined, [201, 403]],
  ])('quota selects priority classes: %s', async (operator, values, expected) => {
    const plane = testPlane()
    await plane.post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'hi' }, value: 1 })
    const expression = { scopeName: 'PriorityClass', operator, ...(values === undefined ? {} : { values }) }
    await setQuota(plane, 'q', { pods: '0' }, { pods: '0' }, { scopeSelector: { matchExpressions: [expression] } })
    const answers = [await plane.pod('a', { priorityClassName: 'hi' }), await plane.pod('b')]
    expect(answers.map(({ status }) => status)).toEqual(expected)
  })

  it('quota counts node ports and load balancers as a service changes', async () => {
    const plane = testPlane()
    const hard = { services: '5', 'services.nodeports': '1', 'services.loadbalancers': '1' }
    await setQuota(plane, 'q', hard, { services: '0', 'services.nodeports': '0', 'services.loadbalancers': '0' })
    const service = (name: string, type: string) =>
      plane.post(`${base}/services`, { metadata: { name }, spec: { type, ports: [{ port: 80 }] } })
    expect((await service('a', 'ClusterIP')).status).toBe(201)
    expect((await plane.patch(`${base}/services/a`, { spec: { type: 'LoadBalancer' } })).status).toBe(200)
    expect(await usedOf(plane, 'q')).toEqual({
      services: '1',
      'services.nodeports': '1',
      'services.loadbalancers': '1',
    })
    expect((await service('b', 'NodePort')).message).toContain('exceeded quota: q, requested: services.nodeports=1')
  })

  it('quota counts storage by class', async () => {
    const plane = testPlane()
    const storage = 'gold.storageclass.storage.k8s.io/requests.storage'
    await setQuota(
      plane,
      'q',
      { 'requests.storage': '9Gi', [storage]: '2Gi' },
      { 'requests.storage': '0', [storage]: '0' },
    )
    const claim = (name: string, storageClassName: string, size: string) =>
      plane.post(`${base}/persistentvolumeclaims`, {
        metadata: { name },
        spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
      })
    expect((await claim('a', 'gold', '2Gi')).status).toBe(201)
    expect((await claim('b', 'tin', '3Gi')).status).toBe(201)
    expect((await claim('c', 'gold', '1Gi')).message).toContain(`requested: ${storage}=1Gi, used: ${storage}=2Gi`)
    expect(await usedOf(plane, 'q')).toEqual({ 'requests.storage': '5Gi', [storage]: '2Gi' })
  })
})
