/** How a reflector lists, watches, fails and recovers: on the embedded server, with a simulated clock. */
import { beforeEach, describe, expect, it } from 'vitest'
import { apiError } from '../api/status.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import type { Cache, CacheObserver, Informer } from './cache.ts'
import type { CacheOptions } from './create-cache.ts'
import { answerOf, connectionRefused, rejection } from './testdata/faulty-transport.ts'
import { ConfigMap, configMap, testPlane, type Asked } from './testdata/plane.ts'
import { runningCaches } from './testdata/running-cache.ts'

const caches = runningCaches()
const { turn } = caches
const server = (): typeof caches.server => caches.server
let reported: string[]

beforeEach(() => {
  reported = []
})

const observer: CacheObserver = {
  listed: (_kind, { relist, via }) => reported.push(`${relist ? 'relist' : 'list'} via ${via}`),
  watchEnded: (_kind, why) => reported.push(why),
  retrying: (_kind, { doing, isMissing }) => reported.push(`retry ${doing}${isMissing ? ' missing' : ''}`),
}

function run(options: Partial<CacheOptions> = {}): { cache: Cache; informer: Informer<ConfigMap> } {
  const cache = caches.run({ observer, ...options })
  return { cache, informer: cache.informer(ConfigMap, { namespaces: ['default'] }) }
}

const names = ({ lister }: Informer<ConfigMap>): string[] =>
  lister
    .list()
    .map((each) => each.metadata.name)
    .sort()
const verbs = (): Asked['verb'][] => server().asked.map((each) => each.verb)
const streams = (command: 'end' | 'cut' | 'stall'): void => {
  for (const stream of server().network.streams) stream.report(command)
}
/** Fails reads while `isDown` returns true. */
const failing = (
  answer: () => ReturnType<typeof rejection> | ReturnType<typeof connectionRefused> | undefined,
): void => {
  server().network.fault = ({ method }) => (method === 'GET' ? answer() : undefined)
}
const create = (name: string): Promise<unknown> => server().other.create(ConfigMap, configMap(name))

