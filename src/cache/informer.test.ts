/** What an informer stores, and the notifications of its handlers. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Live } from '../api/live-object.ts'
import type { Handler, Informer, MetadataOnly } from './cache.ts'
import { rejection } from './testdata/faulty-transport.ts'
import { ConfigMap, configMap, Namespace } from './testdata/plane.ts'
import { runningCaches } from './testdata/running-cache.ts'

const caches = runningCaches()
const { run, turn } = caches
const other = (): typeof caches.server.other => caches.server.other
const place = { namespace: 'default' }

function recorder(log: string[], prefix = ''): Handler<ConfigMap> {
  return {
    onAdd: ({ metadata, data }, isInitial) =>
      log.push(`${prefix}add ${metadata.name}=${data?.['v'] ?? ''}${isInitial ? ' initial' : ''}`),
    onUpdate: (old, { metadata, data }) =>
      log.push(`${prefix}update ${metadata.name} ${old.data?.['v']}>${data?.['v']}`),
    onDelete: ({ metadata, data }, isUnknown) =>
      log.push(`${prefix}delete ${metadata.name}=${data?.['v'] ?? ''}${isUnknown ? ' unknown' : ''}`),
  }
}

const create = (name: string, v = '0', more = {}): Promise<Live<ConfigMap>> =>
  other().create(ConfigMap, configMap(name, { v }, more))
const update = (name: string, v: string): Promise<Live<ConfigMap>> => other().update(ConfigMap, configMap(name, { v }))
const remove = (name: string): Promise<unknown> => other().delete(ConfigMap, { ...place, name })
/** Cuts the watch, makes changes meanwhile, and compacts the server's history. */
async function whileBlind(changes: () => Promise<unknown>): Promise<void> {
  const { network, store } = caches.server
  network.fault = ({ method }) => (method === 'GET' ? rejection(503, 'ServiceUnavailable') : undefined)
  for (const stream of network.streams) stream.report('cut')
  await turn()
  await changes()
  store.compact(store.revision)
  network.fault = () => undefined
  await turn(60_000)
}
const inDefault = { namespaces: ['default'] }

