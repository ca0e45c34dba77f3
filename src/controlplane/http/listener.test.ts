/** The behaviour of the listener on the wire, beyond the bodies that conformance tests compare. */
import type { X509Certificate } from 'node:crypto'
import { Agent, request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { connect } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane, type PlaneListener } from '../index.ts'
import { startListener, type Listener } from './listener.ts'

const env = simulatedEnv({ seed: 3 })
const plane = createControlPlane({
  env,
  tokens: [{ token: 't', user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
})
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const configMaps = '/api/v1/namespaces/default/configmaps'
let listener: PlaneListener

beforeAll(async () => {
  listener = await plane.listen({ tls: false })
})

afterAll(async () => {
  agent.destroy()
  await plane.close()
})

interface Answer {
  readonly response: IncomingMessage
  readonly body: Buffer
}

function open(
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body = '',
  over: Agent | false = agent,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(listener.url + path, { method, agent: over, headers: { authorization: 'Bearer t', ...headers } }, resolve)
      .on('error', reject)
      .end(body)
  })
}

async function send(method: string, path: string, headers: OutgoingHttpHeaders = {}, body = ''): Promise<Answer> {
  const response = await open(method, path, headers, body)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { response, body: Buffer.concat(chunks) }
}

describe('listener', () => {
  it('the listener keeps connections alive', async () => {
    const ports = new Set<number | undefined>()
    for (let i = 0; i < 5; i++) {
      const response = await open('GET', '/readyz')
      ports.add(response.socket.localPort)
      await new Promise((resolve) => response.on('end', resolve).resume())
    }
    expect(ports.size).toBe(1)
  })

  it('the listener reads and writes YAML', async () => {
    const made = await send(
      'POST',
      configMaps,
      { 'content-type': 'application/yaml' },
      'metadata: {name: yaml}\ndata: {a: "1"}\n',
    )
    expect(made.response.statusCode).toBe(201)
    const { response, body } = await send('GET', `${configMaps}/yaml`, { accept: 'application/yaml' })
    expect(response.headers['content-type']).toBe('application/yaml')
    expect(parse(body.toString())).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } })
    const list = await send('GET', configMaps, { accept: 'application/yaml' })
    expect(parse(list.body.toString())).toMatchObject({
      kind: 'ConfigMapList',
      items: [{ metadata: { name: 'yaml' } }],
    })
    expect((await send('GET', `${configMaps}/missing`, { accept: 'application/yaml' })).response.statusCode).toBe(404)
  })

  it('the listener compresses large bodies for those who ask', async () => {
    for (let i = 0; i < 4; i++) {
      await send(
        'POST',
        configMaps,
        {},
        JSON.stringify({ metadata: { name: `big-${i}` }, data: { a: 'x'.repeat(50_000) } }),
      )
    }
    const plain = await send('GET', configMaps)
    expect(plain.response.headers['content-encoding']).toBeUndefined()
    expect(Number(plain.response.headers['content-length'])).toBe(plain.body.length)
    const packed = await send('GET', configMaps, { 'accept-encoding': 'gzip' })
    expect(packed.response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(packed.body.length).toBeLessThan(plain.body.length / 10)
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true)
    const small = await send('GET', `${configMaps}/yaml`, { 'accept-encoding': 'gzip' })
    expect(small.response.headers['content-encoding']).toBeUndefined()
  })

  it('the listener indents for people only', async () => {
    expect((await send('GET', '/version', { 'user-agent': 'kubectl/v1' })).body.toString()).toContain('"major"')
    expect((await send('GET', `${configMaps}/yaml`, { 'user-agent': 'curl/8' })).body.toString()).toMatch(
      /^{\n {2}"kind"/,
    )
    expect((await send('GET', `${configMaps}/yaml?pretty=true`)).body.toString()).toMatch(/^{\n/)
    expect((await send('GET', `${configMaps}/yaml?pretty=false`, { 'user-agent': 'curl/8' })).body.toString()).toMatch(
      /^{"kind"/,
    )
  })

  it('the listener sends each warning as a header of its own', async () => {
    const { response } = await send('POST', `${configMaps}?dryRun=All`, {}, '{"metadata":{"name":"w","x":1},"y":2}')
    expect(response.rawHeaders.filter((text) => text.startsWith('299 -'))).toEqual([
      '299 - "unknown field \\"metadata.x\\""',
      '299 - "unknown field \\"y\\""',
    ])
  })

  it('the listener streams a watch in chunks and ends it on timeoutSeconds', async () => {
    const response = await open(
      'GET',
      `${configMaps}?watch=1&timeoutSeconds=5&fieldSelector=metadata.name%3Dlive`,
      {},
      '',
      false,
    )
    expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
    await send('POST', configMaps, {}, '{"metadata":{"name":"live"}}')
    await send('DELETE', `${configMaps}/live`)
    env.advance(4999)
    expect(response.complete).toBe(false)
    env.advance(1)
    let text = ''
    for await (const chunk of response) text += String(chunk)
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toEqual(['ADDED', 'DELETED'])
  })

  it('the listener gives every watcher the same text', async () => {
    const watchers = await Promise.all(
      [1, 2, 3].map(() => open('GET', `${configMaps}?watch=1&timeoutSeconds=5&labelSelector=w`, {}, '', false)),
    )
    await send('POST', configMaps, {}, '{"metadata":{"name":"fan","labels":{"w":"1"}}}')
    env.advance(5000)
    const texts = await Promise.all(
      watchers.map(async (watcher) => {
        let text = ''
        for await (const chunk of watcher) text += String(chunk)
        return text
      }),
    )
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toContain('"type":"ADDED"')
  })

  it('the listener forgets a watcher that went away', async () => {
    const response = await open('GET', `${configMaps}?watch=1&resourceVersion=1`, {}, '', false)
    const closed = new Promise((resolve) => response.on('close', resolve))
    response.destroy()
    await closed
    expect((await send('POST', configMaps, {}, '{"metadata":{"name":"after"}}')).response.statusCode).toBe(201)
  })

  it('the listener speaks TLS with an authority of its own', async () => {
    const secure = await plane.listen()
    expect(secure.url).toMatch(/^https:/)
    expect(secure.caCert).toContain('BEGIN CERTIFICATE')
    const certificate = await new Promise<X509Certificate | undefined>((resolve, reject) => {
      const socket = connect({ port: secure.port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate())
        socket.destroy()
      }).on('error', reject)
    })
    // Java rejects a certificate without a subject, and looks for addresses only in the subjectAltName.
    expect(certificate?.subject).toMatch(/^CN=coxswain@\d+$/)
    expect(certificate?.subjectAltName?.split(', ')).toEqual([
      'DNS:localhost',
      'DNS:kubernetes',
      'DNS:kubernetes.default',
      'DNS:kubernetes.default.svc',
      'DNS:kubernetes.default.svc.cluster.local',
      'IP Address:127.0.0.1',
      'IP Address:0:0:0:0:0:0:0:1',
      'IP Address:10.0.0.1',
    ])
    await secure.close()
  })

  it('the listener takes methods that Node does not know for what they are', async () => {
    const refused = await send('BREW', `${configMaps}/a`, { 'content-type': 'application/json' }, '{"a":1}')
    expect([refused.response.statusCode, refused.response.headers['connection']]).toEqual([405, 'close'])
    expect(JSON.parse(refused.body.toString())).toMatchObject({ kind: 'Status', reason: 'MethodNotAllowed' })
    const served = await send('BREW', '/livez')
    expect([served.response.statusCode, served.body.toString()]).toEqual([200, 'ok'])
    const unknown = await send('BREW', '/livez', { authorization: 'Bearer wrong' })
    expect(unknown.response.statusCode).toBe(401)
    expect((await send('GET', '/livez')).response.statusCode).toBe(200)
  })
})

describe('an answer that cannot be written', () => {
  it('an answer that cannot be written ends its own connection and no other', async () => {
    const broken: Listener = await startListener(
      {
        handle: ({ path }) =>
          path === '/broken'
            ? { type: 'object', status: 200, body: 1n as never }
            : { type: 'text', status: 200, contentType: 'text/plain', body: 'ok' },
        authenticate: () => ({ name: '', uid: '', groups: [] }),
      },
      {},
    )
    const get = (path: string) =>
      new Promise<number | undefined>((resolve) => {
        request(broken.url + path, { agent: false }, (response) => resolve(response.resume().statusCode))
          .on('error', () => resolve(undefined))
          .end()
      })
    expect(await Promise.all([get('/fine'), get('/broken'), get('/fine')])).toEqual([200, undefined, 200])
    await broken.close()
  })
})
