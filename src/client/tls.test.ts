/** Trust, client certificates and proxies of the client, over real TLS sockets. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect as tcpConnect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createControlPlane } from '../controlplane/index.ts'
import { issueServerCertificate } from '../x509/certificate.ts'
import { realEnv } from '../env/real.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { trustIn } from './cluster-access.ts'
import type { ServerTrust } from './connection-pool.ts'
import { fixedCredentials } from './credentials.ts'
import { FileSource } from './file-source.ts'
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts'
import { answer, scriptedServer, type Script } from './testdata/scripted-server.ts'
import { eventually } from './testdata/eventually.ts'
import { TransportError } from './transport.ts'

const env = realEnv()
const cleanup: (() => unknown)[] = []
afterEach(async () => {
  for (const each of cleanup.splice(0).toReversed()) await each()
})

const get = { method: 'GET', path: '/' }

async function secureServer(hosts: string[], issuer = env, script: Script = (response) => answer(response, 200, 'ok')) {
  const certificate = issueServerCertificate({ env: issuer, hosts })
  const server = await scriptedServer(script, certificate)
  cleanup.push(() => server.close())
  return { ...server, server, ca: certificate.caCert, certificate }
}

function connect(server: string, trust: ServerTrust, options: Partial<HttpTransportOptions> = {}): HttpTransport {
  const transport = new HttpTransport({ env, server, trust: () => Promise.resolve(trust), ...options })
  cleanup.push(() => transport.close())
  return transport
}

async function failure(call: Promise<unknown>): Promise<TransportError> {
  const error = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(TransportError)
  return error as TransportError
}

// Known failure: client 32.
describe('TLS', () => {
  it('TLS trusts the CA that signed the certificate and no other, and the error says what to do', async () => {
    const { url, ca } = await secureServer(['127.0.0.1'])
    expect((await connect(url, { ca }).request(get)).body).toBe('ok')
    const other = issueServerCertificate({ env, hosts: ['x'] }).caCert
    for (const trust of [{ ca: other }, {}]) {
      const error = await failure(connect(url, trust).request(get))
      expect(error.sent).toBe(false)
      expect(error.message).toMatch(/its certificate is not trusted .*certificate-authority must name/)
    }
    expect((await connect(url, { ca: other + ca }).request(get)).status).toBe(200)
  })

  it('skipping the check trusts anybody', async () => {
    const { url } = await secureServer(['elsewhere.example.com'])
    expect((await connect(url, { insecureSkipVerify: true }).request(get)).status).toBe(200)
  })

  it('the name must fit; tls-server-name is the name to fit, be it a name or an address', async () => {
    const named = await secureServer(['api.example.com'])
    const error = await failure(connect(named.url, { ca: named.ca }).request(get))
    expect(error).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID', sent: false })
    expect(error.message).toContain('set tls-server-name')
    expect((await connect(named.url, { ca: named.ca, serverName: 'api.example.com' }).request(get)).status).toBe(200)
    expect(await failure(connect(named.url, { ca: named.ca, serverName: 'b.example.com' }).request(get))).toMatchObject(
      { sent: false },
    )
    const numbered = await secureServer(['10.1.2.3'])
    expect((await connect(numbered.url, { ca: numbered.ca, serverName: '10.1.2.3' }).request(get)).status).toBe(200)
  })

  it('an expired certificate is reported as such', async () => {
    const { url, ca } = await secureServer(['127.0.0.1'], simulatedEnv({ start: Date.parse('2020-01-01T00:00:00Z') }))
    expect((await failure(connect(url, { ca }).request(get))).message).toContain('has expired')
  })

  it('a client certificate logs in', async () => {
    const plane = createControlPlane({ env, authorization: 'RBAC' })
    cleanup.push(() => plane.close())
    const listener = await plane.listen()
    const certificate = listener.issueClientCertificate('alice', ['dev', 'ops'])
    const transport = connect(listener.url, { ca: listener.caCert }, { credentials: fixedCredentials({ certificate }) })
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const { body } = await transport.request({
      method: 'POST',
      path,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    })
    expect(body).toMatchObject({
      status: { userInfo: { username: 'alice', groups: ['dev', 'ops', 'system:authenticated'] } },
    })
  })

  // Known failure: client 34.
  it('several impersonated groups arrive', async () => {
    const plane = createControlPlane({
      env,
      tokens: [{ token: 't', user: { name: 'root', uid: '', groups: ['system:masters'] } }],
    })
    cleanup.push(() => plane.close())
    const listener = await plane.listen()
    const transport = connect(
      listener.url,
      { ca: listener.caCert },
      {
        credentials: fixedCredentials({ authorization: 'Bearer t' }),
        headers: {
          'impersonate-user': 'bob',
          'impersonate-group': ['one', 'two'],
          'impersonate-extra-scopes': ['a', 'b'],
        },
      },
    )
    const { body } = await transport.request({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    })
    expect(body).toMatchObject({
      status: {
        userInfo: { username: 'bob', groups: ['one', 'two', 'system:authenticated'], extra: { scopes: ['a', 'b'] } },
      },
    })
  })

  it('an authority file that is replaced is taken up, with new connections', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coxswain-tls-'))
    cleanup.push(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'ca.crt')
    const [first, second] = [await secureServer(['127.0.0.1']), await secureServer(['127.0.0.1'])]
    writeFileSync(file, first.ca)
    const clock = simulatedEnv()
    const trust = trustIn(new FileSource(clock, file), {}, 'cluster "c"')
    const [one, two] = [connect(first.url, {}, { trust }), connect(second.url, {}, { trust })]
    expect((await one.request(get)).status).toBe(200)
    expect((await failure(two.request(get))).sent).toBe(false)
    writeFileSync(file, second.ca)
    expect((await failure(two.request(get))).sent).toBe(false)
    clock.advance(60_000)
    expect((await two.request(get)).status).toBe(200)
    expect((await failure(one.request(get))).message).toContain('not trusted')
    await eventually(() => one.connectionCount).toBe(0)
  })

  it('a certificate that changes gives new connections; the old ones go once they are idle', async () => {
    let finish = (): void => {}
    const { url, ca, server } = await secureServer(['127.0.0.1'], env, (response, { path }) => {
      if (path === '/long') finish = () => answer(response, 200, 'long')
      else answer(response, 200, 'ok')
    })
    const plane = createControlPlane({ env })
    cleanup.push(() => plane.close())
    const { issueClientCertificate } = await plane.listen()
    let credential = { certificate: issueClientCertificate('a', []) }
    const transport = connect(
      url,
      { ca },
      { credentials: { current: () => Promise.resolve(credential), refused: () => false } },
    )
    await transport.request(get)
    await transport.request(get)
    expect(server.accepted).toBe(1)
    const long = transport.request({ ...get, path: '/long' })
    await eventually(() => server.requests.length).toBe(3)
    credential = { certificate: issueClientCertificate('b', []) }
    await transport.request(get)
    expect(server.accepted).toBe(2)
    expect(server.open).toBe(2)
    finish()
    expect((await long).body).toBe('long')
    await eventually(() => server.open).toBe(1)
  })

  it('a certificate that cannot be read is a clear error', async () => {
    const { url } = await secureServer(['127.0.0.1'])
    const error = await failure(
      connect(url, {}, { credentials: fixedCredentials({ certificate: { cert: 'no', key: 'no' } }) }).request(get),
    )
    expect(error).toMatchObject({ code: 'CREDENTIALS', sent: false })
    expect(error.message).toContain(`the certificates for ${url} cannot be used`)
  })
})

interface Proxy {
  readonly url: string
  readonly connects: { target: string; authorization: string | undefined }[]
}

/** A proxy with CONNECT. `to` returns the port for each target; undefined rejects it. */
async function proxy(to: (target: string) => number | undefined): Promise<Proxy> {
  const connects: Proxy['connects'] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((_, response) => void response.writeHead(400).end())
  server.on('connect', (request, client: Socket) => {
    const target = request.url ?? ''
    connects.push({ target, authorization: request.headers['proxy-authorization'] })
    const port = to(target)
    if (port === undefined) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
      return
    }
    const upstream = tcpConnect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    for (const socket of [upstream, client]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => [upstream, client].forEach((each) => each.destroy()))
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  cleanup.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const socket of sockets) socket.destroy()
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connects }
}

