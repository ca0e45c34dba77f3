/** Events on the embedded server: what it stores, and what happens if it does not respond. */
import { afterEach, describe, expect, it } from 'vitest'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { TransportError, type Transport, type TransportRequest } from '../client/transport.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { CoreEvent } from '../schema/builtin/kinds.ts'
import { eventRecorder, flushAll, type RecorderOptions } from './event-recorder.ts'

const planes: ControlPlane[] = []
afterEach(async () => {
  for (const plane of planes.splice(0)) await plane.close()
})

function recording(options: Partial<RecorderOptions> = {}) {
  const env = simulatedEnv()
  const plane = createControlPlane({ env })
  planes.push(plane)
  const inner = inProcessTransport(plane.transport())
  const requests: string[] = []
  const lost: string[] = []
  const state = { fail: undefined as ((request: TransportRequest) => Error | undefined) | undefined, loseReply: false }
  const transport: Transport = {
    async request(request) {
      requests.push(request.method)
      const error = state.fail?.(request)
      if (error !== undefined) throw error
      const answer = await inner.request(request)
      if (!state.loseReply) return answer
      state.loseReply = false
      throw new TransportError('ECONNRESET', 'reset', true)
    },
    close: () => inner.close(),
  }
  const recorder = eventRecorder({
    env,
    client: new RestClient({ env, transport }),
    component: 'webapp',
    onLost: ({ message }, why) => lost.push(`${why}: ${message}`),
    ...options,
  })
  const client = new RestClient({ env, transport: inner })
  return {
    env,
    client,
    timers: env.pending,
    recorder,
    requests,
    lost,
    state,
    events: async (namespace = 'default') => (await client.list(CoreEvent, { namespace })).items,
  }
}

const pod = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: 'uid-1', resourceVersion: '7' }
const down = () => new TransportError('ECONNREFUSED', 'refused', false)

describe('an event on the server', () => {
  it('an event on the server has the fields that client-go writes', async () => {
    const { recorder, events } = recording({ instance: 'webapp-0' })
    recorder.event(pod, 'Warning', 'Failed', 'it failed')
    await recorder.flush()
    const [event] = await events()
    expect(event).toMatchObject({
      metadata: { namespace: 'default', name: expect.stringMatching(/^web\.[0-9a-f]+$/) as string },
      involvedObject: pod,
      type: 'Warning',
      reason: 'Failed',
      message: 'it failed',
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      source: { component: 'webapp' },
      reportingComponent: 'webapp',
      reportingInstance: 'webapp-0',
    })
  })

  it('is waited for only as long as it is being written', async () => {
    const { recorder, requests } = recording()
    expect(recorder.isFlushed).toBe(true)
    recorder.event(pod, 'Normal', 'Tried', 'x')
    expect(recorder.isFlushed).toBe(false)
    await flushAll([recorder])
    expect([recorder.isFlushed, requests]).toEqual([true, ['POST']])
  })

  it('an event on the server that comes again is counted, with the time of the last', async () => {
    const { env, recorder, events, requests } = recording()
    recorder.event(pod, 'Normal', 'Tried', 'x')
    await recorder.flush()
    env.advance(60_000)
    recorder.event(pod, 'Normal', 'Tried', 'x')
    recorder.event(pod, 'Normal', 'Tried', 'x')
    await recorder.flush()
    expect(await events()).toMatchObject([
      { count: 3, firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:01:00Z' },
    ])
    expect(requests).toEqual(['POST', 'PATCH', 'PATCH'])
  })

  it('an event on the server whose predecessor is gone is created again, with the count', async () => {
    const { client, recorder, events, requests } = recording()
    recorder.event(pod, 'Normal', 'Tried', 'x')
    await recorder.flush()
    await client.deleteCollection(CoreEvent, { namespace: 'default' })
    recorder.event(pod, 'Normal', 'Tried', 'x')
    await recorder.flush()
    expect(await events()).toMatchObject([{ count: 2 }])
    expect(requests).toEqual(['POST', 'PATCH', 'POST'])
  })

  it('an event on the server leaves out the reporting instance if there is none', async () => {
    const { recorder, events } = recording({ instance: '' })
    recorder.event(pod, 'Normal', 'Created', 'made')
    await recorder.flush()
    const [event] = await events()
    expect(event?.reportingInstance).toBe('')
    expect(JSON.stringify(event?.metadata.managedFields)).not.toContain('f:reportingInstance')
  })

  it('an event on the server of a whole object, of one in no namespace, and of a very long message', async () => {
    const { recorder, events } = recording({ instance: 'x'.repeat(200) })
    recorder.event(
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1', uid: 'u' } },
      'Normal',
      'Long',
      '😀'.repeat(1000),
    )
    await recorder.flush()
    const [event] = await events()
    expect(event?.involvedObject).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'u' })
    expect(event?.message?.length).toBeLessThanOrEqual(1024)
    expect(event?.message).toMatch(/😀…$/u)
    expect(event?.reportingInstance).toHaveLength(128)
  })
})

