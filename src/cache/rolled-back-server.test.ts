/** A server that was rolled back while connections were broken, and one that is silent: how a cache notices. */
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { Live } from '../api/live-object.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { TransportError, type TransportRequest } from '../client/transport.ts'
import type { Cache, CacheObserver, Informer } from './cache.ts'
import { StaleCacheError } from './cache-error.ts'
import { createCache } from './create-cache.ts'
import { connectionRefused } from './testdata/faulty-transport.ts'
import { ConfigMap, configMap, Namespace, testPlane, type Asked } from './testdata/plane.ts'
import { runningCaches } from './testdata/running-cache.ts'

type Server = ReturnType<typeof testPlane>

const caches = runningCaches()
const { turn } = caches
const server = (): Server => caches.server
const restoredServers: Server[] = []

afterEach(async () => {
  for (const each of restoredServers.splice(0)) await each.close()
})

/** Another process at the same address, with the contents of a backup. */
function restore(backup: ReturnType<typeof backupOf>, of = server()): Server {
  const restored = testPlane({ env: of.env, from: backup })
  of.network.inner = inProcessTransport(restored.plane.transport())
  for (const stream of of.network.streams) stream.report('cut')
  return restored
}

const backupOf = ({ store }: Server): ReturnType<Server['store']['list']> => store.list('/registry/')

function restored(backup: ReturnType<typeof backupOf>): Server {
  const other = restore(backup)
  restoredServers.push(other)
  return other
}

const put = ({ other }: Server, name: string, value: string): Promise<unknown> =>
  other.update(ConfigMap, configMap(name, { value })).catch(() => other.create(ConfigMap, configMap(name, { value })))
const remove = ({ other }: Server, name: string): Promise<unknown> =>
  other.delete(ConfigMap, { namespace: 'default', name }).catch(() => undefined)
/** Writes of others, which the cache does not watch. */
async function overtake(behind: Server, revision: number): Promise<void> {
  for (let i = 0; behind.store.revision <= revision; i++)
    await behind.other.create(ConfigMap, configMap(`other-${i}`, {}, { namespace: 'kube-public' }))
}

const shown = ({ lister }: Informer<ConfigMap>): string[] =>
  lister
    .list()
    .map(({ metadata, data }) => `${metadata.name}=${data?.['value'] ?? ''}`)
    .sort()
/**
 * The names of objects that the server has differently. Two histories that gave one object the same version look alike
 * for it, see docs/internals/adr/0021-rolled-back-servers.md.
 */
async function differing({ lister }: Informer<ConfigMap>, { other }: Server): Promise<string[]> {
  const { items } = await other.list(ConfigMap, { namespace: 'default' })
  const versions = (list: readonly Live<ConfigMap>[]): Map<string, string> =>
    new Map(list.map(({ metadata: { name, uid, resourceVersion } }) => [name, `${uid} ${resourceVersion}`]))
  const [mine, theirs] = [versions(lister.list()), versions(items)]
  return [...new Set([...mine.keys(), ...theirs.keys()])].filter((name) => mine.get(name) !== theirs.get(name))
}
const verbs = (): Asked['verb'][] => server().asked.map(({ verb }) => verb)

function run(observer: CacheObserver = {}, probeMs = 0): { cache: Cache; informer: Informer<ConfigMap> } {
  const cache = caches.run({ observer, probeMs })
  return { cache, informer: cache.informer(ConfigMap, { namespaces: ['default'] }) }
}

