/** Reads of the cache after writes through its client: they must include these writes. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { WireEvent } from '../client/transport.ts'
import type { Cache, CacheObserver, InformerOptions } from './cache.ts'
import { StaleCacheError } from './cache.ts'
import type { KindInformer } from './kind-informer.ts'
import { ConfigMap, configMap } from './testdata/plane.ts'
import { runningCaches } from './testdata/running-cache.ts'

const caches = runningCaches()
const { turn } = caches
const key = (name: string): { namespace: string; name: string } => ({ namespace: 'default', name })

/** A synced cache whose watch then shows nothing until {@link hear}. */
async function deaf(options: InformerOptions<ConfigMap> = {}, observer: CacheObserver = {}): Promise<Cache> {
  const cache = caches.run({ observer })
  cache.informer(ConfigMap, { namespaces: ['default', 'kube-public'], ...options })
  await turn(1500)
  holdBack()
  await turn()
  return cache
}

/** The watch becomes silent; its events are held back. */
function holdBack(): void {
  for (const stream of caches.server.network.streams) stream.hold()
}

async function hear(): Promise<void> {
  for (const stream of caches.server.network.streams) stream.release()
  await turn()
}

/** The state of a promise, without waiting for it. */
async function now<T>(promise: Promise<T>): Promise<T | 'waits'> {
  let state: { value: T } | { error: unknown } | undefined
  promise.then(
    (value) => (state = { value }),
    (error: unknown) => (state = { error }),
  )
  await turn()
  if (state === undefined) return 'waits'
  if ('error' in state) throw state.error
  return state.value
}

const waiting = (cache: Cache): number => (cache.informers[0] as KindInformer<ApiObject>).writes.size