describe('handlers', () => {
  it('informer handlers are notified of adds, updates and deletes, in order', async () => {
    await create('a')
    const log: string[] = []
    run().informer(ConfigMap, inDefault).addHandler(recorder(log))
    await turn()
    await create('b')
    await update('a', '1')
    await remove('a')
    await turn()
    expect(log).toEqual(['add a=0 initial', 'add b=0', 'update a 0>1', 'delete a=1'])
  })

  // Known failure: client 7.
  it('informer handlers are notified of missed deletes, and the store drops the objects', async () => {
    await create('a')
    await create('b')
    await create('c')
    const log: string[] = []
    const informer = run().informer(ConfigMap, inDefault)
    informer.addHandler(recorder(log))
    await turn(2000)
    log.length = 0
    await whileBlind(async () => {
      await remove('a')
      await update('b', '1')
      await create('d')
    })
    expect(log).toEqual(['delete a=0 unknown', 'update b 0>1', 'add d=0'])
    expect(informer.lister.size).toBe(3)
  })

  it('informer handlers find all of a new list in the store when they are notified of its first change', async () => {
    await create('a')
    const sizes: string[] = []
    const informer = run().informer(ConfigMap, inDefault)
    const look = (): void =>
      void sizes.push(
        informer.lister
          .list()
          .map((each) => each.metadata.name)
          .sort()
          .join(''),
      )
    informer.addHandler({ onAdd: look, onDelete: look })
    await turn(2000)
    sizes.length = 0
    await whileBlind(async () => {
      await remove('a')
      await create('b')
      await create('c')
    })
    expect(sizes).toEqual(['bc', 'bc', 'bc'])
  })

  it('informer handlers are notified of a recreated object as a delete and an add', async () => {
    const log: string[] = []
    const informer = run().informer(ConfigMap, inDefault)
    informer.addHandler(recorder(log))
    await turn()
    await create('a')
    await turn(2000)
    await whileBlind(async () => {
      await remove('a')
      await create('a', '1')
    })
    expect(log).toEqual(['add a=0', 'delete a=0 unknown', 'add a=1'])
    const [stream] = caches.server.network.streams
    const stored = informer.lister.get({ ...place, name: 'a' }) as Live<ConfigMap>
    const metadata = { ...stored.metadata, uid: 'another', resourceVersion: String(caches.server.store.revision + 1) }
    stream?.inject({ type: 'MODIFIED', object: { ...stored, metadata, data: { v: '2' } } })
    await turn()
    expect(log.slice(3)).toEqual(['delete a=1 unknown', 'add a=2'])
  })

  // Known failure: client 6.
  it('informer handlers are not notified again of versions that they have seen', async () => {
    await create('a')
    const log: string[] = []
    run().informer(ConfigMap, inDefault).addHandler(recorder(log))
    await turn(2000)
    await whileBlind(() => Promise.resolve())
    await create('b')
    await turn()
    for (const stream of caches.server.network.streams) stream.report('repeat')
    await turn()
    expect(log).toEqual(['add a=0 initial', 'add b=0'])
  })

  // Known failure: client 14.
  it('informer handlers are notified although another one throws, and the store is right', async () => {
    const failed: unknown[] = []
    const log: string[] = []
    const informer = run({ observer: { handlerFailed: (_kind, error) => failed.push(error) } }).informer(
      ConfigMap,
      inDefault,
    )
    informer.addHandler({
      onAdd: () => {
        throw new Error('at once')
      },
    })
    const later = (): unknown => Promise.reject(new Error('later'))
    informer.addHandler({ onAdd: later })
    informer.addHandler(recorder(log))
    await turn()
    await create('a')
    await create('b')
    await turn()
    expect(log).toEqual(['add a=0', 'add b=0'])
    expect(failed.map(String).sort()).toEqual(['Error: at once', 'Error: at once', 'Error: later', 'Error: later'])
    expect(informer.lister.size).toBe(2)
  })

  it('informer handlers go on although the observer itself throws', async () => {
    const warnings: unknown[] = []
    const warn = (warning: unknown): void => void warnings.push(warning)
    process.on('warning', warn)
    const informer = run({
      observer: {
        listed: () => {
          throw new Error('observer')
        },
      },
    }).informer(ConfigMap, inDefault)
    await create('a')
    await turn(1000)
    expect([informer.synced, informer.lister.size]).toEqual([true, 1])
    process.off('warning', warn)
    expect(warnings.map(String)).toEqual(['Error: observer'])
  })

  it('informer handlers that are added late get an initial list, then the rest, each once', async () => {
    const informer = run().informer(ConfigMap, inDefault)
    await create('a')
    await create('b')
    await turn()
    const log: string[] = []
    const late = informer.addHandler(recorder(log))
    expect(late.synced).toBe(true)
    await update('a', '1')
    await turn()
    expect(log).toEqual(['add a=0 initial', 'add b=0 initial', 'update a 0>1'])
  })

  it('informer handlers that another handler adds are notified of each change once', async () => {
    const informer = run().informer(ConfigMap, inDefault)
    const log: string[] = []
    let added = false
    informer.addHandler({
      onAdd() {
        if (!added) informer.addHandler(recorder(log))
        added = true
      },
    })
    await turn()
    await create('a')
    await create('b')
    await turn()
    expect(log).toEqual(['add a=0 initial', 'add b=0'])
  })

  it('informer handlers that were removed are not notified any more, also in the middle of a list', async () => {
    for (let i = 0; i < 5; i++) await create(`c${i}`)
    const informer = run().informer(ConfigMap, inDefault)
    const log: string[] = []
    const registration = informer.addHandler({
      onAdd({ metadata }) {
        log.push(metadata.name)
        if (log.length === 2) registration.remove()
      },
    })
    await turn()
    await create('late')
    await turn()
    expect(log).toHaveLength(2)
  })

  it('informer handlers are synced each for itself, once all of the initial list was handed over', async () => {
    for (let i = 0; i < 1100; i++) await create(`c${i}`)
    const informer = run().informer(ConfigMap, inDefault)
    let count = 0
    const first = informer.addHandler({ onAdd: () => count++ })
    const seen: string[] = []
    void informer.whenSynced().then(() => seen.push(`informer at ${count > 0 && count < 1100}`))
    void first.whenSynced().then(() => seen.push(`handler at ${count}`))
    expect([informer.synced, first.synced]).toEqual([false, false])
    for (let i = 0; i < 12; i++) await turn()
    // The list of 1100 is delivered in pieces: the informer is synced before its handler.
    expect(seen).toEqual(['informer at true', 'handler at 1100'])
  })
})

