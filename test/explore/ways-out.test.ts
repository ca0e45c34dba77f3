/** Every way out of a reconcile is refused in a simulation, wherever in its code it begins. The test's own are open. */
import childProcess, { exec, execFile, fork } from 'node:child_process'
import { createSocket } from 'node:dgram'
import dns, { lookup } from 'node:dns'
import { resolve4 } from 'node:dns/promises'
import { EventEmitter, once } from 'node:events'
import http, { createServer, type Server } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import tls from 'node:tls'
import { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { controller, resource, t, type Reconcile, type Infer } from 'coxswain'
import { embedded, UndeclaredConnectionError, type Embedded } from 'coxswain/testing'

const App = resource('example.dev/v1', 'App', { spec: t.object({}) })
type App = Infer<typeof App>
const app = { apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: {} }

/** Counts what arrives. */
let arrived = 0
let server: Server
let port = 0
beforeAll(async () => {
  server = createServer((_, response) => response.end('hello'))
  server.on('connection', () => arrived++).on('request', () => arrived++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

let cluster: Embedded | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
  arrived = 0
})

/** What the reconcile was refused with, if it was. */
async function refusal(run: Reconcile<App>, cleanup?: Reconcile<App>): Promise<unknown> {
  const building = controller(App)
  const apps = (cleanup === undefined ? building : building.finalizer('example.dev/app', cleanup)).reconcile(run)
  cluster = await embedded({ controllers: [apps] })
  await cluster.apply(app)
  return cluster.settle().then(
    () => undefined,
    (error: Error) => error.cause,
  )
}

/** The error that it emits. */
const failed = async (emitter: EventEmitter): Promise<never> => {
  const [error] = (await once(emitter, 'error')) as [Error]
  throw error
}
const keptFetch = fetch
const { Agent } = http
const url = (): string => `http://127.0.0.1:${port}/`

const globalOf = (name: string): (() => void) => Reflect.get(globalThis, name) as () => void
/** Those that this version of Node has. */
const streams = ['WebSocket', 'EventSource'].filter((name) => name in globalThis)

const ways: Readonly<Record<string, () => unknown>> = {
  fetch: () => fetch(url()),
  'fetch that was kept in a variable': () => keptFetch(url()),
  'http.request': () => failed(http.request(url()).end()),
  'http.get with an agent': () => failed(http.get(url(), { agent: new Agent({ keepAlive: true }) })),
  'https.request': () => failed(https.request({ host: '127.0.0.1', port }).end()),
  'http2.connect': () => failed(http2.connect(url())),
  'net.connect': () => net.connect(port),
  'a path of a socket': () => net.connect('/tmp/none.sock'),
  'new Socket().connect': () => new net.Socket().connect(port, '127.0.0.1'),
  'tls.connect': () => tls.connect({ host: '127.0.0.1', port }),
  'a server of its own': () => net.createServer().listen(0),
  'dgram send': () => createSocket('udp4').send('hello', port, '127.0.0.1'),
  'dgram bind': () => createSocket('udp4').bind(0),
  'dns.lookup': () => lookup('localhost', () => undefined),
  'dns.promises.lookup': () => dns.promises.lookup('localhost'),
  'dns.resolve4': () => resolve4('localhost'),
  'a Resolver': () => new dns.promises.Resolver().resolve4('localhost'),
  'child_process.spawn': () => childProcess.spawn('true'),
  'child_process.exec': () => exec('true'),
  'child_process.execFile': () => execFile('true'),
  'child_process.fork': () => fork('none.js'),
  'child_process.spawnSync': () => childProcess.spawnSync('true'),
  'child_process.execSync': () => childProcess.execSync('true'),
  Worker: () => new Worker('1', { eval: true }),
  ...Object.fromEntries(streams.map((name) => [name, () => Reflect.construct(globalOf(name), [url()]) as unknown])),
}

/** The innermost cause: fetch and others wrap what they failed with. */
const rootOf = (error: unknown): unknown => {
  const { cause } = (error ?? {}) as { readonly cause?: unknown }
  return cause === undefined ? error : rootOf(cause)
}

describe('a way out of a reconcile', () => {
  it.each(Object.entries(ways))('a way out of a reconcile is refused: %s', async (_, way) => {
    expect(rootOf(await refusal(async () => void (await way())))).toBeInstanceOf(UndeclaredConnectionError)
    expect(arrived).toBe(0)
  })

  const later: Readonly<Record<string, (open: () => void) => unknown>> = {
    'an await': async (open) => {
      await Promise.resolve()
      open()
    },
    'an await of an API call': async (open) => {
      await cluster?.client.get(App, { namespace: 'default', name: 'a' })
      open()
    },
    'an awaited timer': (open) => new Promise((resolve) => setTimeout(resolve)).then(open),
    'an immediate': (open) => new Promise((resolve) => setImmediate(resolve)).then(open),
    'a microtask': (open) => new Promise<void>((resolve) => queueMicrotask(resolve)).then(open),
    'an event': (open) => {
      const events = new EventEmitter()
      events.on('open', open)
      events.emit('open')
    },
  }

  it.each(Object.entries(later))('a way out of a reconcile is refused after %s', async (_, wait) => {
    const run: Reconcile<App> = async () => void (await wait(() => net.connect(port)))
    expect(await refusal(run)).toBeInstanceOf(UndeclaredConnectionError)
  })

  it('a way out of a reconcile is refused in a timer that it has set, when it has ended', async () => {
    let refused: unknown
    let fired: () => void
    const done = new Promise<void>((resolve) => (fired = resolve))
    const open = (): void => {
      try {
        net.connect(port).destroy()
      } catch (error) {
        refused = error
      }
      fired()
    }
    expect(await refusal(() => void setTimeout(open))).toBeUndefined()
    await done
    expect(refused).toBeInstanceOf(UndeclaredConnectionError)
  })

  it('a way out of a reconcile is refused in a finalizer', async () => {
    const apps = refusal(
      () => undefined,
      async () => void (await fetch(url())),
    )
    expect(await apps).toBeUndefined()
    await cluster?.client.delete(App, { namespace: 'default', name: 'a' })
    const error = await cluster?.settle().catch((failure: Error) => failure.cause)
    expect(error).toBeInstanceOf(UndeclaredConnectionError)
  })

  it('a way out of the test itself is open', async () => {
    expect(await refusal(() => undefined)).toBeUndefined()
    expect(await (await fetch(url())).text()).toBe('hello')
    expect(await (await keptFetch(url())).text()).toBe('hello')
    expect(await dns.promises.lookup('127.0.0.1')).toMatchObject({ address: '127.0.0.1' })
    expect(childProcess.spawnSync(process.execPath, ['-p', '1']).stdout.toString()).toBe('1\n')
    const worker = new Worker('', { eval: true })
    await once(worker, 'exit')
    const socket = createSocket('udp4')
    await once(socket.bind(0), 'listening')
    socket.close()
  })

  it('a way out of a reconcile on a connection that the test has opened is refused', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const [response] = (await once(http.get(url(), { agent }), 'response')) as [http.IncomingMessage]
    await once(response.resume(), 'end')
    await (await keptFetch(url())).text()
    arrived = 0
    const error = await refusal(() => failed(http.get(url(), { agent })))
    expect([rootOf(error), arrived]).toEqual([expect.any(UndeclaredConnectionError), 0])
    await cluster?.stop()
    expect(rootOf(await refusal(async () => void (await keptFetch(url()))))).toBeInstanceOf(UndeclaredConnectionError)
    expect(arrived).toBe(0)
    agent.destroy()
  })
})
