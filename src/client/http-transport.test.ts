/** The HTTP transport with servers that fail in every way: errors, retries, and leftovers. */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { createControlPlane } from '../controlplane/index.ts'
import { realEnv } from '../env/real.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { fixedCredentials } from './credentials.ts'
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts'
import { answer, reset, scriptedServer, type Script, type ScriptedServer } from './testdata/scripted-server.ts'
import { eventually } from './testdata/eventually.ts'
import { TransportError } from './transport.ts'

const env = realEnv()
const cleanup: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const each of cleanup.splice(0).toReversed()) await each()
})

async function serve(script: Script): Promise<ScriptedServer> {
  const server = await scriptedServer(script)
  cleanup.push(() => server.close())
  return server
}

function connect(server: string, options: Partial<HttpTransportOptions> = {}): HttpTransport {
  const transport = new HttpTransport({ env, server, ...options })
  cleanup.push(() => transport.close())
  return transport
}

/** The error of a call that must fail. */
async function failure(call: Promise<unknown>): Promise<TransportError> {
  const error = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(TransportError)
  return error as TransportError
}

const get = (path = '/'): { method: string; path: string } => ({ method: 'GET', path })

describe('connections', () => {
  // Known failure: client 8.
  it('a thousand calls, a hundred at a time, share the connections of the pool', async () => {
    const plane = createControlPlane({
      env,
      tokens: [{ token: 't', user: { name: 'a', uid: '', groups: ['system:masters'] } }],
    })
    cleanup.push(() => plane.close())
    const { url, caCert } = await plane.listen()
    const trust = { ca: caCert }
    const transport = connect(url, {
      maxSockets: 8,
      trust: () => Promise.resolve(trust),
      credentials: fixedCredentials({ authorization: 'Bearer t' }),
    })
    let most = 0
    const worker = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) {
        const { status } = await transport.request(get('/api/v1/namespaces/default'))
        expect(status).toBe(200)
        most = Math.max(most, transport.connectionCount)
      }
    }
    await Promise.all(Array.from({ length: 100 }, worker))
    expect(most).toBeLessThanOrEqual(8)
    expect(transport.connectionCount).toBeLessThanOrEqual(8)
  })

  it('calls one after the other use one connection', async () => {
    const server = await serve((response) => answer(response, 200, {}))
    const transport = connect(server.url)
    for (let i = 0; i < 20; i++) await transport.request(get())
    expect(server.accepted).toBe(1)
  })

  it('watches have connections of their own, so calls never wait for them', async () => {
    const server = await serve((response, { path }) => {
      if (path === '/watch') response.writeHead(200).flushHeaders()
      else answer(response, 200, {})
    })
    const transport = connect(server.url, { maxSockets: 2 })
    const watches = await Promise.all(
      Array.from({ length: 40 }, () => transport.request({ ...get('/watch'), stream: true })),
    )
    expect((await transport.request(get('/call'))).status).toBe(200)
    expect(server.open).toBe(41)
    await transport.close()
    for (const { events } of watches) expect(await failure(drain(events))).toMatchObject({ code: 'CLOSED' })
  })

  it('close ends what is on its way, leaves no connection, and later requests are refused', async () => {
    const server = await serve((response, { path }) => {
      if (path === '/done') answer(response, 200, {})
    })
    const transport = connect(server.url, { maxSockets: 1 })
    await transport.request(get('/done'))
    const [running, waiting] = [failure(transport.request(get('/hangs'))), failure(transport.request(get('/waits')))]
    await eventually(() => server.requests.length).toBe(2)
    await transport.close()
    expect(await running).toMatchObject({ code: 'CLOSED' })
    expect(await waiting).toMatchObject({ code: 'CLOSED', sent: false })
    expect(transport.connectionCount).toBe(0)
    await eventually(() => server.open).toBe(0)
    expect(await failure(transport.request(get()))).toMatchObject({ code: 'CLOSED', sent: false })
  })

  it('an abort ends a call at once, wherever it is', async () => {
    const server = await serve((response, { path }) => {
      if (path === '/half') response.writeHead(200, { 'content-length': '100' }).write('{')
    })
    const transport = connect(server.url, { maxSockets: 2 })
    for (const path of ['/silent', '/half']) {
      const stop = new AbortController()
      const before = server.requests.length
      const call = failure(transport.request({ ...get(path), signal: stop.signal }))
      await eventually(() => server.requests.length).toBe(before + 1)
      stop.abort()
      expect(await call).toMatchObject({ code: 'ABORTED', sent: true })
    }
    const stopped = AbortSignal.abort()
    expect(await failure(transport.request({ ...get(), signal: stopped }))).toMatchObject({
      code: 'ABORTED',
      sent: false,
    })
    await eventually(() => server.open).toBe(0)
  })

  it('a guard is asked when the connection is open, right before the request is sent', async () => {
    const server = await serve((response) => answer(response, 200, {}))
    const transport = connect(server.url)
    let mayWrite = true
    const guard = (): void => {
      if (!mayWrite) throw new Error('not the leader any more')
    }
    const write = { method: 'POST', path: '/', body: {}, guard }
    const call = transport.request(write)
    const failed = expect(call).rejects.toThrow('not the leader any more')
    // The connection is being opened, which needs the event loop.
    for (let i = 0; i < 100; i++) await Promise.resolve()
    expect(transport.connectionCount).toBe(1)
    mayWrite = false
    await failed
    await expect(transport.request(write)).rejects.toThrow('not the leader any more')
    mayWrite = true
    expect((await transport.request(write)).status).toBe(200)
    expect(server.requests).toHaveLength(1)
    expect(server.accepted).toBe(1)
  })
})