describe('the first list', () => {
  // Known failure: client 10.
  it('the first list of a reflector is a watch-list, published at once and continued', async () => {
    await create('a')
    const { informer } = run()
    const sizes: number[] = []
    informer.addHandler({ onAdd: () => sizes.push(informer.lister.size) })
    await turn()
    await create('b')
    await turn()
    expect(names(informer)).toEqual(['a', 'b'])
    expect(sizes).toEqual([1, 2])
    expect(verbs()).toEqual(['watch-list'])
    const [first] = server().asked
    expect(Object.fromEntries(first?.query ?? [])).toMatchObject({
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
      watch: 'true',
    })
    expect(first?.query.has('resourceVersion')).toBe(false)
  })

  it('the first list of a reflector shows nothing of an initial state that breaks off', async () => {
    await create('a')
    await create('b')
    // The first half of the initial events, then a reset.
    server().network.onStream = (stream) => {
      if (server().asked.length === 1) stream.report('tear')
    }
    const { informer } = run()
    const seen: string[] = []
    informer.addHandler({ onAdd: ({ metadata }) => seen.push(metadata.name) })
    await turn()
    expect([informer.lister.size, informer.synced, ...seen]).toEqual([0, false])
    await turn(2000)
    expect(names(informer)).toEqual(['a', 'b'])
    expect(reported).toEqual(['retry stream', 'list via list'])
  })

  // Known failure: client 9.
  it('the first list falls back to bounded pages where the server refuses a watch-list', async () => {
    for (let i = 0; i < 5; i++) await create(`c${i}`)
    failing(() => (server().asked.at(-1)?.verb === 'watch-list' ? rejection(422, 'Invalid') : undefined))
    const { informer } = run({ pageSize: 2 })
    await turn()
    expect(informer.lister.size).toBe(5)
    expect(verbs()).toEqual(['watch-list', 'list', 'list', 'list', 'watch'])
    const pages = server().asked.filter((each) => each.verb === 'list')
    expect(pages.map(({ query }) => [query.get('limit'), query.has('resourceVersion'), query.has('continue')])).toEqual(
      [
        ['2', false, false],
        ['2', false, true],
        ['2', false, true],
      ],
    )
    // The rejection is remembered.
    server().store.compact(server().store.revision)
    streams('end')
    await create('late')
    server().store.compact(server().store.revision)
    await turn(5000)
    expect(names(informer)).toContain('late')
    expect(server().count('watch-list')).toBe(1)
  })

  it('the first list falls back to pages where the server ignores sendInitialEvents', async () => {
    await create('a')
    server().network.onStream = (stream) => {
      if (stream.path.includes('sendInitialEvents')) stream.report('stall')
    }
    const { informer } = run()
    await turn(29_000)
    expect(informer.synced).toBe(false)
    await turn(3000)
    expect(names(informer)).toEqual(['a'])
    expect(verbs()).toEqual(['watch-list', 'list', 'watch'])
  })

  // Known failure: client 12.
  it('the first list takes larger pages when the snapshot expires before the last one', async () => {
    for (let i = 0; i < 9; i++) await create(`c${i}`)
    const { informer } = run({ watchList: false, pageSize: 2 })
    let late = 0
    // The history is compacted after the second page of each list.
    server().network.fault = ({ path }) => {
      if (!path.includes('continue=') || path.includes('limit=32')) return undefined
      if (++late % 2 === 1) return undefined
      return answerOf(apiError.expired('The provided continue parameter is too old'))
    }
    await turn(20_000)
    expect(informer.lister.size).toBe(9)
    const sizes = server()
      .asked.filter((each) => each.verb === 'list')
      .map(({ query }) => query.get('limit'))
    expect(sizes).toEqual(['2', '2', '2', '8', '8'])
  })

  // Known failure: client 5.
  it('a failed list is retried with backoff, and no rejection gets lost', async () => {
    await create('a')
    failing(() => rejection(500, 'InternalError'))
    const { informer } = run({ watchList: false })
    await turn(10_000)
    expect([informer.synced, informer.state]).toEqual([false, 'retrying'])
    expect(server().count('list')).toBeGreaterThan(2)
    expect(server().count('list')).toBeLessThanOrEqual(5)
    failing(() => undefined)
    await turn(60_000)
    expect([informer.synced, informer.state]).toEqual([true, 'watching'])
  })

  // Known failure: runtime 20.
  it('a reflector waits for a kind that is installed later, and says so', async () => {
    const Widget = {
      group: 'ex.io',
      version: 'v1',
      apiVersion: 'ex.io/v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
    }
    const { cache } = run()
    const informer = cache.informer(Widget)
    await turn(120_000)
    expect([informer.synced, informer.state]).toEqual([false, 'missing'])
    expect(reported).toContain('retry stream missing')
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    await server().other.raw('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'widgets.ex.io' },
        spec: {
          group: 'ex.io',
          scope: 'Namespaced',
          names: { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      },
    })
    await turn(11_000)
    expect([informer.synced, informer.state]).toEqual([true, 'watching'])
  })
})

