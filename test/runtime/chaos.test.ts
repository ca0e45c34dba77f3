/**
 * A manager with a controller on the embedded control plane, over real sockets, through a proxy with network faults,
 * while a user changes objects. Afterwards the cache must equal the server, no handler may have seen an impossible
 * transition, relists must be few, the controller must have done its work, and all connections must be closed.
 */
import { afterEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../src/api/live-object.ts'
import type { Informer } from '../../src/cache/cache.ts'
import type { Client } from '../../src/client/client.ts'
import { fixedCredentials } from '../../src/client/credentials.ts'
import { HttpTransport } from '../../src/client/http-transport.ts'
import { inProcessTransport } from '../../src/client/in-process-transport.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import type { Transport } from '../../src/client/transport.ts'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import { MemoryStore } from '../../src/controlplane/storage/memory-store.ts'
import { realEnv } from '../../src/env/real.ts'
import { Manager } from '../../src/manager/manager.ts'
import { ConfigMap, CustomResourceDefinition } from '../../src/schema/builtin/kinds.ts'
import { kindName, type Kind } from '../../src/schema/kind.ts'
import { fastEnv } from './fast-env.ts'
import { expiredWatch, FaultProxy, statusResponse } from './fault-proxy.ts'
import { Greeting, greetings } from './testdata/greeting.ts'
import { describe as describeObject, Transitions } from './transitions.ts'

/** Time runs faster: minutes of backoff and silence take seconds. */
const env = fastEnv(40)
const serverEnv = fastEnv(40)
/** The timeout of a wait, in milliseconds. */
const patience = 20_000
const kinds: readonly Kind[] = [Greeting, ConfigMap]

interface Server {
  readonly plane: ControlPlane
  readonly client: Client
  readonly port: number
  /** The names of the existing greetings. */
  readonly names: string[]
  /** Closes its port and keeps its store. */
  close(): Promise<void>
}

async function listenWith(plane: ControlPlane, names: string[] = []): Promise<Server> {
  const listener = await plane.listen({ tls: false })
  return {
    plane,
    names,
    port: listener.port,
    close: () => listener.close(),
    client: new RestClient({ env: serverEnv, transport: inProcessTransport(plane.transport()), fieldManager: 'user' }),
  }
}

async function newServer(initialRevision = 1): Promise<Server> {
  const store = new MemoryStore({ env: serverEnv, initialRevision, compactAfterMs: 0 })
  const tokens = [{ token: 'secret', user: { name: 'admin', uid: 'admin', groups: ['system:masters'] } }]
  const server = await listenWith(createControlPlane({ env: serverEnv, store, tokens }))
  await server.client.create(CustomResourceDefinition, Greeting.crd)
  return server
}

class Rig {
  server: Server
  readonly proxy: FaultProxy
  readonly manager: Manager
  readonly transport: HttpTransport
  readonly transitions = new Map<Kind, Transitions>()
  readonly #stop = new AbortController()
  #ended: Promise<void> | undefined
  #count = 0

  private constructor(server: Server, proxy: FaultProxy, url: string) {
    this.server = server
    this.proxy = proxy
    this.transport = new HttpTransport({
      env,
      server: url,
      credentials: fixedCredentials({ authorization: 'Bearer secret' }),
    })
    // Shortens the idle timeout of watches: a server sends bookmarks every minute.
    const impatient: Transport = {
      host: this.transport.host,
      request: (request) =>
        this.transport.request(request.stream === true ? { ...request, idleTimeoutMs: 80_000 } : request),
      close: () => this.transport.close(),
    }
    this.manager = new Manager({
      env,
      transport: impatient,
      controllers: [greetings('chaos')],
      cache: { pageSize: 5 },
      cacheSyncTimeoutMs: 3_600_000,
      gracePeriodMs: 3_600_000,
    })
    for (const kind of kinds) {
      const seen = new Transitions()
      this.transitions.set(kind, seen)
      this.informer(kind).addHandler(seen)
    }
  }

  static async start(): Promise<Rig> {
    const server = await newServer()
    const proxy = new FaultProxy(server.port)
    const rig = new Rig(server, proxy, await proxy.start())
    for (let i = 0; i < 20; i++) await rig.change()
    rig.#ended = rig.manager.run(rig.#stop.signal)
    await rig.manager.whenWorking()
    await rig.settled()
    return rig
  }

  informer(kind: Kind): Informer<ApiObject> {
    return this.manager.cache.informer(kind)
  }

  /** Creates, changes and deletes objects in turn, as a user. Names are not reused: there is no garbage collector. */
  async change(): Promise<void> {
    const { client, names } = this.server
    const turn = this.#count++
    const name = turn % 5 < 2 || names.length < 3 ? `greeting-${turn}` : (names[turn % names.length] as string)
    const key = { namespace: 'default', name }
    if (turn % 5 === 4 && names.includes(name)) {
      names.splice(names.indexOf(name), 1)
      await client.delete(Greeting, key)
    } else {
      if (!names.includes(name)) names.push(name)
      await client.apply(Greeting, { metadata: key, spec: { text: `text ${turn}` } }, { force: true })
    }
  }

  /** Waits until the cache is up to date with the server, and the controller with the cache. */
  async settled(): Promise<void> {
    const name = `last-${this.#count++}`
    await this.server.client.create(Greeting, { metadata: { namespace: 'default', name }, spec: { text: name } })
    const startedAt = realEnv().now()
    for (let open = await this.#open(); open.length > 0; open = await this.#open()) {
      if (realEnv().now() - startedAt > patience) throw new Error(`not settled: ${open.slice(0, 5).join(', ')}`)
      await turn()
    }
  }

  /** What is not up to date yet. */
  async #open(): Promise<string[]> {
    const maps = new Map(
      this.manager.cache
        .informer(ConfigMap)
        .lister.list()
        .map((map) => [map.metadata.name, map]),
    )
    const undone = this.manager.cache
      .informer(Greeting)
      .lister.list()
      .filter(
        ({ metadata, spec, status }) =>
          status?.said !== spec.text || maps.get(metadata.name)?.data?.['text'] !== spec.text,
      )
    const differences = await Promise.all(kinds.map((kind) => this.differences(kind)))
    return [...differences.flat(), ...undone.map((each) => `not done ${describeObject(each as never)}`)]
  }

  /** The differences between the cache and the server. */
  async differences(kind: Kind): Promise<string[]> {
    const there = (await this.server.client.list(kind)).items.map(describeObject)
    const here = this.informer(kind).lister.list().map(describeObject)
    return [
      ...there.filter((each) => !here.includes(each)).map((each) => `missing ${each}`),
      ...here.filter((each) => !there.includes(each)).map((each) => `too many ${each}`),
    ]
  }

  /** The number of lists after the first one, of all kinds. */
  get relists(): number {
    const lines = this.manager.metrics
      .text()
      .split('\n')
      .filter((line) => line.startsWith('coxswain_cache_lists_total') && line.includes('relist="true"'))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
    await this.transport.close()
    await this.proxy.whenEmpty()
    await this.proxy.stop()
    await this.server.plane.close()
  }
}

