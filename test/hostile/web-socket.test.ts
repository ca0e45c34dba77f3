/** Hostile WebSocket clients: each is disconnected, does not delay others, and its messages use no memory. */
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createControlPlane, type ControlPlane, type PlaneListener } from '../../src/controlplane/index.ts'
import { httpRequest, openSocket, sendRaw } from './raw-client.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const internal: unknown[] = []
let plane: ControlPlane
let listener: PlaneListener

beforeAll(async () => {
  plane = createControlPlane({
    tokens: [{ token: 't', user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
    onInternalError: (error) => internal.push(error),
  })
  listener = await plane.listen({ tls: false })
})
afterAll(() => plane.close())

afterEach(async () => {
  expect(internal.splice(0)).toEqual([])
  expect((await sendRaw(listener.port, httpRequest('GET', '/readyz', 't'))).status).toBe(200)
})

const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
  origin: 'http://x',
}

interface Watcher {
  readonly socket: Socket
  /** The bytes that were read so far. */
  readonly received: () => Buffer
  readonly closed: Promise<void>
}

async function watch(behind: Buffer = Buffer.alloc(0)): Promise<Watcher> {
  const socket = await openSocket(listener.port)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => void socket.on('close', () => resolve()))
  socket.write(Buffer.concat([httpRequest('GET', `${configMaps}?watch=1`, 't', '', handshake), behind]))
  return { socket, received: () => Buffer.concat(chunks), closed }
}

/** Masked with zeros, so that the payload is unchanged. */
function frame(first: number, payload: Buffer): Buffer {
  const size = payload.length
  const head = size < 126 ? [first, 0x80 | size] : [first, 0xfe, size >>> 8, size & 0xff]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload])
}

function closeCode(bytes: Buffer): number {
  expect(bytes.subarray(-4, -2)).toEqual(Buffer.from([0x88, 2]))
  return bytes.readUInt16BE(bytes.length - 2)
}

describe('frames', () => {
  it.each<[string, Buffer, number]>([
    ['unmasked', Buffer.from([0x81, 1, 0x61]), 1002],
    ['with reserved bits', frame(0xf1, Buffer.from('a')), 1002],
    ['of an unknown kind', frame(0x83, Buffer.from('a')), 1002],
    ['that are parts of a ping', frame(0x09, Buffer.from('a')), 1002],
    ['that are long pings', frame(0x89, Buffer.alloc(1000)), 1002],
    ['that are long closes', frame(0x88, Buffer.alloc(200)), 1002],
    ['that continue nothing', frame(0x80, Buffer.from('a')), 1002],
    ['of text that is no UTF-8', frame(0x81, Buffer.from([0xc3, 0x28])), 1007],
    ['of 2^63 bytes', Buffer.from([0x82, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]), 1009],
  ])('%s end the connection, and tell why', async (_what, bytes, code) => {
    const { received, closed } = await watch(bytes)
    await closed
    expect(closeCode(received())).toBe(code)
  })

  it('WebSocket frames in bytes that were never a frame end the connection', async () => {
    const { received, closed } = await watch(Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'))
    await closed
    expect(closeCode(received())).toBe(1002)
  })
})

it('a client that never reads is cut off, and no writer waits for it', async () => {
  const api = plane.transport()
  const { socket, closed } = await watch()
  socket.pause()
  await api({ method: 'POST', path: configMaps, body: { metadata: { name: 'slow' } } })
  for (let i = 0; i < 80; i++) {
    const { status } = await api({
      method: 'PATCH',
      path: `${configMaps}/slow`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { data: { i: String(i), a: 'x'.repeat(512 * 1024) } },
    })
    expect(status).toBe(200)
    await new Promise((resolve) => void setImmediate(resolve))
  }
  socket.resume()
  await closed
})

/** Sends the bytes repeatedly, as fast as the server reads them. */
async function flood(socket: Socket, bytes: Buffer, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent++) {
    if (!socket.write(bytes)) await new Promise((resolve) => void socket.once('drain', resolve))
  }
}

it('a client that pings without end and never reads takes no memory', async () => {
  const { socket, closed, received } = await watch()
  socket.pause()
  const before = process.memoryUsage().rss
  const pings = Buffer.concat(Array.from({ length: 500 }, () => frame(0x89, Buffer.alloc(125, 0x61))))
  await flood(socket, pings, 1000)
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024)
  socket.write(frame(0x88, Buffer.alloc(0)))
  socket.resume()
  await closed
  expect(closeCode(received())).toBe(1000)
})

it('a client that sends without end takes no memory', async () => {
  const { socket, closed } = await watch()
  const before = process.memoryUsage().rss
  const part = frame(0x02, Buffer.alloc(60_000, 0xff))
  socket.write(part)
  part[0] = 0
  await flood(socket, part, 2000)
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024)
  socket.write(frame(0x88, Buffer.alloc(0)))
  await closed
})
