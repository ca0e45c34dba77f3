/**
 * Random histories of the server and random faults of the network, against a model: afterwards the cache must equal the
 * server, no handler may have seen an impossible transition, and relists must have had a reason.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyOf, keyText, type Live } from '../api/live-object.ts'
import { apiError } from '../api/status.ts'
import type { Handler, Informer, InformerOptions } from './cache.ts'
import { createCache } from './create-cache.ts'
import { answerOf, connectionRefused, rejection } from './testdata/faulty-transport.ts'
import { ConfigMap, configMap, testPlane } from './testdata/plane.ts'
import { compareResourceVersions } from './resource-version-order.ts'

type Server = ReturnType<typeof testPlane>

interface Step {
  /** How many relists it may cause. */
  readonly relists: number
  readonly text: string
  run(server: Server): Promise<void>
}

const names = ['a', 'b', 'c', 'd']
const namespaces = ['default', 'kube-public']
const labelled = { labels: { app: 'x' } }
const target = fc.record({
  name: fc.constantFrom(...names),
  namespace: fc.constantFrom(...namespaces),
  value: fc.nat(9),
  isLabelled: fc.boolean(),
})

const put = target.map(({ name, namespace, value, isLabelled }): Step => ({
  relists: 0,
  text: `put ${namespace}/${name}=${value}${isLabelled ? ' labelled' : ''}`,
  async run({ other }) {
    const object = configMap(name, { value: String(value) }, { namespace, ...(isLabelled ? labelled : {}) })
    await other.update(ConfigMap, object).catch(() => other.create(ConfigMap, object))
  },
}))
const remove = target.map(({ name, namespace }): Step => ({
  relists: 0,
  text: `delete ${namespace}/${name}`,
  async run({ other }) {
    await other.delete(ConfigMap, { name, namespace }).catch(() => undefined)
  },
}))
const recreate = target.map(({ name, namespace, value, isLabelled }): Step => ({
  relists: 0,
  text: `recreate ${namespace}/${name}=${value}`,
  async run({ other }) {
    await other.delete(ConfigMap, { name, namespace }).catch(() => undefined)
    await other.create(
      ConfigMap,
      configMap(name, { value: String(value) }, { namespace, ...(isLabelled ? labelled : {}) }),
    )
  },
}))
const stream = fc.constantFrom('end', 'cut', 'stall', 'repeat', 'tear').map((command): Step => ({
  relists: 0,
  text: `${command} streams`,
  async run({ network }) {
    for (const each of network.streams) each.report(command as 'cut')
  },
}))
const compact: Step = {
  relists: 1,
  text: 'compact',
  async run({ store }) {
    store.compact(store.revision)
  },
}
const issue = fc.constantFrom('refuse', 'throttle', 'fail', 'expire', 'heal').map((kind): Step => ({
  // A server that responds with 410 or 500 to everything causes a relist.
  relists: kind === 'fail' || kind === 'expire' ? 1 : 0,
  text: kind,
  async run({ network }) {
    const expired = answerOf(apiError.expired('too old'))
    network.fault = ({ method }) => {
      if (method !== 'GET' || kind === 'heal') return undefined
      if (kind === 'refuse') return connectionRefused()
      if (kind === 'throttle') return rejection(429, 'TooManyRequests', { details: { retryAfterSeconds: 45 } })
      return kind === 'fail' ? rejection(500, 'InternalError') : expired
    }
  },
}))
const time = fc.constantFrom(0, 500, 3000, 40_000, 700_000).map((ms): Step => ({
  // Five minutes is also the history of the server.
  relists: ms > 100_000 ? 1 : 0,
  text: `${ms} ms`,
  run: ({ env }) => env.advanceAsync(ms),
}))

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: put },
    { weight: 3, arbitrary: remove },
    { weight: 2, arbitrary: recreate },
    { weight: 3, arbitrary: stream },
    { weight: 1, arbitrary: fc.constant(compact) },
    { weight: 2, arbitrary: issue },
    { weight: 5, arbitrary: time },
  ),
  { minLength: 5, maxLength: 40 },
)

const options = fc.record({
  watchList: fc.boolean(),
  pageSize: fc.constantFrom(1, 3, 500),
  isScoped: fc.boolean(),
  isSelective: fc.boolean(),
  seed: fc.nat(1000),
})

