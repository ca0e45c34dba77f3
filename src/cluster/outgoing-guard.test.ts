/** Connections of reconciles in a simulation: refused without a declaration, and waited for with one. */
import childProcess, { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request, type Server, type ServerResponse } from 'node:http'
import { connect, Socket, type AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { external } from '../external/external.ts'
import { afterMicrotasks } from '../env/real.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { Embedded } from './embedded-handle.ts'
import { embedded } from './embedded.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import { UndeclaredConnectionError } from './outgoing-guard.ts'

const App = resource('example.dev/v1', 'App', { spec: t.object({}), status: t.object({ text: t.string().optional() }) })
const app = { apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: {} }
const key = { namespace: 'default', name: 'a' }

/** Answers when the test says so. */
let answer: (response: ServerResponse) => void
let server: Server
let url: string
beforeAll(async () => {
  server = createServer((_, response) => answer(response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/text`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

let cluster: Embedded | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
})

type Work = () => Promise<string>
const system = external<{ ask(): Promise<string> }>('teller', {
  connect: () => ({ ask: async () => (await fetch(url)).text() }),
  reads: ['ask'],
})

/** A controller that puts the text into the status, or, without `work`, what the external system tells. */
async function started(work: Work | undefined, options: EmbeddedOptions = {}): Promise<Embedded> {
  const apps = controller(App)
    .uses(system)
    .options({ reconcileTimeoutMs: 1000 })
    .reconcile(async ({ status, use }) => status.set({ text: await (work?.() ?? use(system).ask()) }))
  cluster = await embedded({ controllers: [apps], externals: [system], ...options })
  await cluster.apply(app)
  return cluster
}

const httpGet: Work = async () => {
  const [response] = (await once(request(url).end(), 'response')) as [AsyncIterable<Buffer>]
  let text = ''
  for await (const chunk of response) text += chunk.toString()
  return text
}
const fetched: Work = async () => (await fetch(url)).text()
const fetchBefore = fetch
const port = (): number => Number(new URL(url).port)

describe('an undeclared connection of a reconcile', () => {
  it.each<[string, Work, RegExp]>([
    ['fetch', fetched, /^the controller app calls fetch for 127\.0\.0\.1:\d+, which/],
    ['node:http', httpGet, /^the controller app sends a request to 127\.0\.0\.1:\d+, which/],
    ['node:net', () => Promise.resolve(String(connect(port()).pending)), /connects to localhost:\d+, which/],
    ['a child process', () => Promise.resolve(String(spawn('true').pid)), /starts a child process, which/],
    [
      'a synchronous child process',
      () => Promise.resolve(execFileSync('true').toString()),
      /starts a child process, which/,
    ],
  ])('an undeclared connection of a reconcile is refused: %s', async (_, work, message) => {
    const running = await started(work)
    const error = await running.settle().catch((failure: Error) => failure.cause)
    expect(error).toBeInstanceOf(UndeclaredConnectionError)
    expect((error as Error).message).toMatch(message)
    expect((error as Error).message).toContain('declare the system with external(…), and give tests a model of it')
  })

  it('an undeclared connection of a reconcile is refused on an open connection, too', async () => {
    answer = (response) => response.end('once')
    expect(await httpGet()).toBe('once')
    const error = await (await started(httpGet)).settle().catch((failure: Error) => failure.cause)
    expect(error).toBeInstanceOf(UndeclaredConnectionError)
  })

  it('an undeclared connection of the test itself is allowed', async () => {
    await started(() => Promise.resolve('nothing'))
    answer = (response) => response.end('to the test')
    expect(await fetched()).toBe('to the test')
  })

  it('an undeclared connection is what it was when the last cluster has stopped', async () => {
    const methodOf = (prototype: object, name: string): unknown =>
      Object.getOwnPropertyDescriptor(prototype, name)?.value
    const patched = () => [
      methodOf(Socket.prototype, 'connect'),
      methodOf(childProcess.ChildProcess.prototype, 'spawn'),
    ]
    const before = patched()
    const running = await started(() => Promise.resolve('nothing'))
    const other = await embedded()
    await running.stop()
    expect(fetch).not.toBe(fetchBefore)
    await other.stop()
    expect(fetch).toBe(fetchBefore)
    expect(patched()).toEqual(before)
  })
})

describe('simulated time', () => {
  /** Answers after more turns of the event loop than `settle` waits before it advances the clock. */
  const late = async (response: ServerResponse): Promise<void> => {
    for (let turn = 0; turn < 400; turn++) await afterMicrotasks()
    response.end('late')
  }

  it.each<[string, Work | undefined, EmbeddedOptions]>([
    ['a declared system', undefined, {}],
    ['fetch', fetched, { allowSockets: true }],
    ['node:http', httpGet, { allowSockets: true }],
  ])('simulated time stands still while a run waits for a real response: %s', async (_, work, options) => {
    answer = (response) => void late(response)
    const running = await started(work, options)
    const before = running.env.now()
    await running.settle()
    expect((await running.client.get(App, key)).status).toEqual({ text: 'late' })
    expect(running.env.now() - before).toBeLessThan(1000)
    expect(running.failing).toEqual([])
  })
})
