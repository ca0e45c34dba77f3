/**
 * Random writes through the cache's client, on a network that delays, cuts and loses the watch: without other writers,
 * a successful read must show exactly the server's state.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyOf, keyText, type Live } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import { StaleCacheError, type Cache } from './cache.ts'
import { createCache } from './create-cache.ts'
import type { KindInformer } from './kind-informer.ts'
import { ConfigMap, configMap, testPlane } from './testdata/plane.ts'

type Server = ReturnType<typeof testPlane>

const names = ['a', 'b', 'c']
const namespaces = ['default', 'kube-public']
const target = fc.record({
  name: fc.constantFrom(...names),
  namespace: fc.constantFrom(...namespaces),
  value: fc.nat(3),
  isLabelled: fc.boolean(),
})

interface Step {
  readonly text: string
  run(cache: Cache, server: Server, selector: string): Promise<void>
}

/** Rejections (exists, not found, conflict) are expected. */
async function tried(write: Promise<unknown>): Promise<void> {
  await write.catch(() => undefined)
}

const labels = (isLabelled: boolean): { labels: Record<string, string> } => ({ labels: isLabelled ? { app: 'x' } : {} })

const verbs = ['create', 'update', 'patch', 'apply', 'delete', 'finalize', 'release', 'clear'] as const

const write = fc
  .record({ target, verb: fc.constantFrom(...verbs) })
  .map(({ target: { name, namespace, value, isLabelled }, verb }): Step => ({
    text: `${verb} ${namespace}/${name}=${value} ${isLabelled}`,
    run: ({ client }) => tried(writes[verb](client, name, namespace, String(value), isLabelled)),
  }))

type Write = (client: Client, name: string, namespace: string, v: string, isLabelled: boolean) => Promise<unknown>

const writes: Readonly<Record<(typeof verbs)[number], Write>> = {
  create: (client, name, namespace, v, isLabelled) =>
    client.create(ConfigMap, configMap(name, { v }, { namespace, ...labels(isLabelled) })),
  update: (client, name, namespace, v, isLabelled) =>
    client.update(ConfigMap, configMap(name, { v }, { namespace, ...labels(isLabelled) })),
  patch: (client, name, namespace, v, isLabelled) =>
    client.patch(
      ConfigMap,
      { name, namespace },
      {
        type: 'merge',
        patch: { data: { v }, metadata: { labels: { app: isLabelled ? 'x' : null } } },
      },
    ),
  apply: (client, name, namespace, v) =>
    client.apply(ConfigMap, { metadata: { name, namespace }, data: { v } }, { force: true }),
  delete: (client, name, namespace) => client.delete(ConfigMap, { name, namespace }),
  finalize: (client, name, namespace) =>
    client.patch(ConfigMap, { name, namespace }, { type: 'merge', patch: { metadata: { finalizers: ['ex.io/x'] } } }),
  release: (client, name, namespace) =>
    client.patch(ConfigMap, { name, namespace }, { type: 'merge', patch: { metadata: { finalizers: null } } }),
  clear: (client, _name, namespace, _v, isLabelled) =>
    client.deleteCollection(ConfigMap, { namespace, labelSelector: isLabelled ? 'app=x' : undefined }),
}

const network = fc.constantFrom('hold', 'release', 'one', 'cut', 'end', 'compact').map((what): Step => ({
  text: what,
  async run(_cache, { network: { streams }, store }) {
    if (what === 'compact') store.compact(store.revision)
    for (const stream of streams) {
      if (what === 'hold') stream.hold()
      else if (what === 'release') stream.release()
      else if (what === 'one') stream.release(1)
      else if (what !== 'compact') stream.report(what as 'cut')
    }
  },
}))

const time = fc
  .constantFrom(0, 1000, 70_000)
  .map((ms): Step => ({ text: `${ms} ms`, run: (_cache, { env }) => env.advanceAsync(ms) }))

const content = (objects: readonly Live<ConfigMap>[]): string[] =>
  objects.map((object) => `${keyText(keyOf(object))} ${object.metadata.uid} ${object.metadata.resourceVersion}`).sort()

const read = target.map(({ name, namespace }): Step => ({
  text: `read ${namespace}/${name}`,
  async run(cache, { other, env }, labelSelector) {
    const expected = await other.list(ConfigMap, { namespace, labelSelector })
    const outcomes: string[] = []
    const judge = async (
      reading: Promise<readonly Live<ConfigMap>[]>,
      all: readonly Live<ConfigMap>[],
    ): Promise<void> => {
      try {
        expect(content(await reading)).toEqual(content(all))
        outcomes.push('equal')
      } catch (error) {
        if (!(error instanceof StaleCacheError)) throw error
        outcomes.push('stale')
      }
    }
    const one = cache.get(ConfigMap, { namespace, name }).then((object) => (object === undefined ? [] : [object]))
    const both = Promise.all([
      judge(cache.list(ConfigMap, { namespace }), expected.items),
      judge(
        one,
        expected.items.filter((each) => each.metadata.name === name),
      ),
    ])
    await env.advanceAsync(0)
    if (outcomes.length < 2) await env.advanceAsync(5000)
    await both
  },
}))

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: write },
    { weight: 3, arbitrary: network },
    { weight: 2, arbitrary: time },
    { weight: 4, arbitrary: read },
  ),
  { minLength: 5, maxLength: 40 },
)
const setting = fc.record({
  isScoped: fc.boolean(),
  selector: fc.constantFrom('', 'app=x', '!app'),
  seed: fc.nat(1000),
})

describe('read your writes', () => {
  it('read your writes holds for any order of writes and failures, and nothing is remembered for ever', async () => {
    await fc.assert(
      fc.asyncProperty(setting, steps, async ({ isScoped, selector, seed }, list) => {
        const server = testPlane({ seed })
        const stop = new AbortController()
        const cache = createCache({ client: server.client, env: server.env })
        const informer = cache.informer(ConfigMap, { ...(isScoped ? { namespaces } : {}), labelSelector: selector })
        const running = cache.run(stop.signal)
        await server.env.advanceAsync(2000)
        for (const step of list) await step.run(cache, server, selector)
        for (const stream of server.network.streams) stream.release()
        await server.env.advanceAsync(1_500_000)
        expect((informer as KindInformer<ConfigMap>).writes.size).toBe(0)
        stop.abort()
        await server.env.advanceAsync(0)
        await running
        await server.close()
        expect(server.env.pending).toBe(0)
      }),
      { numRuns: Number(process.env['CACHE_RUNS'] ?? 60) },
    )
  })
})
