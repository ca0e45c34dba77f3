import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import type { Transport } from '../client/transport.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { faultyTransport, type Fault } from './faulty-transport.ts'

let env: SimulatedEnv
let plane: ControlPlane
let next: Fault | undefined
let client: RestClient
let transport: Transport

beforeEach(() => {
  env = simulatedEnv()
  plane = createControlPlane({ env })
  next = undefined
  transport = faultyTransport(inProcessTransport(plane.transport()), env, () => {
    const fault = next
    next = undefined
    return fault
  })
  client = new RestClient({ env, transport, timeoutMs: 0 })
})
afterEach(() => plane.close())

const map = (name: string): ConfigMap => ({ metadata: { name, namespace: 'default' } })
const names = async (): Promise<string[]> =>
  (await client.list(ConfigMap, { namespace: 'default' })).items.map(({ metadata }) => metadata.name)

/** The number of timers of one open watch on the server. */
async function timersOfWatch(): Promise<number> {
  const before = env.pending
  const stop = new AbortController()
  await transport.request({
    method: 'GET',
    path: '/api/v1/configmaps?watch=true&allowWatchBookmarks=true',
    stream: true,
    signal: stop.signal,
  })
  const taken = env.pending - before
  expect(taken).toBeGreaterThan(0)
  stop.abort()
  return taken
}