// Known failure: runtime 1.
describe('reads after own writes', () => {
  it('reads after own writes wait for a create, an update, a patch and an apply', async () => {
    const cache = await deaf()
    const writes: (() => Promise<unknown>)[] = [
      () => cache.client.create(ConfigMap, configMap('a', { v: '1' })),
      () => cache.client.update(ConfigMap, configMap('a', { v: '2' })),
      () => cache.client.patch(ConfigMap, key('a'), { type: 'merge', patch: { data: { v: '3' } } }),
      () =>
        cache.client.apply(
          ConfigMap,
          { metadata: { name: 'a', namespace: 'default' }, data: { v: '4' } },
          { force: true },
        ),
    ]
    for (const [i, write] of writes.entries()) {
      await write()
      const read = cache.get(ConfigMap, key('a'))
      expect(await now(read)).toBe('waits')
      await hear()
      expect((await read)?.data).toEqual({ v: String(i + 1) })
      expect(waiting(cache)).toBe(0)
      holdBack()
    }
  })

  it('a write of one object does not delay reads of others; a list waits for its namespace', async () => {
    const cache = await deaf()
    await cache.client.create(ConfigMap, configMap('a'))
    expect(await now(cache.get(ConfigMap, key('b')))).toBeUndefined()
    expect(await now(cache.list(ConfigMap, { namespace: 'kube-public' }))).toEqual([])
    const here = cache.list(ConfigMap, { namespace: 'default' })
    const all = cache.list(ConfigMap)
    expect([await now(here), await now(all)]).toEqual(['waits', 'waits'])
    await hear()
    expect([(await here).length, (await all).length]).toEqual([1, 1])
  })

  it('a list waits for what was written before it, not for what is written meanwhile', async () => {
    const cache = await deaf()
    await cache.client.create(ConfigMap, configMap('a'))
    const list = cache.list(ConfigMap)
    await turn()
    await hear()
    holdBack()
    await cache.client.create(ConfigMap, configMap('b'))
    expect((await list).map((each) => each.metadata.name)).toEqual(['a'])
  })

  it('reads after own writes wait for a delete, by uid', async () => {
    const cache = await deaf()
    await cache.client.create(ConfigMap, configMap('a'))
    await hear()
    holdBack()
    await cache.client.delete(ConfigMap, key('a'))
    const read = cache.get(ConfigMap, key('a'))
    expect(await now(read)).toBe('waits')
    await hear()
    expect([await read, waiting(cache)]).toEqual([undefined, 0])
  })

  it('reads do not show an object that was created and deleted before the watch showed it', async () => {
    const cache = await deaf()
    const { metadata } = await cache.client.create(ConfigMap, configMap('a'))
    await cache.client.delete(ConfigMap, key('a'))
    // The object is absent.
    expect(await now(cache.get(ConfigMap, key('a')))).toBeUndefined()
    // The watch shows the create: the object is in the store and must not be returned.
    const [stream] = caches.server.network.streams
    stream?.release(1)
    await turn()
    const { lister } = cache.informer(ConfigMap)
    expect(lister.get(key('a'))?.metadata.uid).toBe(metadata.uid)
    const read = cache.get(ConfigMap, key('a'))
    expect(await now(read)).toBe('waits')
    await hear()
    expect([await read, waiting(cache)]).toEqual([undefined, 0])
  })

  it('after a delete and a create of the same name show the new object', async () => {
    const cache = await deaf()
    await cache.client.create(ConfigMap, configMap('a', { v: '1' }))
    await hear()
    holdBack()
    await cache.client.delete(ConfigMap, key('a'))
    await cache.client.create(ConfigMap, configMap('a', { v: '2' }))
    const read = cache.get(ConfigMap, key('a'))
    expect(await now(read)).toBe('waits')
    await hear()
    expect((await read)?.data).toEqual({ v: '2' })
  })

  it('reads after own writes do not accept an old object of a name that was created and deleted since', async () => {
    const cache = await deaf()
    await cache.client.create(ConfigMap, configMap('a', { v: 'old' }))
    await hear()
    holdBack()
    await cache.client.delete(ConfigMap, key('a'))
    await cache.client.create(ConfigMap, configMap('a', { v: 'new' }))
    await cache.client.delete(ConfigMap, key('a'))
    const read = cache.get(ConfigMap, key('a'))
    expect(await now(read)).toBe('waits')
    await hear()
    expect([await read, waiting(cache)]).toEqual([undefined, 0])
  })

  it('reads after own writes wait for the later of two writes whose answers overtook each other', async () => {
    const cache = await deaf()
    const { writes } = cache.informers[0] as KindInformer<ApiObject>
    const first = await caches.server.other.create(ConfigMap, configMap('a', { v: '1' }))
    const second = await caches.server.other.update(ConfigMap, configMap('a', { v: '2' }))
    writes.written(second)
    writes.written(first)
    const [stream] = caches.server.network.streams
    stream?.release(1)
    const read = cache.get(ConfigMap, key('a'))
    expect(await now(read)).toBe('waits')
    await hear()
    expect((await read)?.data).toEqual({ v: '2' })
  })

  it('reads after own writes wait for a deletion that finalizers hold up', async () => {
    const cache = await deaf()
    await cache.client.create(ConfigMap, {
      ...configMap('a'),
      metadata: { name: 'a', namespace: 'default', finalizers: ['ex.io/x'] },
    })
    await hear()
    holdBack()
    const left = await cache.client.delete(ConfigMap, key('a'))
    expect(left?.metadata.deletionTimestamp).toBeDefined()
    const read = cache.get(ConfigMap, key('a'))
    expect(await now(read)).toBe('waits')
    await hear()
    expect((await read)?.metadata.deletionTimestamp).toBeDefined()
  })

  it('reads after the removal of the last finalizer wait until the object is gone', async () => {
    const cache = await deaf()
    await cache.client.create(ConfigMap, {
      ...configMap('a'),
      metadata: { name: 'a', namespace: 'default', finalizers: ['example.dev/hold'] },
    })
    await hear()
    await cache.client.delete(ConfigMap, key('a'))
    await hear()
    expect((await cache.get(ConfigMap, key('a')))?.metadata.deletionTimestamp).toBeDefined()
    holdBack()
    await cache.client.patch(ConfigMap, key('a'), { type: 'merge', patch: { metadata: { finalizers: null } } })
    const read = cache.get(ConfigMap, key('a'))
    expect(await now(read)).toBe('waits')
    await hear()
    expect(await now(read)).toBeUndefined()
    expect(waiting(cache)).toBe(0)
  })

  it('reads after own writes wait for a deletecollection, also of own creates that were not seen yet', async () => {
    const cache = await deaf()
    const labels = { app: 'x' }
    await cache.client.create(ConfigMap, configMap('seen', {}, { labels }))
    await cache.client.create(ConfigMap, {
      metadata: { name: 'held', namespace: 'default', labels, finalizers: ['ex.io/x'] },
    })
    await cache.client.create(ConfigMap, configMap('other'))
    await hear()
    holdBack()
    await cache.client.create(ConfigMap, configMap('unseen', {}, { labels }))
    await cache.client.deleteCollection(ConfigMap, { namespace: 'default', labelSelector: 'app=x' })
    expect(await now(cache.get(ConfigMap, key('other')))).toMatchObject({ metadata: { name: 'other' } })
    expect(await now(cache.get(ConfigMap, key('unseen')))).toBeUndefined()
    const [stream] = caches.server.network.streams
    stream?.release(1)
    await turn()
    expect(cache.informer(ConfigMap).lister.get(key('unseen'))).toBeDefined()
    const get = (name: string): Promise<Live<ConfigMap> | undefined> => cache.get(ConfigMap, key(name))
    const reads = [cache.list(ConfigMap), get('seen'), get('unseen'), get('held')] as const
    for (const read of reads) expect(await now<unknown>(read)).toBe('waits')
    await hear()
    expect((await reads[0]).map((each) => each.metadata.name)).toEqual(['held', 'other'])
    expect([await reads[1], await reads[2]]).toEqual([undefined, undefined])
    expect((await reads[3])?.metadata.deletionTimestamp).toBeDefined()
    expect(waiting(cache)).toBe(0)
  })

  it('reads after own writes give up after five seconds with their own error, and notify the observer', async () => {
    const waits: string[] = []
    const cache = await deaf({}, { staleRead: (_kind, ms, timedOut) => waits.push(`${ms} ${timedOut}`) })
    await cache.client.create(ConfigMap, configMap('a'))
    const read = cache.get(ConfigMap, key('a'))
    const outcome = read.then(
      () => 'read',
      (error: unknown) => error,
    )
    await turn(4999)
    expect(waits).toEqual([])
    await turn(1)
    const error = await outcome
    expect(error).toBeInstanceOf(StaleCacheError)
    const message = /^the watch of configmaps has not shown what this process wrote, for 5000 ms: it is at version \d+$/
    expect((error as Error).message).toMatch(message)
    const patient = cache.get(ConfigMap, key('a'), { waitMs: 20_000 })
    await turn(6000)
    await hear()
    expect((await patient)?.metadata.name).toBe('a')
    expect(waits).toEqual(['5000 true', '6000 false'])
  })

  it('reads after own writes can be immediate, or be aborted by a signal, and leave nothing behind', async () => {
    const cache = await deaf()
    await cache.client.create(ConfigMap, configMap('a'))
    expect(await now(cache.get(ConfigMap, key('a'), { waitMs: 0 }))).toBeUndefined()
    expect(await now(cache.list(ConfigMap, { waitMs: 0 }))).toEqual([])
    const timers = caches.server.env.pending
    const abort = new AbortController()
    const read = cache.get(ConfigMap, key('a'), { signal: abort.signal })
    expect(await now(read)).toBe('waits')
    abort.abort(new Error('enough'))
    await expect(read).rejects.toThrow('enough')
    expect(caches.server.env.pending).toBe(timers)
  })

  it('reads do not wait for dry runs, no-op updates, or kinds that are not cached', async () => {
    const cache = await deaf()
    await cache.client.create(ConfigMap, configMap('a'), { dryRun: true })
    expect(waiting(cache)).toBe(0)
    await cache.client.create(ConfigMap, configMap('a', { v: '1' }))
    await hear()
    holdBack()
    await cache.client.update(ConfigMap, configMap('a', { v: '1' }))
    expect((await now(cache.get(ConfigMap, key('a')))) as unknown).toMatchObject({ data: { v: '1' } })
    expect(waiting(cache)).toBe(0)
    await cache.client.delete(ConfigMap, key('a'), { dryRun: true })
    await cache.client.deleteCollection(ConfigMap, { namespace: 'default', dryRun: true })
    expect(waiting(cache)).toBe(0)
  })
})

