/** One client, or all clients of one user, cannot use up the memory, the connections or the time of the server. */
import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { request as send, type IncomingMessage } from 'node:http'
import { createControlPlane, type ClientLimits, type ControlPlane } from '../../src/controlplane/index.ts'
import { startListener, type MeasuredListener } from '../../src/controlplane/http/listener.ts'
import { simulatedEnv } from '../../src/env/simulated.ts'
import { httpRequest, openSocket, sendRaw } from './raw-client.ts'

const mib = 1024 * 1024
const configMaps = '/api/v1/namespaces/default/configmaps'
const tokens = [
  { token: 'admin', user: { name: 'admin', uid: '', groups: ['system:masters'] } },
  { token: 'ann', user: { name: 'ann', uid: '', groups: [] } },
  { token: 'bob', user: { name: 'bob', uid: '', groups: [] } },
]

interface Served {
  readonly plane: ControlPlane
  readonly listener: MeasuredListener
  readonly env: ReturnType<typeof simulatedEnv>
}

interface ConfigMapList {
  readonly metadata: { readonly resourceVersion: string }
}

const cleanups: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function serve(clientLimits: Partial<ClientLimits>): Promise<Served> {
  const plane = createControlPlane({ tokens })
  const env = simulatedEnv({ seed: 1 })
  const listener = await startListener(
    {
      handle: (request) => plane.handle(request),
      authenticate: (authorization) => plane.authenticate({ authorization }),
    },
    { clientLimits, env },
  )
  cleanups.push(async () => {
    await listener.close()
    await plane.close()
  })
  return { plane, listener, env }
}

async function fill({ plane }: Served, count: number, bytes: number): Promise<void> {
  const data = { text: 'x'.repeat(bytes) }
  for (let i = 0; i < count; i++)
    await plane.transport()({ method: 'POST', path: configMaps, body: { metadata: { name: `map-${i}` }, data } })
}

/** A client that sends a request and reads nothing. */
async function mute(
  { listener }: Served,
  token: string,
  path: string,
): Promise<{ closed: Promise<void>; socket: Socket }> {
  const socket = await openSocket(listener.port)
  socket.pause()
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  socket.write(httpRequest('GET', path, token))
  cleanups.push(() => void socket.destroy())
  return { closed, socket }
}

function get({ listener }: Served, token: string, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = send(listener.url + path, { agent: false, headers }, resolve).on('error', reject)
    cleanups.push(() => void sent.destroy())
    sent.end()
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}

/** Waits for the server to reach a state; each poll is a request, so nothing sleeps. */
async function until(served: Served, isReached: () => boolean): Promise<void> {
  while (!isReached()) await sendRaw(served.listener.port, httpRequest('GET', '/readyz', 'admin'))
}

describe('memory of clients that do not read', () => {
  it('lists are written as the client reads, and a client that reads nothing is disconnected in time', async () => {
    const served = await serve({ unreadTimeoutMs: 60_000 })
    await fill(served, 20, mib)
    const { clients } = served.listener
    const stalled = await Promise.all([1, 2, 3].map(() => mute(served, 'ann', configMaps)))
    await until(served, () => clients.counts.bufferedBytes > 3 * mib)
    // Three lists of 20 MiB: each is held up to about one object beyond 256 KiB.
    expect(clients.counts.bufferedBytes).toBeLessThan(3 * 4 * mib)
    const whole = await textOf(await get(served, 'bob', configMaps))
    expect((JSON.parse(whole) as { items: unknown[] }).items.length).toBe(20)
    served.env.advance(45_000)
    expect(clients.counts.closedConnections).toBe(0)
    served.env.advance(60_000)
    expect(clients.counts.closedConnections).toBe(3)
    for (const { socket } of stalled) socket.resume()
    await Promise.all(stalled.map(({ closed }) => closed))
    await until(served, () => clients.counts.bufferedBytes === 0)
  })

  it('beyond the limit in all, the connection with most unread output is closed', async () => {
    const served = await serve({ maxBufferedBytes: 8 * mib })
    const { clients } = served.listener
    const watches = await Promise.all(
      ['ann', 'bob', 'admin'].map((token) => mute(served, token, `${configMaps}?watch=true`)),
    )
    await until(served, () => clients.counts.watches === 3)
    await fill(served, 40, mib / 2)
    expect(clients.counts.closedConnections).toBeGreaterThanOrEqual(2)
    expect(clients.counts.bufferedBytes).toBeLessThanOrEqual(9 * mib)
    for (const { socket } of watches) socket.resume()
    await until(served, () => clients.counts.watches <= 1)
  })

  it.each(['ann', 'admin'])(
    'beyond the limit of one user, only connections of that user are closed: %s',
    async (token) => {
      const served = await serve({ maxBufferedBytes: 64 * mib, maxBufferedBytesPerUser: 8 * mib })
      const { clients } = served.listener
      await mute(served, 'bob', `${configMaps}?watch=true&timeoutSeconds=600`)
      await Promise.all([1, 2, 3].map(() => mute(served, token, `${configMaps}?watch=true`)))
      await until(served, () => clients.counts.watches === 4)
      await fill(served, 10, mib / 2)
      expect(clients.counts.closedConnections).toBeGreaterThanOrEqual(1)
      expect(clients.counts.bufferedBytes).toBeLessThanOrEqual(15 * mib)
      await until(served, () => clients.counts.watches < 4)
      expect(clients.counts.watches).toBeGreaterThanOrEqual(2)
    },
  )

  it('a user with much unread output gets 429, others do not', async () => {
    const served = await serve({ maxBufferedBytesPerUser: 4 * mib })
    await fill(served, 8, mib)
    const { clients } = served.listener
    await Promise.all([1, 2].map(() => mute(served, 'ann', configMaps)))
    await until(served, () => clients.counts.bufferedBytes > 2 * mib)
    let status: number | undefined = 200
    for (let i = 0; i < 4 && status === 200; i++) {
      await mute(served, 'ann', configMaps)
      status = (await sendRaw(served.listener.port, httpRequest('GET', '/version', 'ann'))).status
    }
    expect(status).toBe(429)
    expect((await sendRaw(served.listener.port, httpRequest('GET', '/version', 'bob'))).status).toBe(200)
  })
})

