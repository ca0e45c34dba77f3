/** Every decoder, with input that grows from n to 4n: the cost is linear, or the input is refused before it is paid. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/api/json.ts'
import { decodeProtobuf, encodeProtobuf } from '../../src/codec/protobuf/protobuf.ts'
import { parseYaml, writeYaml } from '../../src/codec/yaml-text.ts'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import { growthProblem, isLong, memoryProblem, timeoutMs, type Run } from './measure.ts'

let plane: ControlPlane

beforeAll(async () => {
  plane = createControlPlane()
  await send('POST', definitions, definition('things', [version('v1', 0)]))
  await send('POST', configMaps, { metadata: { name: 'live' }, data: {} })
  await send('POST', services, { metadata: { name: 'live' }, spec: { ports: [{ port: 80 }] } })
})
afterAll(async () => {
  await plane.close()
})

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const configMaps = '/api/v1/namespaces/default/configmaps'
const services = '/api/v1/namespaces/default/services'
const things = '/apis/cost.example.org/v1/namespaces/default/things'

async function send(method: string, path: string, body?: Json, type = 'application/json') {
  const headers = { 'content-type': type }
  return await plane.transport()({ method, path, headers, ...(body !== undefined && { body }) })
}

const list = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))
const map = (n: number, value: (i: number) => Json): JsonObject =>
  Object.fromEntries(list(n, (i) => [`k${i}`, value(i)]))

const limits = { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } } as const

function version(name: string, i: number, spec: JsonObject = limits): JsonObject {
  const openAPIV3Schema = { type: 'object', description: `version ${i}`, properties: { spec } }
  return { name, served: true, storage: i === 0, schema: { openAPIV3Schema } }
}

function definition(plural: string, versions: JsonObject[]): JsonObject {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`
  const names = { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` }
  const spec = { group: 'cost.example.org', scope: 'Namespaced', names, versions }
  return { metadata: { name: `${plural}.cost.example.org` }, spec }
}

const define = (spec: JsonObject): Promise<unknown> =>
  send('POST', `${definitions}?dryRun=All`, definition('others', [version('v1', 0, spec)]))

/** A YAML text, or the error that it is refused with. */
const yaml = (text: string): Promise<unknown> => {
  try {
    return Promise.resolve(parseYaml(text))
  } catch (error) {
    return Promise.resolve(error)
  }
}

const text = (body: string, type = 'application/json'): Promise<unknown> =>
  send('POST', `${configMaps}?dryRun=All`, body, type)

const patch = (path: string, kind: string, body: Json): Promise<unknown> =>
  send('PATCH', `${path}/live?dryRun=All&fieldManager=m`, body, `application/${kind}`)

const configMap = (fields: string) => `{"metadata":{"name":"x"},${fields}}`
const pairs = (n: number, pair: (i: number) => string) => list(n, pair).join(',')

