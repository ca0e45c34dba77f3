/** The transport without sockets: what it shares, what it rejects, and that watches leave nothing behind. */
import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../api/live-object.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import type { Kind } from '../schema/kind.ts'
import { inProcessTransport } from './in-process-transport.ts'
import { RestClient } from './rest-client.ts'
import type { Transport } from './transport.ts'

interface ConfigMap extends ApiObject {
  data?: Record<string, string>
}
const ConfigMap: Kind<ConfigMap> = {
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
}
const namespace = 'default'
const path = '/api/v1/namespaces/default/configmaps'

let env: SimulatedEnv
let plane: ControlPlane
let transport: Transport
let client: RestClient
beforeEach(() => {
  env = simulatedEnv()
  plane = createControlPlane({ env })
  transport = inProcessTransport(plane.transport())
  client = new RestClient({ env, transport })
})
afterEach(() => plane.close())

describe('the in-process transport', () => {
  it("the in-process transport returns the server's own frozen objects, shared by all readers", async () => {
    await client.create(ConfigMap, { metadata: { name: 'a', namespace }, data: { x: '1' } })
    const one = await client.get(ConfigMap, { namespace, name: 'a' })
    expect(Object.isFrozen(one) && Object.isFrozen(one.data)).toBe(true)
    expect(await client.get(ConfigMap, { namespace, name: 'a' })).toBe(one)
    const [item] = (await client.list(ConfigMap, { namespace, fieldSelector: 'metadata.name=a' })).items
    expect(Object.isFrozen(item)).toBe(true)
    expect(item?.data).toBe(one.data)
  })

  it('the in-process transport never changes nor keeps what it is given', async () => {
    const object = { metadata: { name: 'a', namespace }, data: { x: '1' } }
    await client.create(ConfigMap, object)
    object.data.x = '2'
    expect((await client.get(ConfigMap, { namespace, name: 'a' })).data).toEqual({ x: '1' })
    expect(object).toEqual({ metadata: { name: 'a', namespace }, data: { x: '2' } })
  })

  it('the in-process transport takes values as JSON would carry them', async () => {
    const odd = { metadata: { name: 'a', namespace, annotations: { at: new Date(0) } }, data: { gone: undefined } }
    const made = await client.create(ConfigMap, odd as unknown as ConfigMap)
    expect(made.metadata.annotations).toEqual({ at: '1970-01-01T00:00:00.000Z' })
    expect(made.data ?? {}).toEqual({})
  })

  it('the in-process transport gives all events that have come at once, in order', async () => {
    const events = await client.watch(ConfigMap, { namespace, fieldSelector: 'metadata.name!=kube-root-ca.crt' })
    for (const name of ['a', 'b', 'c']) await client.create(ConfigMap, { metadata: { name, namespace } })
    for await (const batch of events) {
      expect(batch.map((event) => event.type === 'ADDED' && event.object.metadata.name)).toEqual(['a', 'b', 'c'])
      break
    }
  })

  it('the in-process transport leaves no listener on a signal that outlives the calls and the watches', async () => {
    const { signal } = new AbortController()
    for (let i = 0; i < 20; i++) {
      await client.list(ConfigMap, { namespace, signal })
      const events = await client.watch(ConfigMap, { namespace, signal })
      const reader = events[Symbol.asyncIterator]()
      const next = reader.next()
      await client.create(ConfigMap, { metadata: { name: `m${i}`, namespace } })
      await next
      await reader.return?.()
      await expect(client.watch(ConfigMap, { namespace, signal, resourceVersion: 'x' })).rejects.toThrow()
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('a deadline ends a read that waits for a version to come', async () => {
    const future = client
      .get(ConfigMap, { namespace, name: 'a' }, { resourceVersion: '1000000', timeoutMs: 1000 })
      .catch((error: unknown) => error)
    await env.advanceAsync(1000)
    expect(await future).toMatchObject({ name: 'TransportError', code: 'TIMEOUT' })
  })

  it('the in-process transport sets no timer for a write without a deadline', async () => {
    const timers = (options: { timeoutMs?: number }): number => {
      const before = env.pending
      writes.push(client.create(ConfigMap, { metadata: { name: `m-${writes.length}`, namespace } }, options))
      return env.pending - before
    }
    const writes: Promise<unknown>[] = []
    expect([timers({}), timers({ timeoutMs: 1000 })]).toEqual([0, 1])
    await Promise.all(writes)
  })

  it('close ends watches and refuses later requests', async () => {
    const events = await client.watch(ConfigMap, { namespace, resourceVersion: '0' })
    const reader = events[Symbol.asyncIterator]()
    await transport.close()
    await expect(
      (async () => {
        for (let next = await reader.next(); next.done !== true; next = await reader.next()) continue
      })(),
    ).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(transport.request({ method: 'GET', path })).rejects.toMatchObject({ code: 'CLOSED', sent: false })
    await expect(transport.request({ method: 'GET', path: `${path}?watch=true`, stream: true })).rejects.toMatchObject({
      code: 'CLOSED',
      sent: false,
    })
  })

  it('the in-process transport ends quietly when the server ends the watch', async () => {
    const events = await client.watch(ConfigMap, { namespace, timeoutSeconds: 10 })
    const reading = (async () => {
      for await (const _ of events) continue
      return 'ended'
    })()
    await env.advanceAsync(10_000)
    expect(await reading).toBe('ended')
  })
})