describe('connections that break', () => {
  it('a GET on a dead kept-alive connection is sent on another; a POST is not, it may have arrived', async () => {
    const server = await serve((response, { connection, path }, nth) => {
      if (nth > 0 && connection === 0 && path !== '/warm') reset(response)
      else answer(response, 200, { nth })
    })
    const transport = connect(server.url)
    await transport.request(get('/warm'))
    expect((await transport.request(get('/read'))).status).toBe(200)
    expect(server.accepted).toBe(2)
    expect(server.requests.map(({ path }) => path)).toEqual(['/warm', '/read', '/read'])

    const second = await serve((response, _, nth) => (nth === 0 ? answer(response, 200, {}) : reset(response)))
    const writer = connect(second.url)
    await writer.request(get('/warm'))
    expect(await failure(writer.request({ method: 'POST', path: '/write', body: { a: 1 } }))).toMatchObject({
      code: 'ECONNRESET',
      sent: true,
    })
    expect(second.requests.map(({ path }) => path)).toEqual(['/warm', '/write'])
  })

  it('GETs succeed after a restart of the server, when every pooled connection is dead', async () => {
    const held: ServerResponse[] = []
    const server = await serve((response, { connection, path }) => {
      if (path === '/again') {
        if (connection < 4) reset(response)
        else answer(response, 200, {})
        return
      }
      held.push(response)
      if (held.length === 4) for (const each of held) answer(each, 200, {})
    })
    const transport = connect(server.url, { maxSockets: 4 })
    await Promise.all(Array.from({ length: 4 }, () => transport.request(get('/warm'))))
    expect(server.accepted).toBe(4)
    const answers = await Promise.all(Array.from({ length: 4 }, () => transport.request(get('/again'))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('a reset before a response on a new connection is an error', async () => {
    const server = await serve((response) => reset(response))
    expect(await failure(connect(server.url).request(get()))).toMatchObject({ code: 'ECONNRESET', sent: true })
    expect(server.requests).toHaveLength(1)
  })

  it('a broken connection: a refused connection was surely not sent, and says what to look at', async () => {
    const server = await serve(() => {})
    await server.close()
    const error = await failure(connect(server.url).request({ method: 'POST', path: '/', body: {} }))
    expect(error).toMatchObject({ code: 'ECONNREFUSED', sent: false })
    expect(error.message).toContain(`no answer from 127.0.0.1:${server.port}: connection refused`)
  })

  it('a broken connection: a name that does not resolve was surely not sent', async () => {
    expect(await failure(connect('https://nowhere.invalid').request(get()))).toMatchObject({ sent: false })
  })

  it.each([
    [
      'cut within the body',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        response.write('{"a":', () => response.socket?.destroy())
      },
      'TRUNCATED',
    ],
    [
      'reset within the body',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        response.write('{"a":', () => reset(response))
      },
      'TRUNCATED',
    ],
    [
      'JSON that ends too early',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":')
      },
      'MALFORMED',
    ],
    [
      'not HTTP at all',
      (response) => {
        response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n')
      },
      'MALFORMED',
    ],
    [
      'an encoding that nobody asked for',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' }).end('{}')
      },
      'MALFORMED',
    ],
    [
      'gzip that is none',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('{}')
      },
      'MALFORMED',
    ],
  ] as [string, Script, string][])('a broken connection: %s', async (_name, script, code) => {
    const server = await serve(script)
    expect(await failure(connect(server.url).request(get()))).toMatchObject({ code, sent: true })
  })

  it('bytes that no request asked for are never taken for a response', async () => {
    const server = await serve((response, _, nth) => {
      answer(response, 200, { nth })
      if (nth === 0) response.socket?.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
    })
    const transport = connect(server.url)
    expect((await transport.request(get())).body).toEqual({ nth: 0 })
    await eventually(() => transport.connectionCount).toBe(0)
    expect((await transport.request(get())).body).toEqual({ nth: 1 })
    expect(server.accepted).toBe(2)
  })

  it('bytes that arrive one by one are one response', async () => {
    const text = JSON.stringify({ long: 'ä€😀'.repeat(20) })
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      void drip(response, Buffer.from(text))
    })
    expect((await connect(server.url).request(get())).body).toEqual(JSON.parse(text))
  })
})