describe('writes outside of what is watched', () => {
  it('writes outside the watched scope to other namespaces are not waited for', async () => {
    const cache = await deaf({ namespaces: ['default'] })
    await cache.client.create(ConfigMap, configMap('a', {}, { namespace: 'kube-public' }))
    expect(await now(cache.list(ConfigMap))).toEqual([])
    expect(waiting(cache)).toBe(0)
  })

  it('writes of objects that are not selected do not block reads, and are forgotten', async () => {
    const cache = await deaf({ labelSelector: 'app=x' })
    await cache.client.create(ConfigMap, configMap('a'))
    expect(await now(cache.get(ConfigMap, key('a')))).toBeUndefined()
    expect(waiting(cache)).toBe(1)
    await hear()
    await turn(65_000)
    expect(waiting(cache)).toBe(0)
  })

  it('writes outside the watched scope that take an object out of the selection are waited for', async () => {
    const cache = await deaf({ labelSelector: 'app=x' })
    await cache.client.create(ConfigMap, configMap('a', {}, { labels: { app: 'x' } }))
    await hear()
    holdBack()
    await cache.client.update(ConfigMap, configMap('a'))
    const read = cache.get(ConfigMap, key('a'))
    expect(await now(read)).toBe('waits')
    await hear()
    expect([await read, waiting(cache)]).toEqual([undefined, 0])
  })
})

