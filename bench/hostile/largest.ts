/** The largest bodies and responses that the server takes, for each decoder and verb: 3 MiB, or 1.5 MB if stored. */
import { encodeProtobuf } from '../../src/codec/protobuf/protobuf.ts'
import type { JsonObject } from '../../src/api/json.ts'
import type { HostileClient, Sent } from './client.ts'
import { configMaps, define, definition, definitions, input, list, thing, things, type Input } from './inputs.ts'

const bodyBytes = 3_000_000
const storedBytes = 1_400_000
const services = '/api/v1/namespaces/default/services'
const pods = '/api/v1/namespaces/default/pods'

const keys = (n: number, value: (i: number) => unknown) =>
  Object.fromEntries(list(n, (i) => [`key-${String(i).padStart(7, '0')}`, value(i)]))

const configMap = (id: string, n: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: id },
  data: keys(Math.floor(n / 20), () => 'v') as JsonObject,
})

const bytes = (name: string, sizes: readonly number[], request: (n: number, id: string) => Sent, more = {}): Input =>
  input(name, 'bytes', sizes, 2000, request, more)

const live = (path: string, body: object) => ({
  prepare: async (client: HostileClient) => void (await client.send({ path, body })),
})
const patched =
  (path: string, type: string, body: (n: number) => unknown) =>
  (n: number): Sent => ({
    method: 'PATCH',
    path: `${path}/live?fieldManager=m&force=${type.startsWith('apply')}`.replace('&force=false', ''),
    type: `application/${type}`,
    body: JSON.stringify(body(n)),
  })

const nestedList = '['.repeat(100) + ']'.repeat(100)
const nothing = { metadata: { name: 'live' } }
const service = { metadata: { name: 'live' }, spec: { ports: [{ port: 80 }] } }
const ports = (n: number) => list(Math.floor(n / 50), (i) => ({ name: `p${i}`, port: i + 1, protocol: 'TCP' }))
const unknown = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const typed = {
  type: 'object',
  properties: {
    list: { type: 'array', items: { type: 'integer' } },
    items: {
      type: 'array',
      items: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer', default: 1 } } },
    },
  },
}

const filled: Pick<Input, 'prepare'> = {
  prepare: async (client, n) => {
    await Promise.all(
      list(50, async (w) => {
        for (let i = w; i < n; i += 50) {
          await client.send({ path: configMaps, body: { metadata: { name: `c${i}` }, data: { a: 'b' } } })
        }
      }),
    )
  },
}
const read = (name: string, path: string, accept?: string): Input =>
  input(name, 'objects', [5000], 1, () => ({ method: 'GET', path, ...(accept !== undefined && { accept }) }), filled)
const fetched = (path: string, accept?: string): Input =>
  input(`GET ${path}`, 'time', [1], 1, () => ({ method: 'GET', path, ...(accept !== undefined && { accept }) }))

