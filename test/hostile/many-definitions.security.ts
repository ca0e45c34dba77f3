/**
 * Schemas of maximum size and of great depth, and 500 definitions at once: memory stays in proportion, and documents
 * are served.
 */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/json.ts'
import { hostileCluster, liveBytes } from './definitions.ts'

const cluster = hostileCluster()

const mebibyte = 1024 * 1024

/** A schema with as many fields as needed for this size, in bytes of JSON. */
function wideSchema(bytes: number): JsonObject {
  const properties: JsonObject = {}
  for (let i = 0, size = 0; size < bytes; i++) {
    const field = {
      type: 'string',
      maxLength: 100,
      pattern: `^[a-z]{1,${(i % 50) + 1}}$`,
      description: 'what it is for',
    }
    properties[`field${i}`] = field
    size += JSON.stringify(field).length + 14
  }
  return { type: 'object', properties }
}

function deepSchema(depth: number, leaf: JsonObject): JsonObject {
  let schema = leaf
  for (let i = 0; i < depth; i++) schema = { type: 'object', properties: { a: schema } }
  return schema
}

function deepValue(depth: number): JsonObject {
  let value: JsonObject = {}
  for (let i = 0; i < depth; i++) value = { a: value }
  return value
}

async function answersDocuments(...paths: string[]): Promise<void> {
  for (const path of ['/apis', '/openapi/v3', '/openapi/v2', ...paths]) {
    expect((await cluster.send('GET', path)).status, path).toBe(200)
  }
}

describe('a schema of 1 MiB', () => {
  it('a schema of 1 MiB is served with a small multiple of its size', async () => {
    const schema = wideSchema(mebibyte)
    const before = liveBytes()
    expect(await cluster.define(schema)).toMatchObject({ message: '', status: 201 })
    const fields = Object.keys(schema['properties'] as JsonObject)
    const spec = Object.fromEntries(fields.map((field) => [field, 'a']))
    expect((await cluster.create(spec)).status).toBe(201)
    const grown = liveBytes() - before
    expect(grown).toBeLessThan(64 * mebibyte)
    const wrong = await cluster.create(Object.fromEntries(fields.map((field) => [field, 'A'])))
    expect(wrong.status).toBe(422)
    await answersDocuments('/openapi/v3/apis/hostile.example.org/v1')
  })

  it('a schema of 1 MiB is refused where the object is larger than a store takes', async () => {
    expect(await cluster.define(wideSchema(1.7 * mebibyte))).toMatchObject({
      status: 500,
      message: 'etcdserver: request is too large',
    })
    expect((await cluster.define(wideSchema(4 * mebibyte))).status).toBe(413)
  })
})

describe('depth', () => {
  const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

  it.each([100, 300])('a depth of %i levels in a schema is served', async (depth) => {
    expect(await cluster.define(deepSchema(depth, free))).toMatchObject({ message: '', status: 201 })
    expect((await cluster.create(deepValue(depth))).status).toBe(201)
    await answersDocuments('/openapi/v3/apis/hostile.example.org/v1')
  })

  it.each([1000, 100_000])('a depth of %i levels is refused, in a schema and in a value', async (depth) => {
    expect(await cluster.define(deepSchema(depth, free))).toMatchObject({ status: 400, message: 'exceeded max depth' })
    expect((await cluster.define(free)).status).toBe(201)
    expect(await cluster.create(deepValue(depth))).toMatchObject({ status: 400, message: 'exceeded max depth' })
  })

  it('a depth cannot be had by copying an object into itself', async () => {
    expect((await cluster.define(free)).status).toBe(201)
    expect((await cluster.create(deepValue(300))).status).toBe(201)
    const codes: number[] = []
    for (let depth = 300; depth < 5000; depth *= 2) {
      const path = `/spec${'/a'.repeat(depth)}`
      const patch = [{ op: 'copy', from: '/spec', path }]
      codes.push(
        (await cluster.send('PATCH', '/apis/hostile.example.org/v1/namespaces/default/hostiles/a', patch)).status,
      )
    }
    expect(codes).toEqual([200, 422, 422, 422, 422])
  })
})

describe('500 definitions', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      text: { type: 'string', pattern: '^a+$' },
      list: { type: 'array', maxItems: 5, items: { type: 'integer' } },
    },
    'x-kubernetes-validations': [{ rule: '!has(self.list) || self.list.all(item, item > 0)' }],
  }
  const install = async (from: number, to: number): Promise<void> => {
    for (let i = from; i < to; i++) expect((await cluster.define(schema, `kind${i}`)).status).toBe(201)
  }

  it('500 definitions take memory in proportion, and are all served', async () => {
    await install(0, 100)
    const first = liveBytes()
    await install(100, 300)
    const second = liveBytes()
    await install(300, 500)
    const third = liveBytes()
    const each = { early: (second - first) / 200, late: (third - second) / 200 }
    expect(each.early).toBeLessThan(128 * 1024)
    expect(each.late).toBeLessThan(each.early * 1.5)
    expect((await cluster.create({ text: 'aaa', list: [1, 2] }, 'kind499')).status).toBe(201)
    expect((await cluster.create({ list: [0] }, 'kind0')).status).toBe(422)
    await answersDocuments('/openapi/v3/apis/kind499.example.org/v1')
    const groups = (await cluster.send('GET', '/apis')).body as { groups: { name: string }[] }
    expect(groups.groups.filter(({ name }) => name.endsWith('.example.org'))).toHaveLength(500)
  })
})