describe('resync', () => {
  it('a resync notifies all handlers of everything, about every ten hours', async () => {
    await create('a')
    const informer = run().informer(ConfigMap, inDefault)
    const times: number[] = []
    informer.addHandler({
      onUpdate(old, object) {
        expect(old).toBe(object)
        times.push(caches.server.env.now())
      },
    })
    const hours = 60 * 60 * 1000
    await turn(45 * hours)
    const gaps = times.map((at, i) => (at - (times[i - 1] ?? 0)) / hours)
    expect(gaps.length).toBeGreaterThanOrEqual(4)
    for (const gap of gaps) expect(Math.abs(gap - 10)).toBeLessThanOrEqual(1)
    expect(new Set(gaps).size).toBeGreaterThan(2)
  })

  it('a resync can be had more often, or not at all', async () => {
    await create('a')
    await other().create(Namespace, { metadata: { name: 'x' } })
    const cache = run({ resyncPeriodMs: 0 })
    let never = 0
    let often = 0
    cache.informer(ConfigMap, inDefault).addHandler({ onUpdate: () => never++ })
    cache
      .informer(Namespace, { resyncPeriodMs: 60_000, fieldSelector: 'metadata.name=x' })
      .addHandler({ onUpdate: () => often++ })
    await turn(600_000)
    expect(never).toBe(0)
    expect(often).toBeGreaterThanOrEqual(9)
  })
})