describe('a server that does not answer', () => {
  it('the event recorder tries twelve times, ten seconds apart, the first time sooner', async () => {
    const { env, timers, recorder, requests, lost, state } = recording()
    state.fail = down
    recorder.event(pod, 'Normal', 'Tried', 'x')
    await env.advanceAsync(0)
    expect(requests).toHaveLength(1)
    await env.advanceAsync(10_000)
    expect(requests).toHaveLength(2)
    await env.advanceAsync(89_000)
    expect(lost).toEqual([])
    await env.advanceAsync(30_000)
    expect(requests).toHaveLength(12)
    expect(lost).toEqual(['failed: x'])
    await recorder.flush()
    expect(env.pending).toBe(timers)
  })

  it('the event recorder writes what waited, in order, when the server responds again', async () => {
    const { env, recorder, events, state } = recording()
    state.fail = down
    for (const message of ['one', 'two']) recorder.event(pod, 'Normal', 'Tried', message)
    await env.advanceAsync(30_000)
    state.fail = undefined
    await env.advanceAsync(30_000)
    await recorder.flush()
    expect((await events()).map(({ message }) => message ?? '').toSorted()).toEqual(['one', 'two'])
  })

  it('the event recorder writes an event once though the response was lost', async () => {
    const { env, recorder, events, state, requests, lost } = recording()
    state.loseReply = true
    recorder.event(pod, 'Normal', 'Tried', 'x')
    await env.advanceAsync(20_000)
    await recorder.flush()
    expect(requests).toEqual(['POST', 'POST'])
    expect(await events()).toMatchObject([{ count: 1 }])
    expect(lost).toEqual([])
  })

  it('the event recorder does not retry an event that the server rejects', async () => {
    const { env, recorder, lost, requests } = recording()
    recorder.event({ ...pod, namespace: 'nowhere' }, 'Normal', 'Tried', 'x')
    await env.advanceAsync(100_000)
    expect(lost).toEqual(['failed: x'])
    expect(requests).toEqual(['POST'])
  })
})

describe('recording', () => {
  it('recording events never throws and never waits, and lost events are reported', async () => {
    const controller = new AbortController()
    const { env, timers, recorder, lost, state } = recording({
      maxQueued: 2,
      concurrency: 1,
      signal: controller.signal,
    })
    state.fail = down
    for (const message of ['a', 'b', 'c', 'd']) recorder.event({ ...pod, uid: message }, 'Normal', 'Tried', message)
    expect(lost).toEqual(['full: d'])
    recorder.event(pod, 'Normal', 'Tried', undefined as never)
    controller.abort()
    await env.advanceAsync(1000)
    await recorder.flush()
    recorder.event(pod, 'Normal', 'Tried', 'late')
    expect(lost.filter((each) => each.startsWith('stopped')).sort()).toEqual([
      'stopped: a',
      'stopped: b',
      'stopped: c',
      'stopped: late',
    ])
    expect(env.pending).toBe(timers)
  })

  it('recording events writes of several objects at the same time, and of one in order', async () => {
    const { env, recorder, requests, state, events } = recording({ concurrency: 3 })
    state.fail = down
    const objects = ['a', 'a', 'b', 'c', 'd']
    for (const [index, name] of objects.entries())
      recorder.event({ ...pod, name, uid: name }, 'Normal', 'Tried', `${name}${index}`)
    await env.advanceAsync(0)
    expect(requests).toHaveLength(3)
    state.fail = undefined
    await env.advanceAsync(10_000)
    await recorder.flush()
    const written = (await events())
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ message }) => message)
    expect(new Set(written)).toEqual(new Set(['a0', 'a1', 'b2', 'c3', 'd4']))
    expect(written.indexOf('a0')).toBeLessThan(written.indexOf('a1'))
  })

  it('recording events limits an object that causes too many', async () => {
    const { recorder, lost, events } = recording()
    for (let i = 0; i < 30; i++) recorder.event(pod, 'Normal', 'Tried', 'x')
    await recorder.flush()
    expect(lost).toEqual(Array.from({ length: 5 }, () => 'spam: x'))
    expect(await events()).toMatchObject([{ count: 25 }])
  })
})