describe('whatever a server does', () => {
  const ways: Record<string, Script> = {
    '/ok': (response) => answer(response, 200, 'ok'),
    '/refuses': (response) => answer(response, 503, {}),
    '/resets': (response) => reset(response),
    '/cuts': (response) =>
      void response.writeHead(200, { 'content-length': '9' }).write('{', () => response.socket?.destroy()),
    '/lies': (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    '/babbles': (response) => void response.socket?.end('what?'),
    '/closes': (response) => answer(response, 200, 'ok', { connection: 'close' }),
    '/hangs': () => {},
  }

  it('every call ends, no slot is lost, and nothing is left', async () => {
    const server = await serve((response, request, nth) =>
      ways[request.path.slice(0, request.path.indexOf('?'))]?.(response, request, nth),
    )
    const transport = connect(server.url, { maxSockets: 3 })
    const random = simulatedEnv({ seed: 7 })
    const paths = Array.from(
      { length: 300 },
      (_, i) => `${Object.keys(ways)[Math.floor(random.random() * 8)] ?? ''}?${i}`,
    )
    const outcomes = await Promise.all(
      paths.map(async (path, i) => {
        const stop = new AbortController()
        const call = transport.request({ method: i % 2 === 0 ? 'GET' : 'POST', path, signal: stop.signal })
        if (path.startsWith('/hangs')) {
          const isThere = (): boolean => server.requests.some((request) => request.path === path)
          void eventually(isThere)
            .toBe(true)
            .finally(() => stop.abort())
        }
        return call.then(
          ({ status }) => status,
          (error: unknown) => (error instanceof TransportError ? 'failed' : error),
        )
      }),
    )
    expect(new Set(outcomes)).toEqual(new Set([200, 503, 'failed']))
    for (let i = 0; i < 10; i++) expect((await transport.request(get('/ok?'))).status).toBe(200)
    expect(transport.connectionCount).toBeLessThanOrEqual(3)
    await transport.close()
    expect(transport.connectionCount).toBe(0)
    await eventually(() => server.open).toBe(0)
  })
})

async function drip(
  response: { write(chunk: Buffer, done: () => void): unknown; end(): unknown },
  bytes: Buffer,
): Promise<void> {
  for (const byte of bytes) await new Promise<void>((resolve) => void response.write(Buffer.of(byte), resolve))
  response.end()
}

async function drain(events: AsyncIterable<unknown> | undefined): Promise<void> {
  for await (const _ of events ?? []) continue
}

describe('answers', () => {
  it('the HTTP transport asks for gzip when the server is remote, and unpacks it', async () => {
    const body = { items: Array.from({ length: 1000 }, (_, i) => ({ i })) }
    const server = await serve((response, { request }) => {
      expect(request.headers['accept-encoding']).toBe('gzip')
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(JSON.stringify(body)))
    })
    expect((await connect(server.url, { compression: true }).request(get())).body).toEqual(body)
  })

  it('the HTTP transport does not ask for gzip on loopback, nor for a watch', async () => {
    const server = await serve((response) => answer(response, 200, {}))
    await connect(server.url).request(get())
    await connect(server.url, { compression: true }).request({ ...get(), stream: true })
    expect(server.requests.map(({ request }) => request.headers['accept-encoding'])).toEqual([undefined, undefined])
  })

  // Known failure: client 9.
  it('an answer larger than the limit is a typed error, packed or not, and is not read to its end', async () => {
    const text = JSON.stringify({ x: 'x'.repeat(200_000) })
    const server = await serve((response, { path }) => {
      const packed = path === '/packed'
      response.writeHead(200, { 'content-type': 'application/json', ...(packed ? { 'content-encoding': 'gzip' } : {}) })
      response.end(packed ? gzipSync(text) : text)
    })
    const transport = connect(server.url, { maxResponseBytes: 100_000 })
    for (const path of ['/plain', '/packed']) {
      const error = await failure(transport.request(get(path)))
      expect(error).toMatchObject({ code: 'TOO_LARGE', sent: true })
      expect(error.message).toContain('larger than 100000 bytes')
    }
    const one = await failure(transport.request({ ...get('/packed'), maxResponseBytes: 5000 }))
    expect(one.message).toContain('larger than 5000 bytes')
  })

  it('text is text, nothing is null, and a path of the server is kept', async () => {
    const server = await serve((response, { path }) => {
      if (path === '/prefix/empty') response.writeHead(204).end()
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
    })
    const transport = connect(`${server.url}/prefix/`)
    expect((await transport.request(get('/healthz'))).body).toBe('ok')
    expect((await transport.request(get('/empty'))).body).toBeNull()
    expect(server.requests[0]?.path).toBe('/prefix/healthz')
  })

  it('HEAD has headers only, and the connection is used again', async () => {
    const server = await serve((response, { path }) => answer(response, 200, 'a body', { 'content-length': '8', path }))
    const transport = connect(server.url)
    for (const path of ['/a', '/b']) {
      const { body, headers } = await transport.request({ method: 'HEAD', path })
      expect([body, headers['path'], headers['content-length']]).toEqual([null, path, '8'])
    }
    expect((await transport.request(get())).body).toBe('a body')
    expect(server.accepted).toBe(1)
  })

  it('the HTTP transport keeps warnings apart', async () => {
    const server = await serve((response) =>
      answer(response, 200, {}, { warning: ['299 - "one, two"', '299 - "three"'] }),
    )
    expect((await connect(server.url).request(get())).headers['warning']).toEqual(['299 - "one, two"', '299 - "three"'])
  })
})

