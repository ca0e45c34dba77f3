import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createControlPlane, type ControlPlane, type PlaneListener } from '../index.ts'
import { simulatedEnv, type SimulatedEnv } from '../../env/simulated.ts'
import type { WatchSink } from '../contract/request.ts'
import { startListener, type Listener } from './listener.ts'
import { encodeWebSocketFrame, opcode } from './web-socket-frame.ts'

const path = '/api/v1/namespaces/default/configmaps?watch=1'
const handshake = {
  host: 'x',
  authorization: 'Bearer t',
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
  origin: 'https://localhost',
}
const accepted =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ' +
  's3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n'

const open = new Set<Client>()

/** Raw bytes both ways: `latin1`, so that frames can be compared. */
class Client {
  text = ''
  readonly closed: Promise<void>
  readonly socket: Socket

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')))
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => void socket.on('close', () => resolve()))
    open.add(this)
  }

  async has(text: string): Promise<void> {
    await vi.waitFor(() => expect(this.text).toContain(text), { timeout: 10_000, interval: 5 })
  }
}

afterEach(() => {
  for (const { socket } of open) socket.destroy()
  open.clear()
})

function request(
  target: string,
  headers: Readonly<Record<string, string>> = handshake,
  method = 'GET',
  body = '',
): string {
  return `${method} ${target} HTTP/1.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`
}

function dial(port: number, text: string): Client {
  const client = new Client(connect(port, '127.0.0.1'))
  client.socket.write(text, 'latin1')
  return client
}

/** Masked with zeros, which is valid. */
function masked(code: number, payload: string): Buffer {
  const frame = encodeWebSocketFrame(code, payload)
  return Buffer.concat([Buffer.from([frame[0] as number, (frame[1] as number) | 0x80, 0, 0, 0, 0]), frame.subarray(2)])
}

const closing = '\x88\x02\x03\xe8'

