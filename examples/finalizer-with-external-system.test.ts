import { findCondition, isNotFound } from 'coxswain'
import { embedded, explore, matchers, standardOracles, type Embedded, type Oracle } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Bucket, buckets } from './finalizer-with-external-system.ts'

/** The other system, in memory: what `fetch` would reach. */
class FakeBucketApi {
  readonly buckets = new Map<string, unknown>()
  readonly requests: string[] = []
  /** What happens to the next request: an error status, or a reply that is lost after the work is done. */
  next: number | 'lost-reply' | undefined

  readonly fetch: typeof fetch = (input, { method = 'GET', body } = {}) => {
    const { next } = this
    this.next = undefined
    const id = String(input).split('/').at(-1) ?? ''
    this.requests.push(method)
    if (typeof next === 'number') return Promise.resolve(new Response('as the test says', { status: next }))
    const answer = method === 'PUT' ? this.#put(id, body as string) : this.#delete(id)
    return next === 'lost-reply' ? Promise.reject(new Error('the connection broke')) : Promise.resolve(answer)
  }

  #put(id: string, body: string): Response {
    this.buckets.set(id, JSON.parse(body))
    return Response.json({ url: `https://buckets.example/${id}` })
  }

  #delete(id: string): Response {
    return this.buckets.delete(id) ? new Response() : new Response('no such bucket', { status: 404 })
  }
}

const photos = {
  apiVersion: 'example.dev/v1',
  kind: 'Bucket',
  metadata: { name: 'photos' },
  spec: { region: 'eu-central', quotaGiB: 10 },
}
const key = { namespace: 'default', name: 'photos' }

let api: FakeBucketApi
let cluster: Embedded
beforeEach(async () => {
  api = new FakeBucketApi()
  cluster = await embedded({ controllers: [buckets('http://buckets.example', api.fetch)] })
})
afterEach(() => cluster.stop())

const get = () => cluster.client.get(Bucket, key)
const ready = async () => findCondition((await get()).status?.conditions, 'Ready')

it('creates the bucket once, although the first reply is lost', async () => {
  api.next = 'lost-reply'
  await cluster.apply(photos)
  await cluster.settle()
  const { metadata, status } = await get()
  expect([...api.buckets]).toEqual([[metadata.uid, photos.spec]])
  expect(status?.url).toBe(`https://buckets.example/${metadata.uid}`)
  expect(matchers.toHaveCondition(await get(), 'Ready', 'True', 'Provisioned')).toMatchObject({ pass: true })
})

it('repairs drift of the other system, and writes nothing to the cluster at rest', async () => {
  await cluster.apply(photos)
  await cluster.settle()
  api.buckets.clear()
  expect(await cluster.writesDuring(3_600_000)).toEqual([])
  expect(api.buckets.size).toBe(1)
})

it('the finalizer example stops at a refusal until the spec changes', async () => {
  api.next = 422
  await cluster.apply(photos)
  await cluster.settle()
  expect(await ready()).toMatchObject({ status: 'False', reason: 'ApiFailed', observedGeneration: 1 })
  await cluster.advance(3_600_000)
  expect(api.requests).toEqual(['PUT'])
  await cluster.apply({ ...photos, spec: { ...photos.spec, quotaGiB: 5 } })
  await cluster.settle()
  expect(await ready()).toMatchObject({ status: 'True', observedGeneration: 2 })
})

it('the finalizer example keeps the object until the bucket is deleted', async () => {
  await cluster.apply(photos)
  await cluster.settle()
  api.next = 503
  await cluster.client.delete(Bucket, key)
  await cluster.advance(1)
  expect((await get()).metadata).toMatchObject({ finalizers: ['example.dev/bucket'] })
  expect(api.buckets.size).toBe(1)
  await cluster.settle()
  expect(api.buckets.size).toBe(0)
  await expect(get()).rejects.toSatisfy(isNotFound)
})

it('the finalizer example converges when any call fails, and never leaves a bucket behind', async () => {
  const external = new FakeBucketApi()
  const noneLeftBehind: Oracle = {
    name: 'no bucket is left behind',
    change: ({ type, object }) =>
      type === 'delete' && object.kind === 'Bucket' && external.buckets.has(object.metadata.uid ?? '')
        ? 'the object is gone, and the bucket is not'
        : undefined,
  }
  const report = await explore({
    cluster: { controllers: () => [buckets('http://buckets.example', external.fetch)] },
    oracles: [...standardOracles, noneLeftBehind],
    steps: [
      { name: 'create', act: (explored) => explored.apply(photos) },
      {
        name: 'delete',
        act: async ({ client }) => {
          // Each run starts from a snapshot of the cluster. The other system is no part of that.
          external.buckets.set((await client.get(Bucket, key)).metadata.uid, photos.spec)
          await client.delete(Bucket, key)
        },
      },
    ],
    atMost: 60,
  })
  expect(report.failures, report.text).toEqual([])
})