describe('what is sent', () => {
  // Known failure: client 34.
  it('a header with several values is sent several times', async () => {
    const server = await serve((response) => answer(response, 200, {}))
    const transport = connect(server.url, { headers: { 'impersonate-user': 'u', 'impersonate-group': ['a', 'b'] } })
    await transport.request({ ...get(), headers: { 'user-agent': 'x' } })
    expect(server.requests[0]?.request.headersDistinct).toMatchObject({
      'impersonate-group': ['a', 'b'],
      'impersonate-user': ['u'],
    })
  })

  it('bodies carry their length in bytes', async () => {
    const server = await serve((response) => answer(response, 200, {}))
    await connect(server.url).request({ method: 'POST', path: '/', body: { text: 'ä€' } })
    expect(server.requests[0]?.body).toBe('{"text":"ä€"}')
    expect(server.requests[0]?.request.headers).toMatchObject({
      'content-length': '16',
      'content-type': 'application/json',
    })
  })

  it('a request without a body says so where one is expected', async () => {
    const server = await serve((response) => answer(response, 200, {}))
    const transport = connect(server.url)
    for (const method of ['GET', 'DELETE', 'POST', 'PUT', 'PATCH']) await transport.request({ method, path: '/' })
    expect(server.requests.map(({ request }) => request.headers['content-length'])).toEqual([
      undefined,
      undefined,
      '0',
      '0',
      '0',
    ])
    expect(await failure(transport.request({ method: 'GET / HTTP/1.1\r\nx:', path: '/' }))).toMatchObject({
      code: 'ERR_INVALID_HTTP_TOKEN',
      sent: false,
    })
  })

  // Known failure: client 33.
  it('plain HTTP is fine on this machine; elsewhere credentials are not sent over it', async () => {
    const server = await serve((response, { request }) => answer(response, 200, request.headers.authorization))
    const credentials = fixedCredentials({ authorization: 'Bearer t' })
    expect((await connect(server.url, { credentials }).request(get())).body).toBe('Bearer t')
    expect((await connect(server.url.replace('127.0.0.1', 'localhost'), { credentials }).request(get())).status).toBe(
      200,
    )
    const error = await failure(connect('http://api.example.com', { credentials }).request(get()))
    expect(error).toMatchObject({ code: 'INSECURE', sent: false })
    expect(error.message).toBe(
      'credentials are not sent to http://api.example.com over plain HTTP: use https, or a tunnel to this machine',
    )
  })

  it('what HTTP cannot carry is an error that does not show the secret', async () => {
    const server = await serve((response) => answer(response, 200, {}))
    const broken = connect(server.url, { credentials: fixedCredentials({ authorization: 'Bearer hunter2\nx' }) })
    const error = await failure(broken.request(get()))
    expect(error).toMatchObject({ code: 'ERR_INVALID_CHAR', sent: false })
    expect(error.message).not.toContain('hunter2')
    expect(await failure(connect(server.url).request(get('/a b')))).toMatchObject({
      code: 'ERR_UNESCAPED_CHARACTERS',
      sent: false,
    })
  })

  it('a server that is no URL is refused at once', () => {
    expect(() => connect('localhost:8080')).toThrow('"localhost:8080" is not a URL of the form https://host:port')
  })
})

describe('credentials', () => {
  it('a 401 renews the credentials, once', async () => {
    const server = await serve((response, { request }) => {
      const ok = request.headers.authorization === 'Bearer new'
      answer(response, ok ? 200 : 401, { kind: 'Status' })
    })
    let [token, asked] = ['old', 0]
    const given = new Map<string, { authorization: string }>()
    const credentials = {
      current: () => {
        asked++
        if (!given.has(token)) given.set(token, { authorization: `Bearer ${token}` })
        return Promise.resolve(given.get(token)!)
      },
      refused: () => {
        if (token === 'old') token = 'new'
        return true
      },
    }
    const transport = connect(server.url, { credentials })
    expect((await transport.request(get())).status).toBe(200)
    expect(asked).toBe(2)
    expect(server.requests).toHaveLength(2)
    token = 'wrong'
    expect((await transport.request(get())).status).toBe(401)
    expect(server.requests).toHaveLength(3)
    token = 'old'
    expect((await transport.request({ ...get(), stream: true })).events).toBeDefined()
  })
})