describe('a watch over WebSocket', () => {
  let env: SimulatedEnv
  let plane: ControlPlane
  let listener: PlaneListener
  beforeAll(async () => {
    env = simulatedEnv()
    plane = createControlPlane({
      env,
      authorization: 'RBAC',
      tokens: [{ token: 't', user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
    })
    listener = await plane.listen({ tls: false })
  })
  afterAll(() => plane.close())

  const create = (name: string) =>
    plane.transport()({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: { metadata: { name }, data: { text: 'ä' } },
    })

  it('a watch over WebSocket sends each event as a text, as it comes, and ends when its time is over', async () => {
    const client = dial(listener.port, request(`${path}&timeoutSeconds=5`))
    await client.has(accepted)
    await create('a')
    await client.has('"name":"a"')
    const [, frame = ''] = client.text.split(accepted)
    const bytes = Buffer.from(frame, 'latin1')
    expect([bytes[0], bytes[1], bytes.readUInt16BE(2)]).toEqual([0x81, 126, bytes.length - 4])
    expect(JSON.parse(bytes.subarray(4).toString())).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'a' }, data: { text: 'ä' } },
    })
    env.advance(10_000)
    await client.closed
    expect(client.text.endsWith(closing)).toBe(true)
  })

  it('a watch over WebSocket sends protobuf as bytes', async () => {
    await create('b')
    const client = dial(
      listener.port,
      request(`${path}&fieldSelector=metadata.name%3Db`, {
        ...handshake,
        accept: 'application/vnd.kubernetes.protobuf',
      }),
    )
    await client.has('ConfigMap')
    const bytes = Buffer.from(client.text.slice(accepted.length), 'latin1')
    expect([bytes[0], bytes[1], bytes.readUInt16BE(2)]).toEqual([0x82, 126, bytes.length - 4])
    expect(bytes.subarray(4, 11).toString('latin1')).toBe('\n\x05ADDED')
  })

  it('a watch over WebSocket takes a token as a subprotocol, and answers with the other', async () => {
    const { authorization: _, ...anonymous } = handshake
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('t').toString('base64url')}`
    const client = dial(
      listener.port,
      request(path, { ...anonymous, 'sec-websocket-protocol': `${token}, base64.binary.k8s.io` }),
    )
    await client.has('Sec-WebSocket-Protocol: base64.binary.k8s.io\r\n\r\n')
    const refused = dial(listener.port, request(path, { ...anonymous, 'sec-websocket-protocol': token }))
    await refused.closed
    expect(refused.text).toMatch(/^HTTP\/1\.1 401 .*"reason":"Unauthorized"/s)
  })

  it('a watch over WebSocket is refused with a Status, before the handshake is looked at', async () => {
    const client = dial(
      listener.port,
      request(`${path}&labelSelector=!!`, { ...handshake, 'sec-websocket-version': '8' }),
    )
    await client.closed
    expect(client.text).toMatch(/^HTTP\/1\.1 400 .*"reason":"BadRequest"/s)
  })

  it('a watch over WebSocket needs an origin', async () => {
    const client = dial(listener.port, request(path, { ...handshake, origin: '' }))
    await client.closed
    expect(client.text).toBe('HTTP/1.1 403 Forbidden\r\n\r\n')
  })

  it('a watch over WebSocket answers pings, and ends when the client does', async () => {
    const watch = request(`${path}&resourceVersion=0&fieldSelector=metadata.name%3Dnone`)
    const client = dial(listener.port, watch + masked(opcode.ping, 'hi').toString('latin1'))
    await client.has('\x8a\x02hi')
    client.socket.write(masked(opcode.close, ''))
    await client.closed
    expect(client.text.endsWith(`hi${closing}`)).toBe(true)
  })

  it('a watch over WebSocket ends with the server', async () => {
    const other = await plane.listen({ tls: false })
    const client = dial(other.port, request(path))
    await client.has(accepted)
    await other.close()
    await client.closed
  })
})

describe('a connection', () => {
  let listener: Listener
  let sink: WatchSink | undefined
  let stopped = 0
  beforeAll(async () => {
    listener = await startListener(
      {
        authenticate: () => ({ name: 'admin', uid: '', groups: [] }),
        handle: () => ({
          type: 'watch',
          status: 200,
          start(given) {
            sink = given
            return { stop: () => void stopped++ }
          },
        }),
      },
      {},
    )
  })
  afterAll(() => listener.close())

  it.each<[string, (client: Client) => void]>([
    ['says that it closes', ({ socket }) => socket.write(masked(opcode.close, ''))],
    ['hangs up', ({ socket }) => socket.destroy()],
    ['sends no more', ({ socket }) => socket.end()],
    ['breaks the protocol', ({ socket }) => socket.write(encodeWebSocketFrame(opcode.text, 'unmasked'))],
  ])('stops its watch when the client %s', async (_what, leave) => {
    stopped = 0
    const client = dial(listener.port, request(path))
    await client.has(accepted)
    leave(client)
    await vi.waitFor(() => expect(stopped).toBeGreaterThan(0), { timeout: 10_000, interval: 5 })
    await client.closed
    // Events after the close are ignored.
    sink?.event({ type: 'ADDED', object: {} })
    sink?.end()
  })
})

describe('other upgrades', () => {
  let plane: ControlPlane
  beforeAll(() => {
    plane = createControlPlane({
      tokens: [{ token: 't', user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
    })
  })
  afterAll(() => plane.close())

  const h2c = {
    ...handshake,
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
    'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
  }
  const body = JSON.stringify({ metadata: { name: 'upgraded' } })
  const post = request(
    '/api/v1/namespaces/default/configmaps?dryRun=All',
    {
      ...h2c,
      'content-type': 'application/json',
      'content-length': String(body.length),
    },
    'POST',
    body,
  )

  it.each([false, true])(
    'other upgrades are ignored, body and all, on a connection that lives on (TLS: %s)',
    async (tls) => {
      const listener = await plane.listen({ tls })
      const socket = tls
        ? connectTls({ port: listener.port, host: '127.0.0.1', ca: listener.caCert })
        : connect(listener.port, '127.0.0.1')
      const client = new Client(socket)
      for (let i = 1; i <= 12; i++) {
        client.text = ''
        socket.write(post)
        await client.has('"name":"upgraded"')
        expect(client.text).toMatch(/^HTTP\/1\.1 201 /)
        client.text = ''
        socket.write(request('/version', { host: 'x', authorization: 'Bearer t' }))
        await client.has('gitVersion')
      }
      await listener.close()
    },
  )

  it('other upgrades to WebSocket are answered plainly where there is no watch', async () => {
    const listener = await plane.listen({ tls: false })
    const client = dial(listener.port, request('/version'))
    await client.closed
    expect(client.text).toMatch(/^HTTP\/1\.1 200 .*gitVersion/s)
    await listener.close()
  })
})
