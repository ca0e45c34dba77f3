import { request } from 'node:http'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { HttpServer, parseBindAddress, type HttpServerOptions } from './http-server.ts'

let server: HttpServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

async function serve(options: Partial<HttpServerOptions>): Promise<string> {
  server = new HttpServer({ address: '127.0.0.1:0', routes: {}, ...options })
  await server.start()
  return server.url
}

function ask(
  url: string,
  {
    host,
    method = 'GET',
    body = '',
  }: { readonly host?: string; readonly method?: string; readonly body?: string } = {},
): Promise<{ status: number; text: string; type: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent: false, headers: host === undefined ? {} : { host } }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, type: response.headers['content-type'] }),
      )
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('the small server', () => {
  it("the manager's HTTP server serves paths, what is below a path, streams and failures", async () => {
    const url = await serve({
      routes: {
        '/a': ({ method, query, body }) => ({ status: 200, body: `${method} ${query.get('x')} ${body}` }),
        '/a/': ({ rest }) => ({ status: 200, body: rest }),
        '/s': () => ({ status: 200, body: Readable.from(['one', 'two']), contentType: 'application/json' }),
        '/f': () => {
          throw new Error('broken')
        },
        '/h': () => ({
          status: 200,
          body: new Readable({
            read() {
              this.destroy(new Error('half'))
            },
          }),
        }),
      },
    })
    expect((await ask(`${url}/a?x=1`, { method: 'PUT', body: 'text' })).text).toBe('PUT 1 text')
    expect((await ask(`${url}/a/b/c`)).text).toBe('b/c')
    expect(await ask(`${url}/s`)).toEqual({ status: 200, text: 'onetwo', type: 'application/json' })
    expect(await ask(`${url}/f`)).toMatchObject({ status: 500, text: 'broken\n' })
    expect(await ask(`${url}/nowhere`)).toMatchObject({ status: 404, text: 'nothing here; try /a, /a/, /s, /f, /h\n' })
    expect(await ask(`${url}//a`)).toMatchObject({ status: 404 })
    expect(await ask(`${url}/a`, { method: 'PUT', body: 'x'.repeat(70_000) })).toMatchObject({
      status: 500,
      text: 'the body is too large\n',
    })
    await expect(ask(`${url}/h`)).rejects.toThrow()
  })

  it('an HTTP server on loopback listens nowhere else, and responds to no other host name', async () => {
    for (const address of [':0', '0.0.0.0:0', '10.1.2.3:80', '[::]:0', 'example.dev:80', '127.evil.dev:80']) {
      expect(() => new HttpServer({ address, routes: {}, loopbackOnly: true })).toThrow(
        `"${address}" can be reached from elsewhere`,
      )
    }
    const url = await serve({ loopbackOnly: true, routes: { '/a': () => ({ status: 200, body: 'a' }) } })
    expect((await ask(`${url}/a`)).status).toBe(200)
    expect((await ask(`${url}/a`, { host: 'localhost:1234' })).status).toBe(200)
    expect((await ask(`${url}/a`, { host: 'evil.dev' })).status).toBe(403)
    expect((await ask(`${url}/a`, { host: '127.evil.dev:80' })).status).toBe(403)
  })

  it("the manager's HTTP server says which port is taken", async () => {
    const url = await serve({})
    const address = new URL(url).host
    const second = new HttpServer({ address, routes: {} })
    await expect(second.start()).rejects.toThrow(`cannot listen on ${address}: the port is in use`)
    await second.stop()
    expect(() => second.url).toThrow('is not listening')
  })

  it("the manager's HTTP server stops with requests in progress, and ends them", async () => {
    let begun: ((signal: AbortSignal) => void) | undefined
    const signalled = new Promise<AbortSignal>((resolve) => (begun = resolve))
    const url = await serve({
      routes: {
        '/slow': (asked) => {
          begun?.(asked.signal)
          return new Promise(() => undefined)
        },
      },
    })
    const asking = ask(`${url}/slow`)
    const failed = expect(asking).rejects.toThrow()
    const signal = await signalled
    await server?.stop()
    await failed
    expect(signal.aborted).toBe(true)
  })
})

describe('an address', () => {
  it.each([
    [':8080', undefined, 8080],
    ['127.0.0.1:0', '127.0.0.1', 0],
    ['[::1]:443', '::1', 443],
    ['localhost:1', 'localhost', 1],
  ])('a bind address: %s', (address, host, port) => expect(parseBindAddress(address)).toEqual({ host, port }))

  it.each(['8080', 'x', ':99999', '::1:80', ':', 'a:b', ':-1', ':8080x'])('a bind address is not %s', (address) =>
    expect(() => parseBindAddress(address)).toThrow('is no address'),
  )
})