const runs: Readonly<Record<string, readonly [n: number, run: Run]>> = {
  'YAML aliases': [8000, (n) => yaml(`a: &a {x: 1}\nlist: [${list(n, () => '*a').join(', ')}]\n`)],
  'YAML anchors with aliases': [4000, (n) => yaml(list(n, (i) => `k${i}: &a${i} x\nl${i}: *a${i}`).join('\n'))],
  'YAML merge keys': [
    400,
    (n) => yaml(`m0: &m0 {k: 1}\n${list(n, (i) => `m${i + 1}: &m${i + 1} {<<: [*m${i}, *m${i}]}`).join('\n')}`),
  ],
  'YAML merge keys of many keys': [2000, (n) => yaml(`a: &a {${pairs(n, (i) => `k${i}: 1`)}}\nb: {<<: *a}\n`)],
  'YAML repeated keys': [16_000, (n) => yaml(list(n, () => 'a: 1').join('\n'))],
  'YAML long lines': [200_000, (n) => Promise.resolve(writeYaml({ text: 'ab '.repeat(n).trim() }))],
  'YAML flow lists': [40_000, (n) => yaml(`[${pairs(n, () => 'x')}`)],
  'YAML comments': [16_000, (n) => yaml(list(n, (i) => `# ${i}\nk${i}: 1`).join('\n'))],
  'YAML quoted text': [40_000, (n) => yaml(`a: "${'\\n\\u0041 '.repeat(n)}"`)],
  'YAML block text': [16_000, (n) => yaml(`a: |\n${'  some text\n'.repeat(n)}`)],
  'YAML documents': [8000, (n) => yaml('a: 1\n---\n'.repeat(n))],
  'JSON repeated keys': [20_000, (n) => text(configMap(`"data":{${pairs(n, () => '"a":"b"')}}`))],
  'JSON unknown fields': [20_000, (n) => text(configMap(pairs(n, (i) => `"x${i}":1`)))],
  'JSON escapes': [100_000, (n) => text(configMap(`"data":{"a":"${'\\\\\\"'.repeat(n)}"}`))],
  'JSON syntax errors': [100_000, (n) => text(configMap(`"data":{"a":"${'b'.repeat(n)}"`))],
  protobuf: [
    20_000,
    (n) => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: map(n, () => 'v') }
      return Promise.resolve(decodeProtobuf(encodeProtobuf(object) as Uint8Array))
    },
  ],
  'merge patches': [20_000, (n) => patch(configMaps, 'merge-patch+json', { data: map(n, () => 'v') })],
  'strategic merge patches': [
    8000,
    (n) =>
      patch(services, 'strategic-merge-patch+json', {
        spec: { ports: list(n, (i) => ({ port: i + 1, name: `p${i}` })) },
      }),
  ],
  'strategic merge patches of one item': [
    8000,
    (n) => patch(services, 'strategic-merge-patch+json', { spec: { ports: list(n, () => ({ port: 80, name: 'p' })) } }),
  ],
  'strategic deletions': [
    8000,
    (n) =>
      patch(services, 'strategic-merge-patch+json', {
        spec: { ports: list(n, (i) => ({ port: i + 1, $patch: 'delete' })) },
      }),
  ],
  'strategic element orders': [
    8000,
    (n) =>
      patch(services, 'strategic-merge-patch+json', {
        spec: { '$setElementOrder/ports': list(n, (i) => ({ port: i + 1 })), ports: [{ port: 80 }] },
      }),
  ],
  'JSON patches': [
    8000,
    (n) =>
      patch(
        configMaps,
        'json-patch+json',
        list(n, (i) => ({ op: 'add', path: `/data/k${i}`, value: 'v' })),
      ),
  ],
  'JSON patches of a list': [
    8000,
    (n) =>
      patch(
        services,
        'json-patch+json',
        list(n, (i) => ({ op: 'add', path: '/spec/ports/0', value: { port: i + 1 } })),
      ),
  ],
  apply: [
    8000,
    (n) =>
      patch(services, 'apply-patch+yaml', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'live' },
        spec: { ports: list(n, (i) => ({ port: i + 1, name: `p${i}`, protocol: 'TCP' })) },
      }),
  ],
  'managed fields': [
    4000,
    (n) =>
      send('POST', `${configMaps}?dryRun=All`, {
        metadata: {
          name: 'x',
          managedFields: list(n, (i) => ({
            manager: `m${i}`,
            operation: i % 2 === 0 ? 'Apply' : 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
          })),
        },
        data: map(n, () => 'v'),
      }),
  ],
  'owner references': [
    8000,
    (n) =>
      send('POST', `${configMaps}?dryRun=All`, {
        metadata: { name: 'x', ownerReferences: list(n, (i) => owner(i, false)) },
      }),
  ],
  'owner references that are controllers': [
    2000,
    (n) =>
      send('POST', `${configMaps}?dryRun=All`, {
        metadata: { name: 'x', ownerReferences: list(n, (i) => owner(i, true)) },
      }),
  ],
  'invalid labels': [
    20_000,
    (n) => send('POST', `${configMaps}?dryRun=All`, { metadata: { name: 'x', labels: map(n, () => '!') } }),
  ],
  'label selectors': [
    20_000,
    (n) => send('GET', `${configMaps}?labelSelector=${encodeURIComponent(`a in (${pairs(n, (i) => `v${i}`)})`)}`),
  ],
  'label requirements': [20_000, (n) => send('GET', `${configMaps}?labelSelector=${pairs(n, (i) => `!k${i}`)}`)],
  'field selectors': [
    20_000,
    (n) => send('GET', `${configMaps}?fieldSelector=${pairs(n, (i) => `metadata.name!=k${i}`)}`),
  ],
  'CRD versions': [
    800,
    (n) =>
      send(
        'POST',
        `${definitions}?dryRun=All`,
        definition(
          'others',
          list(n, (i) => version(`v${i + 1}`, i)),
        ),
      ),
  ],
  'CRD properties': [
    4000,
    (n) =>
      define({
        type: 'object',
        required: list(n, (i) => `k${i}`),
        properties: map(n, () => ({ type: 'string', maxLength: 5 })),
      }),
  ],
  'CRD enums': [8000, (n) => define({ type: 'string', enum: list(n, (i) => `v${i}`) })],
  'CRD list keys': [
    1000,
    (n) =>
      define({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': list(n, (i) => `k${i}`),
        items: { type: 'object', properties: {} },
      }),
  ],
  'CRD patterns': [
    800,
    (n) => define({ type: 'object', properties: map(n, (i) => ({ type: 'string', pattern: `^(a|b){9}${n}x${i}$` })) }),
  ],
  'CRD patterns of counted repeats': [4000, (n) => define({ type: 'string', pattern: `^${'(.{0,999})'.repeat(n)}$` })],
  'CEL rules': [
    400,
    (n) =>
      define({
        type: 'object',
        properties: { a: { type: 'integer' } },
        'x-kubernetes-validations': list(n, (i) => ({ rule: `self.a != ${i}` })),
      }),
  ],
  'CEL rules with paths': [
    100,
    (n) =>
      define({
        type: 'object',
        properties: { a: { type: 'integer' }, ...map(10 * n, () => ({ type: 'string' })) },
        'x-kubernetes-validations': list(n, (i) => ({ rule: `self.a != ${i}`, fieldPath: '.a' })),
      }),
  ],
  'CEL expressions': [
    2000,
    (n) =>
      define({
        type: 'object',
        properties: { a: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: list(n, (i) => `self.a != ${i}`).join(' && ') }],
      }),
  ],
  'custom resources': [
    20_000,
    (n) =>
      send('POST', `${things}?dryRun=All`, {
        apiVersion: 'cost.example.org/v1',
        kind: 'Thing',
        metadata: { name: 'x' },
        spec: { list: list(n, (i) => `v${i}`), unknown: map(n, () => 1) },
      }),
  ],
}

function owner(i: number, controller: boolean): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: `o${i}`, uid: `u${i}`, controller }
}

describe('the cost of decoders is proportional to their input', () => {
  it.each(Object.keys(runs))(
    '%s',
    async (name) => {
      const [n, run] = runs[name] as (typeof runs)[string]
      expect(await growthProblem(run, n)).toBeUndefined()
      if (isLong) expect(await memoryProblem(run, n)).toBeUndefined()
    },
    timeoutMs,
  )
})
