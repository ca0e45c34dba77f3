/** Binding and eviction, through the control plane. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane, type ControlPlane } from '../control-plane.ts'

const planes: ControlPlane[] = []

afterEach(async () => {
  await Promise.all(planes.splice(0).map((plane) => plane.close()))
})

async function server() {
  const plane = createControlPlane({ env: simulatedEnv() })
  planes.push(plane)
  const api = plane.transport()
  const send = async (method: string, path: string, body?: Json, type = 'application/json') => {
    const headers = { 'content-type': type }
    const answer = await api(body === undefined ? { method, path } : { method, path, body, headers })
    return { status: answer.status, body: answer.body as JsonObject }
  }
  const pods = '/api/v1/namespaces/default/pods'
  await send('POST', pods, {
    metadata: { name: 'p', labels: { app: 'p' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  })
  return {
    send,
    pods,
    pod: async () =>
      (await send('GET', `${pods}/p`)).body as { metadata: JsonObject; spec: JsonObject; status: JsonObject },
    evict: (deleteOptions: JsonObject = {}) =>
      send('POST', `${pods}/p/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'p' },
        deleteOptions,
      }),
    bind: (metadata: JsonObject = { name: 'p' }, target: JsonObject = { name: 'n' }) =>
      send('POST', `${pods}/p/binding`, { metadata, target }),
  }
}

describe('binding', () => {
  it('binding gives the pod its node, once', async () => {
    const { bind, pod } = await server()
    expect(await bind({ name: 'p', annotations: { a: 'b' } })).toMatchObject({
      status: 201,
      body: { status: 'Success', code: 201 },
    })
    const bound = await pod()
    expect(bound.spec['nodeName']).toBe('n')
    expect(bound.metadata['annotations']).toEqual({ a: 'b' })
    expect(bound.status['conditions']).toMatchObject([{ type: 'PodScheduled', status: 'True', lastProbeTime: null }])
    expect((await bind()).body['message']).toBe(
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    )
  })

  it('binding and status patches share what they do not change with the stored pod', async () => {
    const { send, pods, bind, pod } = await server()
    const created = await pod()
    await bind({ name: 'p', labels: { bound: 'yes' } })
    const bound = await pod()
    expect(created.spec['nodeName']).toBeUndefined()
    expect(created.metadata['labels']).toEqual({ app: 'p' })
    expect(bound.metadata['labels']).toEqual({ app: 'p', bound: 'yes' })
    expect(bound.spec['containers']).toBe(created.spec['containers'])
    const patch = { status: { phase: 'Running' } }
    for (const kind of ['merge', 'strategic-merge']) {
      await send(
        'PATCH',
        `${pods}/p/status`,
        { ...patch, metadata: { annotations: { kind } } },
        `application/${kind}-patch+json`,
      )
      const patched = await pod()
      expect(patched.status['phase']).toBe('Running')
      expect(patched.spec).toBe(bound.spec)
    }
    // A spec in a status patch is checked, and then dropped.
    const both = { spec: { nodeName: 'other' }, status: { phase: 'Failed' } }
    expect((await send('PATCH', `${pods}/p/status`, both, 'application/merge-patch+json')).status).toBe(200)
    expect(await pod()).toMatchObject({ spec: { nodeName: 'n' }, status: { phase: 'Failed' } })
    const wrong = await send('PATCH', `${pods}/p/status`, { spec: { nodeName: 1 } }, 'application/merge-patch+json')
    expect(wrong.status).toBe(422)
    // Other writes change a copy of the spec.
    const deadline = { spec: { activeDeadlineSeconds: 5 } }
    expect((await send('PATCH', `${pods}/p`, deadline, 'application/merge-patch+json')).status).toBe(200)
    expect(bound.spec['activeDeadlineSeconds']).toBeUndefined()
  })

  it('binding refuses what it does not understand', async () => {
    const { bind, pod } = await server()
    expect((await bind({ name: 'other' })).status).toBe(400)
    expect(await bind({ name: 'p' }, {})).toMatchObject({
      status: 500,
      body: { message: 'target.name: Required value' },
    })
    expect((await bind({ name: 'p', uid: 'x' })).status).toBe(409)
    expect((await pod()).spec['nodeName']).toBeUndefined()
  })

  it('binding treats keys as data', async () => {
    const { bind, pod } = await server()
    await bind({ name: 'p', labels: JSON.parse('{"__proto__":"x"}') as JsonObject })
    expect(Object.getPrototypeOf((await pod()).metadata['labels'])).toBe(Object.prototype)
  })
})

describe('eviction', () => {
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

  async function guarded(status: JsonObject) {
    const made = await server()
    await made.bind()
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await made.send('PATCH', `${made.pods}/p/status`, { status: ready }, 'application/merge-patch+json')
    await made.send('POST', budgets, {
      metadata: { name: 'b' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'p' } } },
    })
    await made.send('PATCH', `${budgets}/b/status`, { status }, 'application/merge-patch+json')
    return made
  }

  it('eviction deletes a pod that nobody guards', async () => {
    const { evict, send, pods } = await server()
    expect((await evict({ preconditions: { uid: 'x' } })).status).toBe(409)
    expect((await evict()).status).toBe(201)
    expect((await send('GET', `${pods}/p`)).status).toBe(404)
  })

  it('eviction waits for a budget that nobody has counted yet', async () => {
    const { evict } = await guarded({})
    expect(await evict()).toMatchObject({
      status: 429,
      body: { reason: 'TooManyRequests', details: { retryAfterSeconds: 10, causes: [{ reason: 'DisruptionBudget' }] } },
    })
  })

  it('eviction keeps to the budget', async () => {
    const { evict, pod } = await guarded({ observedGeneration: 1, desiredHealthy: 1, currentHealthy: 1 })
    const { status, body } = await evict()
    expect(status).toBe(429)
    expect(body['details']).toEqual({
      causes: [
        { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
      ],
    })
    expect((await pod()).metadata['deletionTimestamp']).toBeUndefined()
  })

  it('eviction takes from the budget what it uses', async () => {
    const { evict, pod, send } = await guarded({
      observedGeneration: 1,
      desiredHealthy: 1,
      currentHealthy: 2,
      disruptionsAllowed: 1,
    })
    expect((await evict()).status).toBe(201)
    const { status } = (await send('GET', `${budgets}/b`)).body as { status: JsonObject }
    expect(status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False' }],
    })
    expect(Object.keys(status['disruptedPods'] as JsonObject)).toEqual(['p'])
    expect((await pod()).metadata['deletionGracePeriodSeconds']).toBe(30)
  })
})