describe('what is remembered', () => {
  it('a remembered own write is forgotten once it was seen, also by a later version or by a list', async () => {
    const cache = await deaf()
    for (let i = 0; i < 50; i++) await cache.client.create(ConfigMap, configMap(`c${i}`))
    expect(waiting(cache)).toBe(50)
    for (const stream of caches.server.network.streams) stream.report('cut')
    caches.server.store.compact(caches.server.store.revision)
    await turn(10_000)
    expect(waiting(cache)).toBe(0)
    expect((await cache.list(ConfigMap)).length).toBe(50)
  })

  it('a remembered own write is not there when the watch is faster than the answer', async () => {
    const cache = caches.run()
    cache.informer(ConfigMap)
    await turn()
    const created = cache.client.create(ConfigMap, configMap('a'))
    await turn()
    await created
    await turn()
    expect(waiting(cache)).toBe(0)
  })

  it('a remembered own write is forgotten when the server was reset to lower versions', async () => {
    const cache = await deaf()
    await cache.client.create(ConfigMap, configMap('a'))
    expect(waiting(cache)).toBe(1)
    const [stream] = caches.server.network.streams
    const { network } = caches.server
    // The events of a server that lost its last writes.
    const setBack = ({ type, object }: WireEvent): WireEvent => {
      const { metadata } = object as { metadata: object }
      return { type, object: { ...(object as object), metadata: { ...metadata, resourceVersion: '3' } } }
    }
    network.rewrite = (path, batch) =>
      path.includes('sendInitialEvents') && path.includes('/default/') ? batch.map(setBack) : batch
    stream?.release()
    stream?.inject({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '2' } } })
    await turn(3000)
    expect(waiting(cache)).toBe(0)
  })
})