export const largestInputs: readonly Input[] = [
  bytes('JSON body, one text', [storedBytes, bodyBytes], (n, id) => ({
    path: configMaps,
    body: { metadata: { name: id }, data: { a: 'x'.repeat(n) } },
  })),
  bytes('JSON body, many keys', [storedBytes, bodyBytes], (n, id) => ({ path: configMaps, body: configMap(id, n) })),
  bytes('JSON body, unknown fields', [bodyBytes], (n, id) => ({
    path: configMaps,
    body: { metadata: { name: id }, ...keys(Math.floor(n / 20), () => 1) },
  })),
  bytes('JSON body, small values', [bodyBytes], (n, id) => ({
    path: configMaps,
    body: `{"metadata":{"name":"${id}"},"data":{},"x":[${list(Math.floor(n / 2), () => '1').join(',')}]}`,
  })),
  bytes('JSON body, nested lists', [bodyBytes], (n, id) => ({
    path: configMaps,
    body: `{"metadata":{"name":"${id}"},"x":[${list(Math.floor(n / 201), () => nestedList).join(',')}]}`,
  })),
  bytes('YAML body, one text', [bodyBytes], (n, id) => ({
    path: configMaps,
    type: 'application/yaml',
    body: `metadata: {name: ${id}}\ndata:\n  a: ${'x'.repeat(n)}\n`,
  })),
  bytes('YAML body, block lines', [bodyBytes], (n, id) => ({
    path: configMaps,
    type: 'application/yaml',
    body: `metadata: {name: ${id}}\ndata:\n  a: |\n${'    some text\n'.repeat(Math.floor(n / 14))}`,
  })),
  bytes('YAML body, many keys', [300_000, storedBytes, bodyBytes], (n, id) => ({
    path: configMaps,
    type: 'application/yaml',
    body: `metadata: {name: ${id}}\ndata:\n${list(Math.floor(n / 20), (i) => `  key-${i}: v${i}\n`).join('')}`,
  })),
  bytes('YAML body, flow list', [bodyBytes], (n, id) => ({
    path: configMaps,
    type: 'application/yaml',
    body: `metadata: {name: ${id}}\nx: [${list(Math.floor(n / 2), () => '1').join(',')}]\n`,
  })),
  bytes('protobuf body', [storedBytes, bodyBytes], (n, id) => ({
    path: configMaps,
    type: 'application/vnd.kubernetes.protobuf',
    body: encodeProtobuf(configMap(id, n)) as Uint8Array,
  })),
  bytes('pod, many containers', [storedBytes, bodyBytes], (n, id) => ({
    path: pods,
    body: {
      metadata: { name: id },
      spec: {
        containers: list(Math.floor(n / 100), (i) => ({
          name: `c${i}`,
          image: 'i:1',
          env: [{ name: 'A', value: 'x'.repeat(30) }],
        })),
      },
    },
  })),
  bytes(
    'merge patch',
    [storedBytes],
    patched(configMaps, 'merge-patch+json', (n) => ({ data: keys(Math.floor(n / 20), () => 'v') })),
    live(configMaps, nothing),
  ),
  bytes(
    'strategic merge patch',
    [storedBytes],
    patched(services, 'strategic-merge-patch+json', (n) => ({ spec: { ports: ports(n) } })),
    live(services, service),
  ),
  bytes(
    'JSON patch',
    [bodyBytes],
    patched(configMaps, 'json-patch+json', (n) =>
      list(Math.min(9999, Math.floor(n / 300)), (i) => ({
        op: 'add',
        path: i === 0 ? '/data' : `/data/k${i}`,
        value: i === 0 ? {} : 'x'.repeat(100),
      })),
    ),
    live(configMaps, nothing),
  ),
  bytes(
    'apply',
    [600_000, storedBytes],
    patched(configMaps, 'apply-patch+yaml', (n) => configMap('live', n)),
    live(configMaps, nothing),
  ),
  bytes(
    'apply of a service',
    [storedBytes],
    patched(services, 'apply-patch+yaml', (n) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'live' },
      spec: { ports: ports(n) },
    })),
    live(services, service),
  ),
  bytes(
    'custom resource, integers',
    [storedBytes],
    (n, id) => ({ path: things, body: thing(id, { list: list(Math.floor(n / 2), () => 1) }) }),
    {
      prepare: (client: HostileClient) => define(client, typed),
    },
  ),
  bytes(
    'custom resource, defaults',
    [storedBytes],
    (n, id) => ({ path: things, body: thing(id, { items: list(Math.floor(n / 20), () => ({})) }) }),
    {
      prepare: (client: HostileClient) => define(client, typed),
    },
  ),
  bytes(
    'custom resource, large defaults',
    [storedBytes],
    (n, id) => ({ path: things, body: thing(id, { items: list(Math.floor(n / 3), () => ({})) }) }),
    {
      prepare: (client: HostileClient) =>
        define(client, {
          type: 'object',
          properties: {
            items: {
              type: 'array',
              items: { type: 'object', properties: { a: { type: 'string', default: 'x'.repeat(10_000) } } },
            },
          },
        }),
    },
  ),
  bytes(
    'custom resource, unknown fields',
    [storedBytes],
    (n, id) => ({ path: things, body: thing(id, { x: list(Math.floor(n / 8), () => ({ a: 1 })) }) }),
    {
      prepare: (client: HostileClient) => define(client, unknown),
    },
  ),
  bytes(
    'apply of a custom resource',
    [storedBytes],
    (n, id) => ({
      ...patched(things, 'apply-patch+yaml', () =>
        thing('live', { items: list(Math.floor(n / 15), () => ({ a: 'b' })) }),
      )(n),
      path: `${things}/${id}?fieldManager=m`.replace('large', 'live').replace(/small-\d/, 'live'),
    }),
    { prepare: (client: HostileClient) => define(client, typed) },
  ),
  bytes('CRD, many properties', [300_000, storedBytes], (n, id) => ({
    path: definitions,
    body: definition(
      { type: 'object', properties: keys(Math.floor(n / 50), () => ({ type: 'string', maxLength: 5 })) },
      1,
      `${id.replace('-', '')}s`,
    ),
  })),
  bytes('CRD, many rules', [300_000, storedBytes], (n, id) => ({
    path: definitions,
    body: definition(
      {
        type: 'object',
        properties: { a: { type: 'integer' } },
        'x-kubernetes-validations': list(Math.floor(n / 30), (i) => ({ rule: `self.a != ${i}` })),
      },
      1,
      `${id.replace('-', '')}s`,
    ),
  })),
  bytes('CRD, one long rule', [storedBytes], (n, id) => ({
    path: definitions,
    body: definition(
      {
        type: 'object',
        properties: { a: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: list(Math.floor(n / 20), (i) => `self.a != ${i}`).join(' && ') }],
      },
      1,
      `${id.replace('-', '')}s`,
    ),
  })),
  bytes('CRD, large enum', [storedBytes], (n, id) => ({
    path: definitions,
    body: definition({ type: 'string', enum: list(Math.floor(n / 12), (i) => `v${i}`) }, 1, `${id.replace('-', '')}s`),
  })),
  read('list', configMaps),
  read('list as a table', configMaps, 'application/json;as=Table;v=v1;g=meta.k8s.io'),
  read('list as YAML', configMaps, 'application/yaml'),
  read('list as protobuf', configMaps, 'application/vnd.kubernetes.protobuf'),
  fetched('/openapi/v2'),
  fetched('/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'),
  fetched('/openapi/v3/apis/apps/v1'),
  fetched('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'),
]