describe('requests and watches of one user', () => {
  it('watches beyond the limit get 429, and become available again', async () => {
    const served = await serve({ maxWatchesPerUser: 2 })
    const watch = (token: string) => get(served, token, `${configMaps}?watch=true`)
    const open = [await watch('ann'), await watch('ann')]
    const refused = await watch('ann')
    expect(refused.statusCode).toBe(429)
    // The headers and body of a real v1.35.8, see too-many-requests.ts.
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache, private',
    })
    expect(await textOf(refused)).toBe('Too many requests, please try again later.\n')
    expect((await watch('bob')).statusCode).toBe(200)
    for (let i = 0; i < 3; i++) expect((await watch('admin')).statusCode).toBe(200)
    expect((await get(served, 'ann', configMaps)).statusCode).toBe(200)
    open[0]?.destroy()
    await until(served, () => served.listener.clients.counts.watches === 5)
    expect((await watch('ann')).statusCode).toBe(200)
  })

  it('requests in flight beyond the limit get 429, except for administrators', async () => {
    const served = await serve({ maxRequestsPerUser: 2 })
    // Reads of a revision in the future wait for it.
    const { metadata } = JSON.parse(await textOf(await get(served, 'bob', configMaps))) as ConfigMapList
    const path = `${configMaps}/x?resourceVersion=${BigInt(metadata.resourceVersion) + 1000n}`
    const waiting = (token: string) => get(served, token, path).catch(() => undefined)
    for (const token of ['ann', 'ann', 'admin', 'admin']) void waiting(token)
    await until(served, () => served.listener.clients.counts.requests === 4)
    expect((await get(served, 'ann', '/version')).statusCode).toBe(429)
    expect((await get(served, 'bob', '/version')).statusCode).toBe(200)
    expect((await get(served, 'admin', '/version')).statusCode).toBe(200)
    expect(served.listener.clients.counts.rejectedRequests).toBe(1)
  })

  it('when there are too many connections, the user with the most loses one', async () => {
    const served = await serve({ maxConnections: 20, maxWatchesPerUser: 100 })
    const { clients } = served.listener
    const other = await get(served, 'bob', `${configMaps}?watch=true`)
    let ended = 0
    for (let i = 0; i < 30; i++) {
      const response = await get(served, 'admin', `${configMaps}?watch=true`)
      response.on('error', () => {}).on('close', () => ended++)
      response.resume()
    }
    expect((await get(served, 'ann', '/version')).statusCode).toBe(200)
    await until(served, () => ended >= 11)
    expect(other.destroyed).toBe(false)
    expect(clients.counts.connections).toBeLessThanOrEqual(20)
  })
})

describe('turns', () => {
  it('metrics report the longest turn and what clients use', async () => {
    const plane = createControlPlane({ tokens })
    cleanups.push(() => plane.close())
    const listener = await plane.listen({ tls: false })
    const { status, body } = await sendRaw(listener.port, httpRequest('GET', '/metrics', 'admin'))
    expect(status).toBe(200)
    expect(body).toMatch(
      /^# TYPE coxswain_apiserver_longest_turn_seconds gauge\ncoxswain_apiserver_longest_turn_seconds \d/m,
    )
    expect(body).toContain('\ncoxswain_apiserver_requests_in_flight 1\n')
    expect(body).toContain('\ncoxswain_apiserver_connections 1\n')
  })
})
