#!/usr/bin/env node
// Makes the fixtures from recordings of a real kube-apiserver: `node test/conformance/import-golden.mjs [FOLDER]`.
// Facts are kept, prose is not: descriptions of OpenAPI documents and of table columns are taken out. Long filler
// strings are stored as { "$repeat": [text, times] }. Files that stay large are compressed.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const source = process.argv[2] ?? fileURLToPath(new URL('../../../shared/golden', import.meta.url))
const target = fileURLToPath(new URL('./fixtures', import.meta.url))
const plainLimit = 512 * 1024

/**
 * Requests that the recorder sent without writing them down; discovery and OpenAPI documents of 05 show their effect.
 * They are replayed before the file's first record and not compared.
 */
const setup = {
  '05-discovery-misc': [
    {
      n: 0,
      setup: 'the custom resource whose endpoints the following records show',
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      tok: 'admintoken',
      headers: {},
      body: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'foos.ex.io' },
        spec: {
          group: 'ex.io',
          scope: 'Namespaced',
          names: { plural: 'foos', singular: 'foo', kind: 'Foo' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              subresources: { status: {} },
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: { type: 'object', properties: { a: { type: 'string' } } },
                    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  },
                },
              },
            },
          ],
        },
      },
      status: 201,
      resHeaders: {},
    },
  ],
}

/** A property that is called `description` is an object, prose is a string. */
function withoutDescriptions(value) {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => key !== 'description' || typeof child !== 'string')
      .map(([key, child]) => [key, withoutDescriptions(child)]),
  )
}

function withRepeats(value) {
  if (typeof value === 'string') {
    const first = value[0]
    return value.length > 1000 && value === first.repeat(value.length) ? { $repeat: [first, value.length] } : value
  }
  if (Array.isArray(value)) return value.map(withRepeats)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withRepeats(child)]))
}

function compact(record) {
  const result = { ...record }
  if ('body' in record) result.body = withRepeats(record.body)
  if (record.path?.startsWith('/openapi/')) result.res = withoutDescriptions(record.res)
  if (record.res?.kind === 'Table' && Array.isArray(record.res.columnDefinitions)) {
    result.res = { ...record.res, columnDefinitions: record.res.columnDefinitions.map(withoutDescriptions) }
  }
  return result
}

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
for (const file of readdirSync(source).filter((name) => name.endsWith('.jsonl')).toSorted()) {
  const name = file.slice(0, -'.jsonl'.length)
  const records = readFileSync(join(source, file), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const lines = [...(setup[name] ?? []), ...records.map(compact)].map((record) => `${JSON.stringify(record)}\n`).join('')
  const small = Buffer.byteLength(lines) <= plainLimit
  const bytes = small ? Buffer.from(lines) : gzipSync(lines, { level: 9 })
  writeFileSync(join(target, small ? file : `${file}.gz`), bytes)
  console.log(`${file}: ${records.length} records, ${bytes.length} bytes`)
}
