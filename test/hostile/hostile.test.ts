/**
 * Hostile input: the server responds with a clear 4xx or closes the connection, stays alive, and Object.prototype is
 * not changed.
 */
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/api/json.ts'
import { createControlPlane, type ControlPlane, type PlaneListener } from '../../src/controlplane/index.ts'
import { httpRequest, openSocket, sendRaw } from './raw-client.ts'

const token = 'hostile'
const configMaps = '/api/v1/namespaces/default/configmaps'
let plane: ControlPlane
let listener: PlaneListener
const internal: unknown[] = []
const prototypeBefore = Object.getOwnPropertyNames(Object.prototype).sort().join()

beforeAll(async () => {
  plane = createControlPlane({
    tokens: [{ token, user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
    onInternalError: (error) => internal.push(error),
  })
  listener = await plane.listen({ tls: false })
})

afterAll(() => plane.close())

afterEach(async () => {
  expect(internal.splice(0)).toEqual([])
  expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(prototypeBefore)
  expect((await send('GET', '/readyz')).status).toBe(200)
})

const once = (socket: Socket, event: string) => new Promise((resolve) => socket.once(event, resolve))

const send = (method: string, path: string, body: string | Buffer = '', headers: Record<string, string> = {}) =>
  sendRaw(listener.port, httpRequest(method, path, token, body, headers))

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  send('POST', configMaps, body, { 'content-type': 'application/json', ...headers })

describe('hostile keys', () => {
  const hostile = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']

  it('hostile keys are plain data in a body', async () => {
    const data = `{${hostile.map((key) => `"${key}":"v"`).join(',')}}`
    const answer = await post(
      `{"metadata":{"name":"keys","labels":${data.replace('__proto__', 'x__proto__x')}},` +
        `"data":${data.replace('"__proto__":"v",', '')},"__proto__":{"polluted":1}}`,
    )
    expect(answer.status).toBe(201)
    const stored = JSON.parse((await send('GET', `${configMaps}/keys`)).body) as { data: Json }
    expect(Object.keys(stored.data as object).sort()).toEqual(hostile.filter((key) => key !== '__proto__').sort())
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it.each([
    [
      'application/merge-patch+json',
      '{"metadata":{"annotations":{"__proto__":"x","constructor":"y"}},"__proto__":{"polluted":1}}',
      422,
    ],
    ['application/json-patch+json', '[{"op":"add","path":"/__proto__/polluted","value":1}]', 422],
    ['application/json-patch+json', '[{"op":"add","path":"/constructor/prototype/polluted","value":1}]', 422],
    [
      'application/strategic-merge-patch+json',
      '{"data":{"__proto__":{"polluted":1}},"__proto__":{"$patch":"replace"}}',
      422,
    ],
    [
      'application/apply-patch+yaml',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"keys"},"data":{"__proto__":"1"}}',
      200,
    ],
  ])('hostile keys are plain data in a %s patch', async (type, body, status) => {
    const answer = await send('PATCH', `${configMaps}/keys?fieldManager=m`, body, { 'content-type': type })
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.body).toContain('"__proto__":"1"')
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('hostile keys are plain names of resources, groups and queries', async () => {
    for (const key of hostile) {
      expect((await send('GET', `/api/v1/${key}`)).status).toBe(404)
      expect((await send('GET', `/apis/${key}/v1/x`)).status).toBe(404)
      expect((await send('GET', `${configMaps}/${key}`)).status).toBe(404)
      expect((await send('GET', `${configMaps}?${key}=1&fieldSelector=${key}%3D1`)).status).toBe(400)
      expect((await send('GET', `/openapi/v3/${key}`)).status).toBe(404)
    }
  })
})

describe('size and depth', () => {
  it('the server refuses nesting of 10,000', async () => {
    const deep = `{"metadata":{"name":"deep"},"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
    expect((await post(deep)).status).toBe(400)
    expect(
      (await send('PATCH', `${configMaps}/keys`, deep, { 'content-type': 'application/merge-patch+json' })).status,
    ).toBe(400)
    expect(
      (
        await send('PATCH', `${configMaps}/keys?fieldManager=m`, deep, {
          'content-type': 'application/apply-patch+yaml',
        })
      ).status,
    ).toBe(400)
    const yaml = `a: ${'['.repeat(10_000)}`
    expect((await post(yaml, { 'content-type': 'application/yaml' })).status).toBe(400)
  })

  it('the server refuses bodies over 3 MiB, declared or not', async () => {
    const big = Buffer.alloc(3 * 1024 * 1024 + 1, 'x')
    expect((await post(big)).status).toBe(413)
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const head =
      `POST ${configMaps} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ntransfer-encoding: ` +
      `chunked\r\n\r\n`
    const chunks = Array.from({ length: 5 }, () =>
      Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    )
    expect((await sendRaw(listener.port, Buffer.concat([Buffer.from(head), ...chunks]))).status).toBe(413)
  })

  it('the server refuses 10,001 patch operations', async () => {
    const operations = JSON.stringify(
      Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' })),
    )
    expect(
      (await send('PATCH', `${configMaps}/keys`, operations, { 'content-type': 'application/json-patch+json' })).status,
    ).toBe(413)
  })

  it('the server refuses large headers and URLs', async () => {
    expect((await send('GET', configMaps, '', { 'x-large': 'x'.repeat(100_000) })).status).toBe(431)
    expect([414, 431]).toContain((await send('GET', `${configMaps}?labelSelector=${'x'.repeat(100_000)}`)).status)
  })
})

describe('malformed text', () => {
  it('the server refuses invalid UTF-8', async () => {
    const body = Buffer.concat([
      Buffer.from('{"metadata":{"name":"u"},"data":{"a":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}}'),
    ])
    expect(await post(body)).toMatchObject({ status: 400, body: expect.stringContaining('UTF-8') })
  })

  it('the server reports duplicate keys, and refuses them under Strict', async () => {
    const body = '{"metadata":{"name":"dup"},"data":{"a":"1","a":"2"}}'
    expect((await send('POST', `${configMaps}?fieldValidation=Strict`, body)).status).toBe(400)
    expect((await post(body)).status).toBe(201)
  })

  it.each([
    '',
    '{',
    '[]',
    'null',
    '1',
    '"x"',
    '{"metadata":1}',
    '{"metadata":{"name":1}}',
    '{"kind":{}}',
    '\0',
    '{"metadata":{"labels":[]}}',
  ])('the server answers %j with a clear 4xx', async (body) => {
    const answer = await post(body)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect((JSON.parse(answer.body) as { message: string }).message.length).toBeGreaterThan(10)
  })

  it('the server refuses broken HTTP', async () => {
    expect((await sendRaw(listener.port, 'NOT HTTP AT ALL\r\n\r\n')).status).toBe(400)
    expect((await sendRaw(listener.port, `GET / HTTP/1.1\r\nbad header\r\n\r\n`)).status).toBe(400)
    expect((await sendRaw(listener.port, `FOO / HTTP/1.1\r\nbad header\r\n\r\n`)).status).toBe(400)
    expect((await sendRaw(listener.port, `FOO / HTTP/1.1\r\nhost: x\r\n`)).status).toBe(400)
    expect((await sendRaw(listener.port, `${'F'.repeat(70_000)} / HTTP/1.1\r\nhost: x\r\n\r\n`)).status).toBe(400)
    const twoLengths = 'content-length: 4\r\ntransfer-encoding: chunked'
    const smuggled = `POST ${configMaps} HTTP/1.1\r\nhost: x\r\n${twoLengths}\r\n\r\n0\r\n\r\n`
    expect((await sendRaw(listener.port, smuggled)).status).toBe(400)
  })
})

describe('path tricks', () => {
  const startAtSecrets = Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"/../../secrets"}').toString('base64url')
  it.each([
    ['/api/v1/namespaces/default/configmaps/..', 400],
    ['/api/v1/namespaces/default/configmaps/%2e%2e', 400],
    ['/api/v1/namespaces/default/configmaps/a%2Fb', 404],
    ['/api/v1/namespaces/..%2f..%2fsecrets/configmaps', 404],
    ['/api/v1//configmaps', 404],
    ['/api/v1/namespaces/default/configmaps/a%00b', 404],
    ['/api/v1/namespaces/%zz/configmaps', 400],
    ['/api/v1/namespaces/default/configmaps/%ff', 400],
    [`${configMaps}?continue=${startAtSecrets}&limit=1`, 400],
    ['//evil/api/v1', 404],
    ['/openapi/v3/../../etc/passwd', 404],
    ['/%2e%2e/%2e%2e/etc/passwd', 404],
    ['/api/v1/namespaces/default/configmaps/%252e%252e%252fsecrets', 400],
    ['/api/v1/namespaces/default/configmaps/..%5c..%5csecrets', 404],
    ['/api/v1/namespaces/default/configmaps/%c0%ae%c0%ae', 400],
    ['/api/v1/namespaces/default/configmaps/%u002e', 400],
    ['/openapi/v3/file:%2f%2f%2fetc%2fpasswd', 404],
  ])('path tricks: %s gives %i', async (path, status) => {
    expect((await send('GET', path)).status).toBe(status)
  })
})

describe('slow clients', () => {
  it('a watcher that never reads is cut off, and no writer waits for it', async () => {
    const api = plane.transport()
    const socket = await openSocket(listener.port)
    socket.pause()
    socket.write(httpRequest('GET', `${configMaps}?watch=1`, token))
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    socket.on('error', () => {})
    const data = { a: 'x'.repeat(512 * 1024) }
    await api({ method: 'POST', path: configMaps, body: { metadata: { name: 'slow' } } })
    for (let i = 0; i < 80; i++) {
      const { status } = await api({
        method: 'PATCH',
        path: `${configMaps}/slow`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { data: { ...data, i: String(i) } },
      })
      expect(status).toBe(200)
      await new Promise((resolve) => setImmediate(resolve))
    }
    socket.resume()
    await closed
  })

  it('the server survives 10,000 half-open connections', async () => {
    const sockets: Socket[] = []
    const closed: Promise<unknown>[] = []
    // Other tests of this process have left memory behind.
    const before = process.memoryUsage().rss
    while (sockets.length < 10_000) {
      const batch = Array.from({ length: 250 }, () => connect(listener.port, '127.0.0.1').on('error', () => {}))
      closed.push(...batch.map((socket) => once(socket, 'close')))
      await Promise.all(batch.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
      sockets.push(...batch)
    }
    const memory = process.memoryUsage().rss - before
    for (const socket of sockets) socket.destroy()
    await Promise.all(closed)
    expect(memory).toBeLessThan(512 * 1024 ** 2)
  })
})