describe('what is stored', () => {
  // Known failure: client 37.
  it('an informer has one watch, or one for each namespace if namespaces are named', async () => {
    await create('a')
    await create('b', '0', { namespace: 'kube-public' })
    await create('c', '0', { namespace: 'kube-system' })
    const fieldSelector = 'metadata.name!=kube-root-ca.crt'
    const scoped = run({ namespaces: ['default', 'kube-public', 'default'] }).informer(ConfigMap, { fieldSelector })
    await turn()
    expect(scoped.lister.list().map((each) => each.metadata.name)).toEqual(['a', 'b'])
    expect(scoped.lister.list({ namespace: 'kube-public' }).map((each) => each.metadata.name)).toEqual(['b'])
    expect(scoped.lister.list({ namespace: 'kube-system' })).toEqual([])
    expect(caches.server.asked.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/default/configmaps',
      '/api/v1/namespaces/kube-public/configmaps',
    ])
    const all = run().informer(ConfigMap, { fieldSelector })
    await turn()
    expect(all.lister.list().map((each) => each.metadata.name)).toEqual(expect.arrayContaining(['a', 'b', 'c']))
    expect(caches.server.asked.slice(2).map(({ path }) => path)).toEqual(['/api/v1/configmaps'])
  })

  it('an informer of several namespaces is synced when all are; a relist of one leaves the others', async () => {
    await create('a')
    await create('b', '0', { namespace: 'kube-public' })
    caches.server.network.fault = ({ path }) =>
      path.includes('kube-public') ? rejection(500, 'InternalError') : undefined
    const informer = run().informer(ConfigMap, { namespaces: ['default', 'kube-public'] })
    const log: string[] = []
    const registration = informer.addHandler(recorder(log))
    await turn()
    expect([informer.synced, registration.synced, informer.state, informer.resourceVersion]).toEqual([
      false,
      false,
      'retrying',
      '',
    ])
    caches.server.network.fault = () => undefined
    await turn(5000)
    expect([informer.synced, registration.synced, informer.state]).toEqual([true, true, 'watching'])
    expect(log).toEqual(['add a=0 initial', 'add b=0 initial'])
    for (const stream of caches.server.network.streams) if (stream.path.includes('kube-public')) stream.report('cut')
    await turn(2000)
    expect(log).toHaveLength(2)
  })

  it('leaving the selection of an informer is a delete, entering it an add', async () => {
    const informer = run().informer(ConfigMap, { ...inDefault, labelSelector: 'app=x' })
    const log: string[] = []
    informer.addHandler(recorder(log))
    await turn()
    await create('a', '0', { labels: { app: 'x' } })
    await create('b')
    await other().update(ConfigMap, configMap('a', { v: '1' }))
    await other().update(ConfigMap, configMap('b', { v: '1' }, { labels: { app: 'x' } }))
    await turn()
    expect(log).toEqual(['add a=0', 'delete a=0', 'add b=1'])
  })

  it("an informer's store is frozen and shared, and has no managedFields", async () => {
    await create('a', '0', { labels: { app: 'x' } })
    const informer = run().informer(ConfigMap, inDefault)
    let reported: Live<ConfigMap> | undefined
    informer.addHandler({ onAdd: (object) => (reported = object) })
    await turn()
    const object = informer.lister.get({ ...place, name: 'a' }) as Live<ConfigMap>
    expect(object).toBe(reported)
    expect(object).toBe(informer.lister.list()[0])
    expect([object, object.metadata, object.metadata.labels, object.data].every(Object.isFrozen)).toBe(true)
    expect(object.metadata).not.toHaveProperty('managedFields')
    // The object of the server is unchanged.
    expect((await other().get(ConfigMap, { ...place, name: 'a' })).metadata.managedFields).toHaveLength(1)
  })

  it("an informer's store keeps managedFields when asked to", async () => {
    await create('a')
    const informer = run().informer(ConfigMap, { ...inDefault, keepManagedFields: true })
    await turn()
    expect(informer.lister.list()[0]?.metadata.managedFields).toHaveLength(1)
  })

  it("an informer's store keeps of them only what tells whether an apply is needed, when asked for that", async () => {
    await create('a')
    const key = { ...place, name: 'a' }
    await other().apply(ConfigMap, { metadata: key, data: { applied: '1' } }, { fieldManager: 'us' })
    const informer = run().informer(ConfigMap, { ...inDefault, keepManagedFields: 'applied' })
    await turn()
    expect(informer.lister.get(key)?.metadata.managedFields).toMatchObject([{ manager: 'us', operation: 'Apply' }])
    expect((await other().get(ConfigMap, key)).metadata.managedFields).toHaveLength(2)
  })

  // Known failure: runtime 18.
  it('an informer holds only metadata if declared so, and its type says so', async () => {
    await create('a', '0', { labels: { app: 'x' } })
    const cache = run()
    const informer: Informer<MetadataOnly<ConfigMap>> = cache.informer(ConfigMap, {
      ...inDefault,
      projection: 'metadata',
    })
    await turn()
    expect(informer.lister.list()).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: expect.objectContaining({ name: 'a', labels: { app: 'x' } }) as unknown,
      },
    ])
    await update('a', '1')
    await turn()
    expect(Object.keys(informer.lister.list()[0] ?? {})).toEqual(['apiVersion', 'kind', 'metadata'])
    const read = await cache.get(ConfigMap, { ...place, name: 'a' }, { projection: 'metadata' })
    expect(read?.metadata.name).toBe('a')
    expectTypeOf(read).exclude<undefined>().not.toHaveProperty('data')
    const whole = cache.get(ConfigMap, { ...place, name: 'a' })
    expectTypeOf(whole).resolves.exclude<undefined>().toHaveProperty('data')
    await expect(whole).rejects.toThrow(
      "only the metadata of configmaps is in the cache: read it with { projection: 'metadata' }",
    )
  })

  it('an informer transforms each version once, on its own copy; a throwing transform changes nothing', async () => {
    await create('a', 'secret')
    await create('bad', '0')
    const failed: unknown[] = []
    let calls = 0
    const informer = run({ observer: { handlerFailed: (_kind, error) => failed.push(error) } }).informer(ConfigMap, {
      ...inDefault,
      transform(object) {
        calls++
        if (object.metadata.name === 'bad') throw new Error('bad')
        delete object.data
        return object
      },
    })
    informer.addHandler({})
    await turn()
    expect(informer.lister.get({ ...place, name: 'a' })).not.toHaveProperty('data')
    expect(Object.isFrozen(informer.lister.get({ ...place, name: 'a' }))).toBe(true)
    expect(informer.lister.get({ ...place, name: 'bad' })?.data).toEqual({ v: '0' })
    informer.lister.list()
    expect([calls, failed.map(String)]).toEqual([2, ['Error: bad']])
    expect((await other().get(ConfigMap, { ...place, name: 'a' })).data).toEqual({ v: 'secret' })
  })
})