// Known failure: client 31.
describe('proxies', () => {
  it('connections go through it by CONNECT, with its password, and are kept', async () => {
    const { server, ca, port } = await secureServer(['api.example.com'])
    const { url, connects } = await proxy(() => port)
    const through = new URL(url)
    through.username = 'me'
    through.password = 'p@ss'
    const transport = connect('https://api.example.com:6443', { ca }, { proxy: through, maxSockets: 3 })
    const answers = await Promise.all(Array.from({ length: 30 }, () => transport.request(get)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(connects.length).toBeLessThanOrEqual(3)
    expect(connects[0]).toEqual({
      target: 'api.example.com:6443',
      authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
    })
    expect(server.requests[0]?.request.headers.host).toBe('api.example.com:6443')
    await transport.close()
    expect(transport.connectionCount).toBe(0)
    await eventually(() => server.open).toBe(0)
  })

  it('watches and plain HTTP go through a proxy, too', async () => {
    const plain = await scriptedServer((response) => answer(response, 200, 'plain'))
    cleanup.push(() => plain.close())
    const { url, connects } = await proxy(() => plain.port)
    const transport = connect('http://api.example.com', {}, { proxy: new URL(url) })
    expect((await transport.request(get)).body).toBe('plain')
    expect((await transport.request({ ...get, stream: true })).events).toBeDefined()
    expect(connects.map(({ target }) => target)).toEqual(['api.example.com:80', 'api.example.com:80'])
  })

  it('failures between proxy and server are reported: refused, not trusted, not there', async () => {
    const { ca, port } = await secureServer(['api.example.com'])
    const refusing = await proxy(() => undefined)
    const refused = await failure(
      connect('https://api.example.com', { ca }, { proxy: new URL(refusing.url) }).request(get),
    )
    expect(refused).toMatchObject({ code: 'PROXY', sent: false })
    expect(refused.message).toContain(
      'did not connect to api.example.com:443: it answered 407 Proxy Authentication Required',
    )
    const { url } = await proxy(() => port)
    const wrong = await failure(connect('https://other.example.com', { ca }, { proxy: new URL(url) }).request(get))
    expect(wrong).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID', sent: false })
    const gone = await failure(
      connect('https://api.example.com', { ca }, { proxy: new URL('http://127.0.0.1:1') }).request(get),
    )
    expect(gone).toMatchObject({ code: 'PROXY', sent: false })
  })

  it('an abort while the tunnel is being made leaves nothing', async () => {
    const { ca } = await secureServer(['api.example.com'])
    const sockets = new Set<Socket>()
    const silent = createTcpServer((socket) => {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => sockets.delete(socket))
        .resume()
    })
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve)
    })
    cleanup.push(() => silent.close())
    const stop = new AbortController()
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const transport = connect('https://api.example.com', { ca }, { proxy: new URL(address) })
    const call = failure(transport.request({ ...get, signal: stop.signal }))
    await eventually(() => sockets.size).toBe(1)
    stop.abort()
    expect(await call).toMatchObject({ code: 'ABORTED', sent: false })
    await transport.close()
    expect(transport.connectionCount).toBe(0)
    await eventually(() => sockets.size).toBe(0)
  })
})
