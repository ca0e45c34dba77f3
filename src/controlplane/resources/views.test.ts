/** Kinds that are served in two versions: a write through one version is read through the other. */
import { afterAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane } from '../control-plane.ts'
import { autoscalerView } from './horizontal-pod-autoscaler/view.ts'

const plane = createControlPlane({ env: simulatedEnv() })
const api = plane.transport()
afterAll(() => plane.close())

async function send(method: string, path: string, body?: Json): Promise<JsonObject> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const answer = await api(
    body === undefined ? { method, path } : { method, path, body, headers: { 'content-type': type } },
  )
  return answer.body as JsonObject
}

const autoscalers = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const memory = { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } }
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }

describe('autoscalers', () => {
  it('autoscalers show in v1 what v1 has, and keep the rest in annotations', async () => {
    await send('POST', autoscalers('v2'), {
      metadata: { name: 'a' },
      spec: { scaleTargetRef: target, maxReplicas: 3, metrics: [cpu, memory] },
    })
    const shown = await send('GET', `${autoscalers('v1')}/a`)
    expect(shown).toMatchObject({
      apiVersion: 'autoscaling/v1',
      metadata: {
        annotations: {
          'autoscaling.alpha.kubernetes.io/metrics':
            '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
        },
      },
      spec: { minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
    })
  })

  it('autoscalers change through either', async () => {
    await send('PATCH', `${autoscalers('v1')}/a`, { spec: { targetCPUUtilizationPercentage: 70 } })
    const { metadata, spec } = (await send('GET', `${autoscalers('v2')}/a`)) as {
      metadata: JsonObject
      spec: JsonObject
    }
    expect(spec['metrics']).toEqual([
      memory,
      { ...cpu, resource: { ...cpu.resource, target: { type: 'Utilization', averageUtilization: 70 } } },
    ])
    expect(metadata['annotations']).toBeUndefined()
  })

  it('autoscalers keep the order of their metrics if a write through v1 does not change them', async () => {
    const order = async () =>
      (
        (await send('GET', `${autoscalers('v2')}/o`)) as { spec: { metrics: { resource: { name: string } }[] } }
      ).spec.metrics.map(({ resource }) => resource.name)
    await send('POST', autoscalers('v2'), {
      metadata: { name: 'o' },
      spec: { scaleTargetRef: target, maxReplicas: 3, metrics: [cpu, memory] },
    })
    await send('PATCH', `${autoscalers('v1')}/o/status`, { status: { currentReplicas: 2 } })
    const applied = await api({
      method: 'PATCH',
      path: `${autoscalers('v1')}/o?fieldManager=m&force=true`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'o' }, spec: {} },
    })
    expect(applied.body).toMatchObject({
      metadata: {
        managedFields: expect.arrayContaining([expect.objectContaining({ manager: 'm', operation: 'Apply' })]),
      },
    })
    expect(await order()).toEqual(['cpu', 'memory'])
    await send('PATCH', `${autoscalers('v1')}/o`, {})
    expect(await order()).toEqual(['memory', 'cpu'])
  })

  it('autoscalers drop annotations that cannot be read', () => {
    const object = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a', annotations: { 'autoscaling.alpha.kubernetes.io/metrics': 'no json', note: 'x' } },
      spec: { maxReplicas: 1, scaleTargetRef: target },
    }
    expect(autoscalerView.toStored(object)).toMatchObject({
      metadata: { annotations: { note: 'x' } },
      spec: { metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 80 } } }] },
    })
  })
})

describe('events', () => {
  it('events are one kind in two groups', async () => {
    await send('POST', '/api/v1/namespaces/default/events', {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
      count: 2,
    })
    const path = '/apis/events.k8s.io/v1/namespaces/default/events'
    expect(await send('GET', `${path}/e`)).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      note: 'm',
      regarding: { kind: 'Pod', name: 'p' },
      deprecatedCount: 2,
      deprecatedFirstTimestamp: null,
    })
    const selected = (await send('GET', `${path}?fieldSelector=regarding.name%3Dp`)) as { items: JsonObject[] }
    expect(selected.items).toHaveLength(1)
    await send('DELETE', `${path}/e`)
    expect(await send('GET', '/api/v1/namespaces/default/events/e')).toMatchObject({ code: 404 })
  })
})

it('errors name events by the group that stores them, and custom ones by their own', async () => {
  const wrong = { preconditions: { uid: 'wrong' } }
  const path = '/apis/events.k8s.io/v1/namespaces/default/events'
  const times = {
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'a.io/c',
    reportingInstance: 'i',
    action: 'A',
    reason: 'R',
    type: 'Normal',
  }
  await send('POST', path, { metadata: { name: 'e' }, regarding: { namespace: 'default' }, ...times })
  expect((await send('DELETE', `${path}/e`, wrong))['message']).toContain('on Event "e"')
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'events.ex.io' },
    spec: {
      group: 'ex.io',
      scope: 'Namespaced',
      names: { plural: 'events', kind: 'Event' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  })
  const custom = '/apis/ex.io/v1/namespaces/default/events'
  await send('POST', custom, { apiVersion: 'ex.io/v1', kind: 'Event', metadata: { name: 'e' } })
  expect((await send('DELETE', `${custom}/e`, wrong))['message']).toContain('on Event.ex.io "e"')
})
