import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inProcessTransport } from '../client/in-process-transport.ts'
import type { WireEvent } from '../client/transport.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import { faultyTransport } from './faulty-transport.ts'
import { faultedResource, type FrameFault } from './faulty-watches.ts'

let env: SimulatedEnv
let plane: ControlPlane
beforeEach(() => {
  env = simulatedEnv()
  plane = createControlPlane({ env })
})
afterEach(() => plane.close())

const path = '/api/v1/namespaces/default/configmaps'
const shown = ({ type, object }: WireEvent): string => {
  const { metadata, code } = object as { metadata: { name?: string; resourceVersion?: string }; code?: number }
  return `${type} ${metadata.name ?? code ?? metadata.resourceVersion ?? ''}`
}

/** A watch with a fault at its second event, and what has come so far. */
async function watching(fault: FrameFault) {
  const plain = inProcessTransport(plane.transport())
  let count = 0
  const at = (resource: string): FrameFault | undefined => {
    expect(resource).toBe('configmaps')
    return ++count === 2 ? fault : undefined
  }
  const transport = faultyTransport(plain, env, () => ({ type: 'frames', plan: at }))
  const stop = new AbortController()
  const { events } = await transport.request({
    method: 'GET',
    path: `${path}?watch=true&resourceVersion=${plane.store.revision}`,
    stream: true,
    signal: stop.signal,
  })
  const seen: string[] = []
  const reading = (async () => {
    for await (const batch of events ?? []) seen.push(...batch.map(shown))
    return 'the end'
  })().catch((error: unknown) => (error as Error).message)
  return {
    seen,
    reading,
    stop,
    create: async (...names: readonly string[]) => {
      for (const name of names) await plain.request({ method: 'POST', path, body: { metadata: { name } } })
      await env.advanceAsync(0)
    },
  }
}

describe('a fault at an event of a watch', () => {
  it('cut: the connection breaks before the event', async () => {
    const { seen, reading, create } = await watching({ type: 'cut' })
    await create('a', 'b', 'c')
    expect([await reading, seen]).toEqual(['the watch was cut (injected fault)', ['ADDED a']])
  })

  it('delay: the event and those after it come later, in order', async () => {
    const { seen, create, stop, reading } = await watching({ type: 'delay', ms: 2000 })
    await create('a', 'b', 'c')
    await env.advanceAsync(1999)
    expect(seen).toEqual(['ADDED a'])
    await env.advanceAsync(1)
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c'])
    stop.abort()
    expect(await reading).toContain('abort')
  })

  it('duplicate: the event comes twice', async () => {
    const { seen, create } = await watching({ type: 'duplicate' })
    await create('a', 'b', 'c')
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'ADDED b', 'ADDED c'])
  })

  it('expire: an error event, and the end', async () => {
    const { seen, reading, create } = await watching({ type: 'expire' })
    await create('a', 'b')
    expect([await reading, seen]).toEqual(['the end', ['ADDED a', 'ERROR 410']])
  })

  it('bookmark: the version before the event, and the end', async () => {
    const { seen, reading, create } = await watching({ type: 'bookmark' })
    await create('a', 'b')
    expect([await reading, seen]).toEqual(['the end', ['ADDED a', `BOOKMARK ${plane.store.revision - 1}`]])
  })

  it('silence: nothing comes until the client gives up, and then that is told', async () => {
    let ended = 0
    const { seen, reading, create, stop } = await watching({ type: 'silence', ended: () => ended++ })
    await create('a', 'b', 'c')
    await env.advanceAsync(3_600_000)
    expect([seen, ended]).toEqual([['ADDED a'], 0])
    stop.abort()
    await reading
    expect([seen, ended]).toEqual([['ADDED a'], 1])
  })

  it('lag: an event comes after so many others, or after a time', async () => {
    const { seen, create } = await watching({ type: 'lag', events: 2, ms: 8000 })
    await create('a', 'b', 'c')
    expect(seen).toEqual(['ADDED a'])
    await env.advanceAsync(5000)
    await create('d')
    expect(seen).toEqual(['ADDED a', 'ADDED b'])
    await create('e', 'f')
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c', 'ADDED d'])
    await env.advanceAsync(7999)
    expect(seen).toHaveLength(4)
    await env.advanceAsync(1)
    expect(seen.slice(4)).toEqual(['ADDED e', 'ADDED f'])
  })
})

it('expired: a watch whose version is too old says so in an event, and ends', async () => {
  const transport = faultyTransport(inProcessTransport(plane.transport()), env, () => ({ type: 'expired' }))
  const { status, events } = await transport.request({ method: 'GET', path: `${path}?watch=true`, stream: true })
  const seen: string[] = []
  for await (const batch of events ?? []) seen.push(...batch.map(shown))
  expect([status, seen]).toEqual([200, ['ERROR 410']])
})

it.each([
  ['/api/v1/pods?watch=true', 'pods'],
  ['/api/v1/namespaces/a/pods/b/status', 'pods'],
  ['/api/v1/namespaces/a', 'namespaces'],
  ['/api/v1/namespaces/a/finalize', 'finalize'],
  ['/apis/apps/v1/namespaces/a/deployments/b', 'apps/deployments'],
  ['/apis/example.dev/v1/apps', 'example.dev/apps'],
  ['/version', ''],
])('%s is about %s', (of, resource) => {
  expect(faultedResource(of)).toBe(resource)
})
