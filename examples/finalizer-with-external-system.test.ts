import { findCondition, isNotFound, PermanentError } from 'coxswain'
import { plan } from 'coxswain/plan'
import { embedded, explore, matchers, type Embedded, type Fault } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import bucketsOperator, { Bucket, bucketApi, buckets, type BucketApi } from './finalizer-with-external-system.ts'

type Specs = Record<string, Bucket['spec']>

class BucketModel implements BucketApi {
  readonly specs: Specs

  constructor(specs: Specs = {}) {
    this.specs = specs
  }

  put(id: string, spec: Bucket['spec']): Promise<{ url: string }> {
    if (spec.quotaGiB > 100) return Promise.reject(new PermanentError('at most 100 GiB'))
    this.specs[id] = spec
    return Promise.resolve({ url: `https://buckets.example/${id}` })
  }

  delete(id: string): Promise<void> {
    delete this.specs[id]
    return Promise.resolve()
  }

  state(): Specs {
    return this.specs
  }
}

const model = bucketApi.model((state?: Specs) => new BucketModel(state))

const photos = {
  apiVersion: 'example.dev/v1',
  kind: 'Bucket',
  metadata: { name: 'photos' },
  spec: { region: 'eu-central', quotaGiB: 10 },
}
const tooLarge = { ...photos, spec: { ...photos.spec, quotaGiB: 1000 } }
const key = { namespace: 'default', name: 'photos' }

/** What happens to the next external call. */
let next: Fault | undefined
let cluster: Embedded
beforeEach(async () => {
  const faults = ({ path }: { path: string }): Fault | undefined => {
    if (!path.startsWith('bucket-api.')) return undefined
    const fault = next
    next = undefined
    return fault
  }
  cluster = await embedded({ controllers: [buckets], externals: [model], faults })
})
afterEach(async () => {
  await cluster.stop()
  vi.unstubAllGlobals()
})

const get = () => cluster.client.get(Bucket, key)
const ready = async () => findCondition((await get()).status?.conditions, 'Ready')

it('creates the bucket once, although the first response is lost', async () => {
  next = { type: 'drop-after' }
  await cluster.apply(photos)
  await cluster.advance(10_000)
  const { metadata, status } = await get()
  expect(cluster.externalCalls).toEqual(['bucket-api.put', 'bucket-api.put'])
  expect(cluster.model(model).specs).toEqual({ [metadata.uid]: photos.spec })
  expect(status?.url).toBe(`https://buckets.example/${metadata.uid}`)
  expect(matchers.toHaveCondition(await get(), 'Ready', 'True', 'Provisioned')).toMatchObject({ pass: true })
})

it('repairs drift of the other system, and writes nothing to the cluster at rest', async () => {
  await cluster.apply(photos)
  await cluster.settle()
  const { uid } = (await get()).metadata
  await cluster.model(model).delete(uid)
  expect(await cluster.writesDuring(3_600_000)).toEqual([])
  expect(cluster.model(model).specs).toHaveProperty([uid])
})

it('the finalizer example stops at a refusal until the spec changes', async () => {
  await cluster.apply(tooLarge)
  await cluster.settle()
  expect(await ready()).toMatchObject({ status: 'False', reason: 'ApiFailed', observedGeneration: 1 })
  await cluster.advance(3_600_000)
  expect(cluster.externalCalls).toEqual(['bucket-api.put'])
  await cluster.apply(photos)
  await cluster.settle()
  expect(await ready()).toMatchObject({ status: 'True', observedGeneration: 2 })
})

it('the finalizer example keeps the object until the bucket is deleted', async () => {
  await cluster.apply(photos)
  await cluster.settle()
  next = { type: 'answer', status: 503 }
  await cluster.client.delete(Bucket, key)
  await cluster.advance(1)
  expect((await get()).metadata).toMatchObject({ finalizers: ['example.dev/bucket'] })
  await cluster.settle()
  expect(cluster.model(model).specs).toEqual({})
  await expect(get()).rejects.toSatisfy(isNotFound)
})

it('the finalizer example converges whatever fails', { timeout: 120_000 }, async () => {
  const report = await explore({
    cluster: { controllers: [buckets], externals: [model] },
    steps: [
      { name: 'create', act: (explored) => explored.apply(photos) },
      { name: 'delete', act: async ({ client }) => void (await client.delete(Bucket, key)) },
    ],
  })
  expect(report.failures, report.text).toEqual([])
})

it('the finalizer example makes no call in a plan', async () => {
  const { work } = await plan({ operator: bucketsOperator, apply: [photos], now: cluster.env.now() })
  expect(work.calls).toMatchObject([{ system: 'bucket-api', method: 'put', isEnd: true }])
})

it('the finalizer example does over HTTP what it does with the model', async () => {
  const requests: string[] = []
  const responses = [new Response('', { status: 503 }), Response.json({ url: 'https://buckets.example/1' })]
  vi.stubGlobal('fetch', (_: string, { method = '', body = '' }: { method?: string; body?: string }) => {
    requests.push(`${method} ${body}`)
    return Promise.resolve(responses.shift() ?? new Response('no such bucket', { status: 404 }))
  })
  const connected = await embedded({ controllers: [buckets], externals: [bucketApi] })
  await connected.apply(photos)
  await connected.advance(10_000)
  expect((await connected.client.get(Bucket, key)).status?.url).toBe('https://buckets.example/1')
  await connected.client.delete(Bucket, key)
  await connected.settle()
  const put = `PUT ${JSON.stringify(photos.spec)}`
  expect(requests).toEqual([put, put, 'DELETE '])
  await connected.stop()
})