describe('a fault', () => {
  it.each([
    ['refuse', { type: 'refuse' }, 'connection refused', []],
    ['drop-before', { type: 'drop-before' }, 'connection reset', []],
    ['drop-after', { type: 'drop-after' }, 'connection reset after', ['a']],
    ['duplicate', { type: 'duplicate' }, 'already exists', ['a']],
    ['answer', { type: 'answer', status: 503 }, 'ServiceUnavailable', []],
  ] as const)('a fault: %s: what the client sees and what the server has done', async (_, fault, message, there) => {
    next = fault
    await expect(client.create(ConfigMap, map('a'))).rejects.toThrow(message)
    expect(await names()).toEqual(there)
  })

  it('delay: it arrives later', async () => {
    next = { type: 'delay', ms: 5_000 }
    const created = client.create(ConfigMap, map('a'))
    await env.advanceAsync(4_999)
    expect(await names()).toEqual([])
    await env.advanceAsync(1)
    expect((await created).metadata.name).toBe('a')
  })

  it('stale: a list as of before', async () => {
    const { metadata } = await client.create(ConfigMap, map('a'))
    await client.create(ConfigMap, map('b'))
    next = { type: 'stale', resourceVersion: metadata.resourceVersion }
    expect(await names()).toEqual(['a'])
    expect(await names()).toEqual(['a', 'b'])
  })

  it.each([
    [0, false],
    [1, false],
    [1, true],
    [2, true],
  ])('cut-watch: after %i events, cleanly: %s', async (after, clean) => {
    for (const name of ['a', 'b', 'c']) await client.create(ConfigMap, map(name))
    next = { type: 'cut-watch', after, clean }
    const seen: string[] = []
    const reading = async (): Promise<void> => {
      for await (const events of await client.watch(ConfigMap, { namespace: 'default' }))
        for (const event of events) if (event.type !== 'BOOKMARK') seen.push(event.object.metadata.name)
    }
    if (clean) await reading()
    else await expect(reading()).rejects.toThrow('the watch was cut')
    expect(seen).toEqual(['a', 'b', 'c'].slice(0, after))
  })

  it('elsewhere: another server responds, and its watches break when it is gone', async () => {
    const other = createControlPlane({ env })
    const gone = new AbortController()
    next = { type: 'elsewhere', to: inProcessTransport(other.transport()), until: gone.signal }
    const watch = await client.watch(ConfigMap, { namespace: 'default' })
    await client.create(ConfigMap, map('a'))
    const reading = (async () => {
      for await (const events of watch) expect(events.filter(({ type }) => type !== 'BOOKMARK')).toEqual([])
    })()
    gone.abort()
    await expect(reading).rejects.toThrow('the connection is gone')
    await other.close()
  })

  it.each([
    ['all watches', undefined, []],
    ['those of one resource', 'configmaps', []],
    ['those of another', 'apps/deployments', ['a']],
  ] as const)('hold-watches: %s are behind, and nothing is lost', async (_, of, early) => {
    const seen: string[] = []
    const stop = new AbortController()
    const reading = (async () => {
      for await (const events of await client.watch(ConfigMap, { namespace: 'default', signal: stop.signal }))
        for (const event of events) if (event.type !== 'BOOKMARK') seen.push(event.object.metadata.name)
    })()
    await env.advanceAsync(0)
    next = { type: 'hold-watches', ms: 8_000, of }
    await client.create(ConfigMap, map('a'))
    await env.advanceAsync(7_999)
    expect(seen).toEqual(early)
    await client.create(ConfigMap, map('b'))
    await env.advanceAsync(1)
    expect(seen).toEqual(['a', 'b'])
    stop.abort()
    await expect(reading).rejects.toThrow('abort')
  })

  it.each(['before', 'after'] as const)('crash %s: whoever can die is notified', async (when) => {
    let deaths = 0
    const mortal = faultyTransport(
      inProcessTransport(plane.transport()),
      env,
      () => ({ type: 'crash', when }),
      () => deaths++,
    )
    await expect(
      mortal.request({
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps',
        body: { metadata: { name: 'a' } },
      }),
    ).rejects.toThrow('the program has died')
    expect([deaths, await names()]).toEqual([1, when === 'after' ? ['a'] : []])
    next = { type: 'crash', when: 'before' }
    await expect(client.create(ConfigMap, map('b'))).rejects.toThrow('the fault crash needs a program that can die')
  })

  it('stall: there is no answer, and the end of the client is told', async () => {
    let ended = 0
    next = { type: 'stall', ended: () => ended++ }
    const stop = new AbortController()
    const creating = client.create(ConfigMap, map('a'), { signal: stop.signal }).catch(String)
    await env.advanceAsync(3_600_000)
    expect(ended).toBe(0)
    stop.abort()
    expect([await creating, ended, await names()]).toEqual([expect.stringContaining('abort'), 1, []])
  })

  it('late: the program dies, and its request arrives when it is sent', async () => {
    let send: (() => Promise<unknown>) | undefined
    let deaths = 0
    const mortal = faultyTransport(
      inProcessTransport(plane.transport()),
      env,
      () => ({ type: 'late', onTheWay: (way) => (send = way) }),
      () => deaths++,
    )
    const path = '/api/v1/namespaces/default/configmaps'
    const stop = AbortSignal.abort()
    const sending = mortal.request({ method: 'POST', path, body: { metadata: { name: 'a' } }, signal: stop })
    await expect(sending).rejects.toThrow('the program has died')
    expect([deaths, await names()]).toEqual([1, []])
    await send?.()
    expect(await names()).toEqual(['a'])
  })

  it('meanwhile: something happens first, and then nothing is sent that must not be', async () => {
    next = { type: 'meanwhile', act: () => client.create(ConfigMap, map('first')).then(() => undefined) }
    await client.create(ConfigMap, map('second'))
    expect(await names()).toEqual(['first', 'second'])
    next = { type: 'meanwhile', act: () => undefined }
    const guard = (): void => {
      throw new Error('not any more')
    }
    await expect(transport.request({ method: 'DELETE', path: '/api/v1/nodes/a', guard })).rejects.toThrow('any more')
  })

  it.each<Fault>([{ type: 'drop-after' }, { type: 'duplicate' }, { type: 'cut-watch', after: 0 }])(
    'leaves no watch open on the server: $type',
    async (fault) => {
      const before = env.pending
      next = fault
      const stop = new AbortController()
      const answer = await transport
        .request({
          method: 'GET',
          path: '/api/v1/configmaps?watch=true&allowWatchBookmarks=true',
          stream: true,
          signal: stop.signal,
        })
        .catch(() => undefined)
      if (fault.type === 'cut-watch')
        await expect(
          (async () => {
            for await (const _ of answer?.events ?? []) expect(_).toBeUndefined()
          })(),
        ).rejects.toThrow('cut')
      else expect(env.pending).toBe(fault.type === 'duplicate' ? before + (await timersOfWatch()) : before)
      stop.abort()
      await env.advanceAsync(0)
      expect(env.pending).toBe(before)
    },
  )
})
