import { afterEach, describe, expect, it } from 'vitest'
import type { Json } from '../../api/json.ts'
import { simulatedEnv, type SimulatedEnv } from '../../env/simulated.ts'
import { createControlPlane, type ControlPlane } from '../control-plane.ts'
import type { LogLine } from './pod-log.ts'

let plane: ControlPlane
let env: SimulatedEnv
/** What the container has printed. */
let lines: LogLine[]
let dropped = 0

const path = '/api/v1/namespaces/default/pods/a'

async function start(): Promise<void> {
  env = simulatedEnv()
  plane = createControlPlane({ env })
  lines = []
  dropped = 0
  plane.serveLogs(({ now }) => ({
    lines: lines.filter(({ time }) => time <= now),
    dropped,
    nextAt: lines.find(({ time }) => time > now)?.time,
  }))
  await send('POST', '/api/v1/nodes', { metadata: { name: 'n' } })
  await send('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'a' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  })
  await become({ state: { running: { startedAt: '2026-01-01T00:00:00Z' } }, containerID: 'x://1' })
}
afterEach(() => plane.close())

async function send(
  method: string,
  at: string,
  body?: Json,
): Promise<{ readonly status: number; readonly body: unknown }> {
  return plane.transport()({
    method,
    path: at,
    ...(body === undefined ? {} : { body }),
    headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
  })
}

async function become(status: Record<string, Json>): Promise<void> {
  const containerStatuses = [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, ...status }]
  expect((await send('PATCH', `${path}/status`, { status: { containerStatuses } })).status).toBe(200)
}

function print(...texts: string[]): void {
  for (const text of texts) lines.push({ time: env.now(), text })
}

/** A reader, as over HTTP. */
function follow(query = ''): { text: string; ended: boolean; stop(): void } {
  const seen = { text: '', ended: false, stop: () => source.stop() }
  const response = plane.handle({
    method: 'GET',
    path: `${path}/log`,
    query: new URLSearchParams(`follow=true${query}`),
    headers: {},
    user: { name: 'admin', uid: 'admin', groups: ['system:masters'] },
  })
  if (response instanceof Promise || response.type !== 'stream') throw new Error('not a stream')
  const source = response.start({ write: (text) => (seen.text += text), end: () => (seen.ended = true) })
  return seen
}
const read = async (query = ''): Promise<unknown> => (await send('GET', `${path}/log${query}`)).body

describe('reading a log', () => {
  it('reading a log takes the last lines, then those since a time, then so many bytes', async () => {
    await start()
    print('one', 'two')
    await env.advanceAsync(10_000)
    print('three', 'fóur')
    expect(await read()).toBe('one\ntwo\nthree\nfóur\n')
    expect(await read('?tailLines=3')).toBe('two\nthree\nfóur\n')
    expect(await read('?tailLines=0')).toBe('')
    expect(await read('?tailLines=3&sinceSeconds=5')).toBe('three\nfóur\n')
    expect(await read('?tailLines=1&sinceTime=2026-01-01T00:00:10Z&limitBytes=4')).toBe('fóu')
    expect(await read('?tailLines=1&timestamps=1')).toBe('2026-01-01T00:00:10.000000000Z fóur\n')
  })

  it('reading a log counts what is not kept any more', async () => {
    await start()
    print('nine', 'ten')
    dropped = 8
    expect(await read('?tailLines=1')).toBe('ten\n')
    expect(await read('?tailLines=5')).toBe('nine\nten\n')
  })
})

describe('following a log', () => {
  it('following a log reports what comes later, when the pod changes and when it is time', async () => {
    await start()
    print('one', 'two')
    const reader = follow('&tailLines=1')
    expect(reader.text).toBe('two\n')
    lines.push({ time: env.now() + 5000, text: 'three' })
    await become({ ready: false, state: { running: { startedAt: '2026-01-01T00:00:00Z' } }, containerID: 'x://1' })
    expect(reader.text).toBe('two\n')
    await env.advanceAsync(5000)
    expect(reader.text).toBe('two\nthree\n')
    print('four')
    await become({
      state: {
        terminated: {
          exitCode: 0,
          startedAt: '2026-01-01T00:00:00Z',
          finishedAt: '2026-01-01T00:00:05Z',
          containerID: 'x://1',
        },
      },
    })
    expect(reader).toMatchObject({ text: 'two\nthree\nfour\n', ended: true })
    expect(env.pending).toBe(await timersAtRest())
  })

  it('following a log ends with the start that it is about, not with the container', async () => {
    await start()
    const reader = follow()
    print('last words')
    await become({
      restartCount: 1,
      containerID: 'x://2',
      state: { running: { startedAt: '2026-01-01T00:01:00Z' } },
      lastState: {
        terminated: {
          exitCode: 1,
          startedAt: '2026-01-01T00:00:00Z',
          finishedAt: '2026-01-01T00:00:05Z',
          containerID: 'x://1',
        },
      },
    })
    expect(reader).toMatchObject({ text: 'last words\n', ended: true })
  })

  it('following a log ends when the pod is gone, and when all bytes that were asked for have come', async () => {
    await start()
    const [whole, short] = [follow(), follow('&limitBytes=2')]
    print('abc')
    await become({ ready: false, state: { running: { startedAt: '2026-01-01T00:00:00Z' } }, containerID: 'x://1' })
    expect(short).toMatchObject({ text: 'ab', ended: true })
    expect(whole).toMatchObject({ text: 'abc\n', ended: false })
    await send('DELETE', `${path}?gracePeriodSeconds=0`)
    expect(whole).toMatchObject({ text: 'abc\n', ended: true })
  })

  it('following a log stops when the reader goes away', async () => {
    await start()
    lines.push({ time: env.now() + 5000, text: 'never read' })
    const before = env.pending
    const reader = follow()
    expect(env.pending).toBe(before + 1)
    reader.stop()
    expect(env.pending).toBe(before)
    await env.advanceAsync(5000)
    expect(reader).toMatchObject({ text: '', ended: false })
  })
})

/** The timers of an idle control plane. */
async function timersAtRest(): Promise<number> {
  const other = simulatedEnv()
  const quiet = createControlPlane({ env: other })
  const { pending } = other
  await quiet.close()
  return pending
}
