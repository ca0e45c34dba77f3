import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpRequest, sendRaw } from '../../../test/hostile/raw-client.ts'
import { createControlPlane, type ControlPlane, type PlaneListener } from '../index.ts'
import { OriginCheck } from './web-origin.ts'

const refused = (headers: Readonly<Record<string, string>>, options = { host: '127.0.0.1', isTls: false }): boolean =>
  new OriginCheck(options).rejection({ headers } as never) !== undefined

describe('web pages', () => {
  it.each(['127.0.0.1:6443', 'localhost', 'LOCALHOST:1', '[::1]:6443', 'kubernetes.default.svc', 'x', '10.0.0.1'])(
    'the host %s is fine',
    (host) => {
      expect(refused({ host })).toBe(false)
    },
  )

  it.each([
    'attacker.dev',
    'attacker.dev:6443',
    '127.0.0.1.nip.io',
    'localhost.attacker.dev',
    'A.B.',
    'rebind.network:80',
  ])('the host %s is a page that points its name here', (host) => {
    expect(refused({ host })).toBe(true)
    // Over TLS the certificate does not have that name; beyond loopback any name may be ours.
    expect(refused({ host }, { host: '127.0.0.1', isTls: true })).toBe(false)
    expect(refused({ host }, { host: '0.0.0.0', isTls: false })).toBe(false)
  })

  it.each([
    ['https://attacker.dev', 'localhost', true],
    ['http://attacker.dev:8080', 'localhost', true],
    ['http://203.0.113.7', 'localhost', true],
    ['http://[2001:db8::1]:80', 'localhost', true],
    ['null', 'localhost', true],
    ['https://localhost.attacker.dev', 'localhost', true],
    ['http://localhost:3000', '127.0.0.1:6443', false],
    ['http://127.0.0.1:6443', '127.0.0.1:6443', false],
    ['https://api.corp.dev', 'api.corp.dev:6443', false],
    ['https://host.docker.internal', 'localhost', false],
    ['x', 'localhost', false],
  ])('the origin %s at %s: refused is %s', (origin, host, expected) => {
    expect(refused({ origin, host }, { host: '0.0.0.0', isTls: true })).toBe(expected)
  })
})

describe('a server', () => {
  let plane: ControlPlane
  let listener: PlaneListener
  beforeAll(async () => {
    plane = createControlPlane({
      tokens: [{ token: 't', user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
    })
    listener = await plane.listen({ tls: false })
  })
  afterAll(() => plane.close())
  const send = (method: string, headers: Record<string, string>, path = '/api/v1/namespaces/default/configmaps') =>
    sendRaw(listener.port, httpRequest(method, path, 't', '{"metadata":{"name":"x"}}', headers))

  it('refuses requests of foreign pages, simple ones and others, even with a token', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
      for (const headers of [{ origin: 'https://attacker.dev' }, { host: 'attacker.dev' }, { origin: 'null' }])
        expect((await send(method, { 'content-type': 'text/plain', ...headers })).status).toBe(403)
    const { status, body } = await send('GET', { host: 'attacker.dev' })
    expect({ status, body: JSON.parse(body) as unknown }).toMatchObject({
      status: 403,
      body: { kind: 'Status', reason: 'Forbidden', message: 'forbidden: the host "attacker.dev" is not this server' },
    })
    expect((await send('GET', {})).body).not.toContain('"name":"x"')
  })

  it('refuses WebSockets of foreign pages', async () => {
    const handshake = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    }
    const path = '/api/v1/configmaps?watch=true'
    expect((await send('GET', { ...handshake, origin: 'https://attacker.dev' }, path)).status).toBe(403)
    expect((await send('GET', { ...handshake, origin: 'http://localhost' }, `${path}&timeoutSeconds=1`)).status).toBe(
      101,
    )
  })

  it('has no CORS, and sets no cookies', async () => {
    const { status, head } = await send('GET', { origin: 'http://localhost:3000' })
    expect(status).toBe(200)
    expect(head).not.toMatch(/access-control|set-cookie/i)
  })
})