describe('a watch', () => {
  // Known failure: client 1.
  it('a watch lasts five to ten minutes, and the next one continues without a list', async () => {
    const { informer } = run()
    await turn()
    await create('a')
    await turn(3_600_000)
    await create('b')
    await turn()
    expect(names(informer)).toEqual(['a', 'b'])
    const watches = server().asked.filter((each) => each.verb === 'watch')
    expect(watches.length).toBeGreaterThanOrEqual(6)
    expect(watches.length).toBeLessThanOrEqual(12)
    for (const { query } of server().asked) {
      expect(Number(query.get('timeoutSeconds'))).toBeGreaterThanOrEqual(300)
      expect(Number(query.get('timeoutSeconds'))).toBeLessThanOrEqual(600)
    }
    expect(new Set(server().asked.map(({ query }) => query.get('timeoutSeconds'))).size).toBeGreaterThan(3)
    expect(reported.filter((each) => each !== 'timeout')).toEqual(['list via watch-list'])
  })

  // Known failure: client 1.
  it('a watch is given up when the server is silent for too long, and nothing is lost', async () => {
    const { informer } = run()
    await turn()
    streams('stall')
    await create('a')
    await turn(100_000)
    expect(names(informer)).toEqual([])
    expect(informer.silenceMs).toBeGreaterThanOrEqual(100_000)
    await turn(510_000)
    expect(names(informer)).toEqual(['a'])
    expect(reported).toEqual(['list via watch-list', 'idle'])
    expect(verbs()).toEqual(['watch-list', 'watch', 'check'])
  })

  // Known failure: client 2.
  it("a reflector's watch is never given up while something comes, however long it lives", async () => {
    const { informer } = run()
    await turn()
    const [stream] = server().network.streams
    // A server that ignores timeoutSeconds.
    const request = server().network.request.bind(server().network)
    server().network.request = (each) =>
      request({ ...each, path: each.path.replace(/timeoutSeconds=\d+/, 'timeoutSeconds=100000') })
    stream?.report('end')
    await turn(1500)
    reported.length = 0
    for (let minute = 0; minute < 60; minute++) {
      await turn(60_000)
      expect(informer.silenceMs).toBeLessThan(62_000)
    }
    expect(reported).toEqual([])
  })

  // Known failure: client 3.
  it("a reflector's watch goes on after a reset, from the last version", async () => {
    const { informer } = run()
    await create('a')
    await turn(2000)
    const version = informer.resourceVersion
    streams('cut')
    await create('b')
    await turn()
    expect(names(informer)).toEqual(['a', 'b'])
    expect(reported).toEqual(['list via watch-list', 'error'])
    const watches = server().asked.filter(({ verb }) => verb === 'watch')
    expect(watches.map(({ query }) => query.get('resourceVersion'))).toEqual([version])
  })

  // Known failure: client 11.
  it('after 429 waits as long as the server says, and does not list again', async () => {
    run()
    await turn(2000)
    failing(() => rejection(429, 'TooManyRequests', { details: { retryAfterSeconds: 25 } }))
    const before = server().asked.length
    streams('end')
    await turn(24_000)
    expect(server().asked.length - before).toBe(1)
    failing(() => undefined)
    await turn(60_000)
    expect(verbs().slice(before)).toEqual(['watch', 'watch'])
    expect(reported).toEqual(['list via watch-list', 'ended', 'retry watch'])
  })

  it.each([99_999_999_999, 'soon' as unknown as number])(
    'after 429 with a Retry-After of %s watches again within 31 s',
    async (retryAfterSeconds) => {
      const { informer } = run()
      await turn(2000)
      let left = 1
      failing(() => (left-- > 0 ? rejection(429, 'TooManyRequests', { details: { retryAfterSeconds } }) : undefined))
      streams('end')
      await turn(31_000)
      expect(informer.state).toBe('watching')
      // One watch-list, the rejected watch, and the next one.
      expect(server().asked).toHaveLength(3)
    },
  )

  it("a reflector's watch waits while connections are refused, and does not list again", async () => {
    const { informer } = run()
    await turn(2000)
    failing(connectionRefused)
    streams('cut')
    await turn(300_000)
    expect(informer.state).toBe('retrying')
    await create('a')
    failing(() => undefined)
    await turn(60_000)
    expect(names(informer)).toEqual(['a'])
    expect(server().count('list') + server().count('watch-list')).toBe(1)
  })

  it('a watch waits out responses 503 without a list, but relists if the version seems invalid', async () => {
    run()
    await turn(2000)
    let left = 2
    failing(() => (left-- > 0 ? rejection(503, 'ServiceUnavailable') : undefined))
    streams('end')
    await turn(10_000)
    expect(reported.filter((each) => each.includes('list'))).toHaveLength(1)
    left = 3
    streams('end')
    await turn(60_000)
    expect(reported.filter((each) => each.startsWith('relist'))).toEqual(['relist via watch-list'])
  })

  it('a reflector relists after 410: first no older than what was seen, then any version', async () => {
    const { informer } = run()
    await turn(2000)
    const version = informer.resourceVersion
    failing(() =>
      server().asked.at(-1)?.query.get('resourceVersion') === version
        ? answerOf(apiError.expired('too old'))
        : undefined,
    )
    streams('end')
    await turn()
    expect(verbs()).toEqual(['watch-list', 'watch'])
    await create('a')
    await turn(2000)
    expect(names(informer)).toEqual(['a'])
    expect(
      server()
        .asked.slice(1)
        .map(({ verb, query }) => `${verb} ${query.get('resourceVersion') ?? ''}`),
    ).toEqual([`watch ${version}`, `watch-list ${version}`, 'watch-list '])
  })

  it('a reflector relists when the server has not reached its version yet', async () => {
    const { informer } = run()
    await turn(2000)
    const version = informer.resourceVersion
    const cause = { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }
    const tooLarge = apiError.timeout('Too large resource version: 9, current: 3', 1, cause)
    let isExpired = true
    failing(() => {
      if (server().asked.at(-1)?.query.get('resourceVersion') !== version) return undefined
      if (!isExpired) return answerOf(tooLarge)
      isExpired = false
      return answerOf(apiError.expired('too old'))
    })
    streams('end')
    await turn(40_000)
    expect(informer.state).toBe('watching')
    expect(server().asked.at(-1)?.query.has('resourceVersion')).toBe(false)
    expect(server().count('watch-list')).toBeGreaterThan(1)
  })

  it('a reflector relists after a 410 in the stream, too', async () => {
    const { informer } = run()
    await turn(2000)
    const [stream] = server().network.streams
    stream?.inject({
      type: 'ERROR',
      object: apiError.expired('too old resource version').status,
    })
    await turn(2000)
    expect(reported).toEqual(['list via watch-list', 'expired', 'retry watch', 'relist via watch-list'])
    expect(informer.state).toBe('watching')
  })

  it('a reflector relists when the server was reset to lower versions', async () => {
    const { informer } = run()
    await create('a')
    await turn(2000)
    const [stream] = server().network.streams
    stream?.inject({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '1' } } })
    await turn(3000)
    expect(reported).toEqual(['list via watch-list', 'expired', 'retry watch', 'relist via watch-list'])
    expect(server().asked.at(-1)?.query.has('resourceVersion')).toBe(false)
    expect(names(informer)).toEqual(['a'])
  })

  it('a reflector takes over the state of another server at the same address', async () => {
    for (let i = 0; i < 20; i++) await create(`old${i}`)
    const { informer } = run()
    const gone: string[] = []
    informer.addHandler({ onDelete: ({ metadata }, isUnknown) => gone.push(`${metadata.name} ${isUnknown}`) })
    await turn(2000)
    const restored = testPlane({ seed: 2, env: server().env })
    await restored.other.create(ConfigMap, configMap('new'))
    expect(Number(informer.resourceVersion)).toBeGreaterThan(restored.store.revision)
    server().network.inner = inProcessTransport(restored.plane.transport())
    streams('cut')
    await turn(1000)
    expect(names(informer)).toEqual(['new'])
    expect(gone).toHaveLength(20)
    expect(gone).toContain('old7 true')
    await restored.close()
  })

  it("a reflector's watch advances by bookmarks, so that a quiet kind does not expire", async () => {
    const { informer } = run()
    await turn()
    const before = informer.resourceVersion
    await server().other.create(ConfigMap, configMap('elsewhere', {}, { namespace: 'kube-public' }))
    await turn(65_000)
    expect(informer.resourceVersion).not.toBe(before)
    // The server compacts everything before: the next watch still starts after it.
    server().store.compact(server().store.revision)
    streams('end')
    await turn(2000)
    expect(reported).toEqual(['list via watch-list', 'ended'])
  })
})

