/** Clients that send slowly or not at all are disconnected and do not delay others. The limits are short here. */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createControlPlane } from '../../src/controlplane/index.ts'
import { startListener, type Listener } from '../../src/controlplane/http/listener.ts'
import { httpRequest, sendRaw } from './raw-client.ts'

const plane = createControlPlane({
  tokens: [{ token: 't', user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
})
let listener: Listener

beforeAll(async () => {
  listener = await startListener(
    {
      handle: (request) => plane.handle(request),
      authenticate: (authorization) => plane.authenticate({ authorization }),
    },
    { limits: { headersTimeout: 100, requestTimeout: 150, connectionsCheckingInterval: 20 } },
  )
})

afterAll(async () => {
  await listener.close()
  await plane.close()
})

/** Sends the bytes and then nothing; resolves with the received bytes when the server has closed. */
function stall(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket: Socket = connect(listener.port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
}

describe('slow clients', () => {
  it.each([
    ['half of the headers', 'GET /version HTTP/1.1\r\nhost: x\r\nauthoriz'],
    ['headers without end', 'GET /version HTTP/1.1\r\nhost: x\r\n'],
    [
      'half of the body',
      'POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\ncontent-length: 100\r\n\r\n{"meta',
    ],
    [
      'an endless chunk',
      'POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\ntransfer-encoding: ' +
        'chunked\r\n\r\n5\r\nabc',
    ],
  ])('slow clients: %s: closed after the limit, others served meanwhile', async (_what, bytes) => {
    const stalled = stall(bytes)
    expect((await sendRaw(listener.port, httpRequest('GET', '/readyz', 't'))).status).toBe(200)
    expect(await stalled).toMatch(/^$|^HTTP\/1\.1 4(00|08)/)
    expect((await sendRaw(listener.port, httpRequest('GET', '/readyz', 't'))).status).toBe(200)
  })
})