describe('a server that was rolled back', () => {
  it('a server that was rolled back is noticed on the next connection, though its versions overtook', async () => {
    await put(server(), 'kept', '1')
    await put(server(), 'zombie', '1')
    const backup = backupOf(server())
    await put(server(), 'kept', '2')
    await put(server(), 'ghost', '1')
    await remove(server(), 'zombie')
    const { informer } = run()
    const gone: string[] = []
    informer.addHandler({ onDelete: ({ metadata }, isUnknown) => gone.push(`${metadata.name} ${isUnknown}`) })
    await turn(2000)
    expect(shown(informer)).toEqual(['ghost=1', 'kept=2'])
    const other = restored(backup)
    await put(other, 'new', '1')
    await overtake(other, Number(informer.resourceVersion))
    await turn(2000)
    expect(shown(informer)).toEqual(['kept=1', 'new=1', 'zombie=1'])
    expect(gone).toEqual(['ghost true'])
  })

  it('a server that was rolled back by changes of other kinds only is noticed, too', async () => {
    await put(server(), 'kept', '1')
    const backup = backupOf(server())
    await overtake(server(), server().store.revision + 20)
    const { informer } = run()
    await turn(65_000)
    const version = informer.resourceVersion
    const other = restored(backup)
    // Among the versions that the cache believes to know.
    await put(other, 'kept', '2')
    await overtake(other, Number(version))
    await turn(2000)
    expect(shown(informer)).toEqual(['kept=2'])
  })

  it('a server that was rolled back is noticed after any history, before and after', async () => {
    const change = fc.record({ name: fc.constantFrom('a', 'b', 'c'), value: fc.nat(3), isDelete: fc.boolean() })
    const changes = fc.array(change, { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(
        fc.record({ seed: fc.nat(1000), before: changes, lost: changes, after: changes, isAhead: fc.boolean() }),
        async ({ seed, before, lost, after, isAhead }) => {
          const first = testPlane({ seed })
          const play = async (on: Server, list: typeof before, side: string): Promise<void> => {
            for (const { name, value, isDelete } of list)
              await (isDelete ? remove(on, name) : put(on, name, `${side}${value}`))
          }
          const stop = new AbortController()
          const cache = createCache({ client: first.client, env: first.env, probeMs: 0 })
          const informer = cache.informer(ConfigMap, { namespaces: ['default'] })
          const running = cache.run(stop.signal)
          await play(first, before, 'before')
          await first.env.advanceAsync(2000)
          const backup = backupOf(first)
          await play(first, lost, 'lost')
          await overtake(first, first.store.revision + 1)
          await first.env.advanceAsync(65_000)
          const second = restore(backup, first)
          await play(second, after, 'after')
          if (isAhead) await overtake(second, Number(informer.resourceVersion))
          await first.env.advanceAsync(5000)
          expect(await differing(informer, second)).toEqual([])
          stop.abort()
          await first.env.advanceAsync(0)
          await running
          await second.close()
          await first.close()
        },
      ),
      { numRuns: Number(process.env['CACHE_RUNS'] ?? 40) },
    )
  })

  it('reads wait while it is not known whether the server was rolled back', async () => {
    await put(server(), 'a', '1')
    const backup = backupOf(server())
    await put(server(), 'ghost', '1')
    const { cache } = run()
    await turn(2000)
    server().network.fault = connectionRefused
    for (const stream of server().network.streams) stream.report('cut')
    await turn()
    const key = { namespace: 'default', name: 'ghost' }
    const read = cache.get(ConfigMap, key)
    const failed = expect(read).rejects.toThrow(StaleCacheError)
    await turn(5000)
    await failed
    expect((await cache.get(ConfigMap, key, { waitMs: 0 }))?.data).toEqual({ value: '1' })
    const late = cache.get(ConfigMap, key, { waitMs: 120_000 })
    restored(backup)
    server().network.fault = () => undefined
    await turn(60_000)
    expect(await late).toBeUndefined()
  })
})

describe('a broken connection', () => {
  it('a broken connection to the same server costs one request of metadata, and no list', async () => {
    for (let i = 0; i < 5; i++) await put(server(), `c${i}`, '1')
    const relists: boolean[] = []
    const { informer } = run({ listed: (_kind, { relist }) => relists.push(relist) })
    const gone: string[] = []
    informer.addHandler({ onDelete: ({ metadata }) => gone.push(metadata.name) })
    await turn(2000)
    for (const stream of server().network.streams) stream.report('cut')
    await remove(server(), 'c0')
    await put(server(), 'c1', '2')
    await remove(server(), 'c2')
    await put(server(), 'c2', '3')
    await turn(2000)
    expect(verbs()).toEqual(['watch-list', 'watch', 'check'])
    expect(relists).toEqual([false])
    expect(shown(informer)).toEqual(['c1=2', 'c2=3', 'c3=1', 'c4=1'])
    expect(gone).toEqual(['c0', 'c2'])
  })

  it('an ordinary end of a watch costs neither a check nor a list', async () => {
    await put(server(), 'a', '1')
    run()
    await turn(2000)
    for (const stream of server().network.streams) stream.report('end')
    await turn(2000)
    await turn(3_600_000)
    expect(new Set(verbs().slice(1))).toEqual(new Set(['watch']))
  })
})

describe('a silent server', () => {
  /** The server accepts such requests and does not respond, until the result is called. */
  function hangs(isMeant: (request: TransportRequest) => boolean): () => void {
    const { network } = server()
    const request = network.request.bind(network)
    network.request = (sent) => {
      if (!isMeant(sent)) return request(sent)
      const { signal } = sent
      return new Promise((_resolve, reject) => {
        const fail = (): void => reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
        signal?.addEventListener('abort', fail, { once: true })
      })
    }
    return () => (network.request = request)
  }
  const probes = (): Asked[] => server().asked.filter(({ path }) => path === '/version')

  it('a silent server is noticed within 30 s, on all watches, by one request', async () => {
    const ended: string[] = []
    const { cache } = run({ watchEnded: (kind, why) => ended.push(`${kind.kind} ${why}`) }, 16_000)
    cache.informer(Namespace)
    await turn(2000)
    for (const stream of server().network.streams) stream.report('stall')
    const respond = hangs(() => true)
    await turn(30_000)
    expect(ended.sort()).toEqual(['ConfigMap idle', 'Namespace idle'])
    expect(probes()).toHaveLength(1)
    respond()
    await put(server(), 'a', '1')
    await turn(60_000)
    expect(await cache.get(ConfigMap, { namespace: 'default', name: 'a' })).toBeDefined()
  })

  it('a silent server is noticed on the watches of a sibling cache, by the same request', async () => {
    const ended: string[] = []
    const watchEnded: CacheObserver['watchEnded'] = (kind, why) => ended.push(`${kind.kind} ${why}`)
    const { cache } = run({ watchEnded }, 16_000)
    caches.run({ observer: { watchEnded } }, cache).informer(Namespace)
    await turn(2000)
    for (const stream of server().network.streams) stream.report('stall')
    const respond = hangs(() => true)
    await turn(30_000)
    expect(ended.sort()).toEqual(['ConfigMap idle', 'Namespace idle'])
    expect(probes()).toHaveLength(1)
    respond()
  })

  it.each([
    ['does not accept a watch', () => true, () => undefined],
    ['accepts a watch of the initial state and sends nothing', () => false, () => 'stall' as const],
  ])('a silent server that %s is noticed within 30 s', async (_name, isHanging, fate) => {
    const { network } = server()
    hangs(({ stream }) => stream === true && isHanging())
    network.onStream = (stream) => {
      const command = fate()
      if (command !== undefined) stream.report(command)
    }
    const retries: string[] = []
    run({ retrying: (kind, { doing }) => retries.push(`${kind.kind} ${doing}`) }, 16_000)
    await turn(30_000)
    expect(retries).toEqual(['ConfigMap stream'])
  })

  it('a server that becomes silent while its history is checked is noticed within 30 s', async () => {
    const retries: string[] = []
    const { cache } = run({ retrying: (_kind, { error }) => retries.push(String(error)) }, 16_000)
    await put(server(), 'a', '1')
    await turn(2000)
    const respond = hangs(({ path, stream }) => stream !== true || path === '/version')
    for (const stream of server().network.streams) stream.report('cut')
    await turn(30_000)
    expect(retries).toEqual([expect.stringContaining('said nothing')])
    respond()
    // The next check hangs already, up to its timeout.
    await turn(70_000)
    expect(await cache.get(ConfigMap, { namespace: 'default', name: 'a' })).toBeDefined()
  })

  it('a server at rest gets less than four requests a minute, for any number of watches', async () => {
    const { cache } = run({}, 16_000)
    cache.informer(Namespace)
    await turn(2000)
    const before = server().asked.length
    // Without bookmarks.
    server().network.rewrite = (_path, batch) => batch.filter(({ type }) => type !== 'BOOKMARK')
    await turn(240_000)
    expect(server().asked.length - before).toBeLessThanOrEqual(4 * 4)
    expect(probes().length).toBeGreaterThan(10)
    expect(cache.informers.map(({ state }) => state)).toEqual(['watching', 'watching'])
  })

  it('a server that rejects or refuses the probe is not silent', async () => {
    const ended: string[] = []
    run({ watchEnded: (_kind, why) => ended.push(why) }, 16_000)
    await turn(2000)
    server().network.fault = ({ path }) =>
      path === '/version' ? new TransportError('ECONNREFUSED', 'refused', false) : undefined
    await turn(120_000)
    expect(ended).toEqual([])
  })
})

describe('a watch whose connection is dead, while the server responds to others', () => {
  it('a single dead connection is noticed within 90 s, for one request of metadata', async () => {
    const ended: string[] = []
    const observer: CacheObserver = { watchEnded: (kind, why) => ended.push(`${kind.kind} ${why}`) }
    const { cache, informer } = run(observer, 16_000)
    cache.informer(Namespace)
    await turn(70_000)
    for (const stream of server().network.streams) if (stream.path.includes('configmaps')) stream.report('stall')
    await put(server(), 'a', '1')
    await turn(90_000)
    expect(ended).toEqual(['ConfigMap idle'])
    await turn(2000)
    expect(shown(informer)).toEqual(['a=1'])
    expect(verbs().filter((verb) => verb !== 'other')).toEqual(['watch-list', 'watch-list', 'watch', 'check'])
  })

  it('a server that stops sending bookmarks is watched again once, and one without them never', async () => {
    const ended: string[] = []
    run({ watchEnded: (kind, why) => ended.push(`${kind.kind} ${why}`) }, 16_000)
    await turn(70_000)
    server().network.rewrite = (_path, batch) => batch.filter(({ type }) => type !== 'BOOKMARK')
    await turn(3_600_000)
    expect(ended.filter((each) => each.endsWith('idle'))).toHaveLength(1)
    expect(server().count('check')).toBe(1)
    expect(server().count('watch-list')).toBe(1)
  })
})