describe('the rate of requests', () => {
  const perMinute = (): number => server().asked.filter(({ at }) => at >= server().env.now() - 60_000).length

  // Known failure: client 4.
  it('the request rate of a reflector stays low while the server ends each watch at once', async () => {
    run()
    await turn()
    server().network.onStream = (stream) => stream.report('end')
    streams('end')
    await turn(60_000)
    expect(perMinute()).toBeLessThanOrEqual(8)
    await turn(600_000)
    expect(perMinute()).toBeLessThanOrEqual(2)
    expect(reported.filter((each) => each.startsWith('relist'))).toEqual([])
  })

  // Known failure: client 4.
  it('a reflector sends one request a second while the server ends watches after one event', async () => {
    run()
    await turn()
    server().network.onStream = (stream) => {
      stream.inject({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(server().store.revision) } } })
      stream.report('end')
    }
    streams('end')
    await turn(60_000)
    expect(perMinute()).toBeLessThanOrEqual(61)
    expect(perMinute()).toBeGreaterThan(50)
  })

  it('the request rate of a reflector stays low in a storm of 410, and ends with it', async () => {
    const { informer } = run()
    await turn()
    failing(() => answerOf(apiError.expired('too old')))
    streams('end')
    await turn(600_000)
    expect(perMinute()).toBeLessThanOrEqual(6)
    failing(() => undefined)
    await create('a')
    await turn(61_000)
    expect(names(informer)).toEqual(['a'])
    expect(reported.filter((each) => each.startsWith('relist'))).toHaveLength(1)
  })

  // Known failure: client 15.
  it('a reflector does one thing at a time: never two watches, never a list beside a watch', async () => {
    run()
    let most = 0
    server().network.onStream = () => {
      most = Math.max(most, server().network.streams.size)
    }
    for (let i = 0; i < 20; i++) {
      await turn(i * 777)
      streams(i % 3 === 0 ? 'stall' : 'cut')
      await create(`c${i}`)
    }
    await turn(1_300_000)
    expect(most).toBe(1)
  })
})