/** Records the notifications of the handler and reports impossible ones. */
class Witness implements Handler<ConfigMap> {
  readonly known = new Map<string, Live<ConfigMap>>()
  readonly wrong: string[] = []
  readonly #informer: Informer<ConfigMap>

  constructor(informer: Informer<ConfigMap>) {
    this.#informer = informer
  }

  onAdd(object: Live<ConfigMap>): void {
    const key = keyText(keyOf(object))
    if (this.known.has(key)) this.wrong.push(`add of ${key}, which is there`)
    this.known.set(key, object)
    this.#look(key, object)
  }

  onUpdate(old: Live<ConfigMap>, object: Live<ConfigMap>): void {
    const key = keyText(keyOf(object))
    const known = this.known.get(key)
    if (known !== old) this.wrong.push(`update of ${key} from what was not the last told`)
    if (old.metadata.uid !== object.metadata.uid) this.wrong.push(`update of ${key} to another object`)
    if (compareResourceVersions(object.metadata.resourceVersion, old.metadata.resourceVersion) <= 0)
      this.wrong.push(`${key} went back in time`)
    this.known.set(key, object)
    this.#look(key, object)
  }

  onDelete(object: Live<ConfigMap>): void {
    const key = keyText(keyOf(object))
    if (this.known.get(key)?.metadata.uid !== object.metadata.uid)
      this.wrong.push(`delete of ${key}, which is not there`)
    this.known.delete(key)
  }

  /** The store is at least as new as the event. */
  #look(key: string, { metadata }: Live<ConfigMap>): void {
    const stored = this.#informer.lister.get(metadata)
    if (
      stored !== undefined &&
      compareResourceVersions(stored.metadata.resourceVersion, metadata.resourceVersion) < 0
    ) {
      this.wrong.push(`the store has an older ${key} than the event`)
    }
  }
}

const content = (objects: Iterable<Live<ConfigMap>>): string[] =>
  Array.from(objects, (object) => {
    const { uid, resourceVersion } = object.metadata
    return `${keyText(keyOf(object))} ${uid} ${resourceVersion} ${JSON.stringify(object.data)}`
  }).sort()

describe('reflector and store', () => {
  it('reflector and store equal the server after any history of changes and faults', async () => {
    await fc.assert(
      fc.asyncProperty(options, steps, async ({ watchList, pageSize, isScoped, isSelective, seed }, list) => {
        const server = testPlane({ seed })
        const stop = new AbortController()
        let relists = 0
        const cache = createCache({
          client: server.client,
          env: server.env,
          probeMs: 0,
          watchList,
          pageSize,
          observer: {
            listed: (_kind, info) => {
              if (info.relist) relists++
            },
          },
        })
        const informer = cache.informer(ConfigMap, {
          ...(isScoped ? { namespaces } : {}),
          ...(isSelective ? { labelSelector: 'app=x' } : {}),
          indexes: { value: ({ data }) => [data?.['value'] ?? ''] },
        } satisfies InformerOptions<ConfigMap>)
        const witness = new Witness(informer)
        informer.addHandler(witness)
        const running = cache.run(stop.signal)
        let allowed = 0
        for (const step of list) {
          await step.run(server)
          allowed += step.relists * (isScoped ? 2 : 1)
        }
        const late = new Witness(informer)
        informer.addHandler(late)
        server.network.fault = () => undefined
        await server.env.advanceAsync(1_500_000)

        const labelSelector = isSelective ? 'app=x' : undefined
        const all = await Promise.all(
          namespaces.map((namespace) => server.other.list(ConfigMap, { namespace, labelSelector })),
        )
        const expected = content(all.flatMap((page) => page.items))
        const shown = namespaces.flatMap((namespace) => informer.lister.list({ namespace }))
        expect(content(shown)).toEqual(expected)
        const seen = [...witness.known.values()].filter(({ metadata }) => namespaces.includes(metadata.namespace ?? ''))
        expect(content(seen)).toEqual(expected)
        expect(witness.wrong).toEqual([])
        expect(late.wrong).toEqual([])
        expect(content([...late.known.values()])).toEqual(content(informer.lister.list()))
        for (let value = 0; value < 10; value++) {
          const found = informer.lister.byIndex('value', String(value))
          expect(content(found)).toEqual(
            content(informer.lister.list().filter((each) => each.data?.['value'] === String(value))),
          )
        }
        expect(relists).toBeLessThanOrEqual(allowed + (isScoped ? 2 : 1))

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