describe('indexes', () => {
  const byValue = ({ data }: Live<ConfigMap>): string[] => [data?.['v'] ?? '']

  it('indexes of an informer follow each change', async () => {
    await create('a', 'x')
    await create('b', 'x')
    await create('c', 'x', { namespace: 'kube-public' })
    const { lister } = run().informer(ConfigMap, { indexes: { value: byValue } })
    const found = (value: string, namespace?: string): string[] =>
      lister
        .byIndex('value', value, namespace)
        .map((each) => each.metadata.name)
        .sort()
    await turn(2000)
    expect([found('x'), found('x', 'default'), found('y')]).toEqual([['a', 'b', 'c'], ['a', 'b'], []])
    await update('a', 'y')
    await remove('b')
    await turn()
    expect([found('x'), found('y')]).toEqual([['c'], ['a']])
    await whileBlind(() => update('a', 'z'))
    expect([found('y'), found('z')]).toEqual([[], ['a']])
  })

  it('indexes of an informer can be added while running, also in the middle of a list', async () => {
    for (let i = 0; i < 1100; i++) await create(`c${i}`, String(i % 11))
    const cache = run({ watchList: false })
    const { lister } = cache.informer(ConfigMap, inDefault)
    await turn()
    expect(lister.size).toBe(0)
    cache.informer(ConfigMap, { ...inDefault, indexes: { value: byValue } })
    for (let i = 0; i < 12; i++) await turn()
    expect(lister.byIndex('value', '3')).toHaveLength(100)
    cache.informer(ConfigMap, { ...inDefault, indexes: { name: ({ metadata }) => [metadata.name] } })
    expect(lister.byIndex('name', 'c3')).toHaveLength(1)
  })

  it('indexes of an informer that throw find nothing, and are reported', async () => {
    await create('a')
    const failed: unknown[] = []
    const { lister } = run({ observer: { handlerFailed: (_kind, error) => failed.push(error) } }).informer(ConfigMap, {
      ...inDefault,
      indexes: {
        bad: () => {
          throw new Error('index')
        },
      },
    })
    await turn()
    expect([lister.size, lister.byIndex('bad', ''), failed.map(String)]).toEqual([1, [], ['Error: index']])
  })

  it('indexes of an informer that do not exist are an error that says which do', () => {
    const { lister } = run().informer(ConfigMap, { indexes: { value: byValue } })
    expect(() => lister.byIndex('valeu', 'x')).toThrow(
      'configmaps have no index "valeu" in the cache (they have value)',
    )
  })
})