let rig: Rig | undefined
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})

interface Scenario {
  readonly relists: number
  readonly storm: (rig: Rig) => Promise<void>
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

/** Changes objects during a fault, so that events are in flight. */
async function changes(each: Rig, count: number, between: () => void = () => undefined): Promise<void> {
  for (let i = 0; i < count; i++) {
    await each.change()
    between()
    await turn()
  }
}

const isWatch = (request: string): boolean => /[?&]watch=/.test(request)
const isStateless = (request: string): boolean => /sendInitialEvents/.test(request)

const scenarios: Readonly<Record<string, Scenario>> = {
  'connections that are reset, again and again': {
    relists: 0,
    storm: (each) => changes(each, 40, () => each.proxy.reset()),
  },
  'connections that go silent without an end': {
    relists: 0,
    async storm(each) {
      each.proxy.freeze()
      await changes(each, 10)
    },
  },
  'bytes that come a few at a time': {
    relists: 0,
    async storm(each) {
      each.proxy.weather = { pieceBytes: 16 }
      each.proxy.reset()
      await changes(each, 10)
    },
  },
  'streams that are cut in the middle of an event, and answers in the middle of an object': {
    relists: 2,
    async storm(each) {
      for (let i = 0; i < 8; i++) {
        each.proxy.weather = { cutAfterBytes: 300 + i * 97 }
        each.proxy.reset()
        await changes(each, 5)
      }
    },
  },
  'watches whose version is said to be too old, a storm of them': {
    relists: 2 * 8,
    async storm(each) {
      let left = 8
      each.proxy.weather = {
        answer: (request) => (isWatch(request) && !isStateless(request) && left-- > 0 ? expiredWatch() : undefined),
      }
      each.proxy.reset()
      await changes(each, 30)
    },
  },
  'a server that is too busy, and says when to come again': {
    relists: 0,
    async storm(each) {
      let left = 12
      each.proxy.weather = {
        answer: () => (left-- > 0 ? statusResponse(429, 'TooManyRequests', 'retry-after: 1\r\n') : undefined),
      }
      each.proxy.reset()
      await changes(each, 30)
    },
  },
  // A watch that fails three times in a row is replaced by a list, since its resourceVersion may be the cause.
  'bursts of internal errors': {
    relists: 6,
    async storm(each) {
      let count = 0
      each.proxy.weather = {
        answer: () =>
          count++ < 24 && count % 4 !== 0 ? statusResponse(500 + (count % 2) * 3, 'InternalError') : undefined,
      }
      each.proxy.reset()
      await changes(each, 30)
    },
  },
  'a server that is started again with its history': {
    relists: 0,
    async storm(each) {
      each.proxy.weather = { isDown: true }
      await each.server.close()
      await changes(each, 10)
      each.server = await listenWith(each.server.plane, each.server.names)
      each.proxy.target = each.server.port
    },
  },
  'a server that has forgotten its history': {
    relists: 2,
    async storm(each) {
      await replaced(each, 1_000_000)
    },
  },
  'a server that was set back': {
    relists: 2,
    async storm(each) {
      await changes(each, 40)
      await replaced(each, 1)
    },
  },
}

/** Another server at the same address, with other objects, some of them with the same names. */
async function replaced(each: Rig, initialRevision: number): Promise<void> {
  each.proxy.weather = { isDown: true }
  each.proxy.reset()
  const old = each.server
  each.server = await newServer(initialRevision)
  await changes(each, 8)
  each.proxy.target = each.server.port
  await old.plane.close()
}

describe('over real sockets, a manager survives', () => {
  it.each(Object.entries(scenarios))('over real sockets, a manager survives %s', async (_, { relists, storm }) => {
    rig = await Rig.start()
    expect(rig.relists).toBe(0)
    await storm(rig)
    rig.proxy.weather = {}
    await rig.settled()
    for (const kind of kinds) {
      expect(await rig.differences(kind)).toEqual([])
      expect(rig.transitions.get(kind)?.wrong, kindName(kind)).toEqual([])
      expect(rig.transitions.get(kind)?.objects.map(describeObject).sort()).toEqual(
        rig.informer(kind).lister.list().map(describeObject).sort(),
      )
    }
    expect(rig.relists).toBeLessThanOrEqual(relists)
    const { transport } = rig
    await rig.stop()
    rig = undefined
    expect({ timers: env.pending, sockets: transport.connectionCount }).toEqual({ timers: 0, sockets: 0 })
  })
})
