/**
 * Objects with many invalid fields at once: which errors are reported, and in which order. Combines the invalid
 * variants of the manifests, a few at a time and as many as possible; a kind that is added there is automatically in
 * this topic.
 */
import { isObject, setOwn } from '../../../src/api/json.ts'
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Case, Topic } from '../case.ts'
import { manifests } from '../manifests/index.ts'
import type { KindManifests } from '../manifests/manifest.ts'
import { merged, nameOf, placed, requestsOf } from '../manifests/placed.ts'
import { object } from '../objects.ts'
import { clusterResource, define, resource, thing, thingDefinition, things } from '../steps.ts'

/** How many objects combine some invalid variants of a kind, besides the one that combines all. */
const mixes = 10

function caseOf(unplaced: KindManifests): Case {
  const kind = placed(unplaced)
  const { full, tended } = kind
  const requests = requestsOf(kind)
  const patches = mixed(kind)
  const name = `${String(full['apiVersion'])} ${kind.kind}`
  if (tended === true)
    return { name, steps: patches.map((patch) => requests.create(merged(full, patch), 'dryRun=All')) }
  return {
    name,
    steps: [
      ...patches.map((patch) => requests.create(merged(full, patch), 'dryRun=All')),
      { ...requests.create(full), setup: true },
      ...patches.map((patch) => requests.merge(nameOf(full), patch)),
    ],
  }
}

/** Each mix starts at another variant, so that each variant is in some mix. The last has as many as possible. */
function mixed({ full, bad }: KindManifests): JsonObject[] {
  const patches = bad.map(({ patch }) => patch).filter((patch) => sameTypes(full, patch))
  const step = Math.max(1, Math.floor(patches.length / mixes))
  const starts = Array.from({ length: Math.min(mixes, patches.length) }, (_, i) => i * step)
  const rotated = starts.map((start) => [...patches.slice(start), ...patches.slice(0, start)])
  const few = rotated.map((order, i) => together(order, 2 + i))
  const all = together(patches.toReversed(), patches.length)
  return [...new Map([...few, all].map((patch) => [JSON.stringify(patch), patch])).values()]
}

/** Merges up to `count` patches that do not touch the same values. */
function together(patches: readonly JsonObject[], count: number): JsonObject {
  let result: JsonObject = {}
  let taken = 0
  for (const patch of patches) {
    if (taken === count) break
    if (!apart(result, patch)) continue
    result = united(result, patch)
    taken++
  }
  return result
}

/** Maps that upstream validates in random order: the order of several errors in them is random. */
const maps: ReadonlySet<string> = new Set([
  'labels',
  'annotations',
  'matchLabels',
  'data',
  'hard',
  'limits',
  'requests',
  'capacity',
  'podFixed',
])

function apart(a: JsonObject, b: JsonObject): boolean {
  return Object.entries(b).every(([key, value]) => {
    const other = a[key]
    return other === undefined || (!maps.has(key) && isObject(other) && isObject(value) && apart(other, value))
  })
}

function united(a: JsonObject, b: JsonObject): JsonObject {
  const result: JsonObject = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const other = result[key]
    setOwn(result, key, isObject(other) && isObject(value) ? united(other, value) : value)
  }
  return result
}

/** A value of another type fails decoding, which hides all other errors. */
function sameTypes(full: Json | undefined, patch: Json): boolean {
  if (full === undefined || patch === null) return true
  if (isObject(full) && isObject(patch))
    return Object.entries(patch).every(([key, value]) => sameTypes(full[key], value))
  return typeof full === typeof patch && Array.isArray(full) === Array.isArray(patch)
}

const text = { type: 'string' }
const whole = { type: 'integer' }

/** A schema with many kinds of bounds and rules. */
const schema: JsonObject = {
  spec: {
    type: 'object',
    required: ['name', 'size', 'kind'],
    'x-kubernetes-validations': [
      { rule: '!has(self.low) || !has(self.high) || self.low <= self.high', message: 'low must not be above high' },
      {
        rule: '!has(self.ports) || self.ports.all(p, p.port < 60000)',
        messageExpression: '"ports of " + self.name',
        reason: 'FieldValueForbidden',
      },
      { rule: 'self.name == oldSelf.name', message: 'name may not change', fieldPath: '.name' },
    ],
    properties: {
      name: { ...text, minLength: 2, maxLength: 8, pattern: '^[a-z]+$' },
      kind: { ...text, enum: ['big', 'small'] },
      size: { ...whole, minimum: 1, maximum: 9, multipleOf: 2 },
      low: whole,
      high: whole,
      when: { ...text, format: 'date-time' },
      address: { ...text, format: 'ipv4' },
      tags: { type: 'array', maxItems: 3, items: { ...text, maxLength: 3 }, 'x-kubernetes-list-type': 'set' },
      ports: {
        type: 'array',
        maxItems: 9,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port'],
        items: {
          type: 'object',
          required: ['port', 'name'],
          properties: { port: { ...whole, minimum: 1 }, name: { ...text, minLength: 1 } },
        },
      },
      labels: { type: 'object', maxProperties: 1, additionalProperties: { ...text, pattern: '^v' } },
      either: { 'x-kubernetes-int-or-string': true },
    },
  },
}
const right: JsonObject = { name: 'good', kind: 'big', size: 4, low: 1, high: 2, ports: [{ port: 1, name: 'a' }] }
const wrong: readonly JsonObject[] = [
  {},
  { name: '', kind: '', size: 0 },
  { name: 'TooLongName', kind: 'huge', size: 11 },
  { ...right, low: 3, high: 1, ports: [{ port: 60_001, name: 'a' }] },
  { ...right, name: 'b1', low: 3, high: 1, when: 'yesterday', address: '1.2.3' },
  { ...right, tags: ['a', 'a', 'long', 'b'], labels: { a: 'x', b: 'y' } },
  { ...right, ports: [{ port: 1 }, { name: '' }, { port: 0, name: '' }] },
  {
    ...right,
    ports: [
      { port: 1, name: 'a' },
      { port: 1, name: 'b' },
    ],
    tags: ['b', 'b'],
    size: 3,
  },
  { name: 5, kind: true, size: 'x', low: 1.5, when: {}, tags: {}, ports: 'x', labels: [] },
  { ...right, either: true, high: 'x', tags: [1, null] },
  {
    name: 'x',
    size: -1,
    kind: 'Big',
    low: 9,
    high: 1,
    when: '',
    address: '::1',
    tags: ['abcd'],
    labels: { a: '' },
    either: [],
  },
]
const named = (name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => thing(name, { spec }, metadata)

const customResources: Case = {
  name: 'custom resources',
  steps: [
    define(thingDefinition(schema)),
    ...wrong.map((spec, i) => things.create(named(`new-${i}`, spec))),
    ...wrong.map((spec, i) => things.create(named(`Bad_${i}`, spec))),
    things.create(named('there', right)),
    ...wrong.map((spec) => things.replace('there', named('there', spec, { labels: { 'a b': '!' } }))),
    ...wrong.map((spec) => things.merge('there', { spec })),
    ...wrong.map((spec) => things.apply('there', named('there', spec), 'fieldManager=m&force=true')),
  ],
}

const slices = resource('endpointslices', 'discovery.k8s.io/v1')
const slice = (addressType: string, ...addresses: string[]): JsonObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: addressType.toLowerCase() },
  addressType,
  endpoints: addresses.map((address) => ({ addresses: [address] })),
  ports: [{ name: 'A_', port: 1 }],
})

const ipAddresses = clusterResource('ipaddresses', 'networking.k8s.io/v1')
const apiServices = clusterResource('apiservices', 'apiregistration.k8s.io/v1')
const serviceRanges = clusterResource('servicecidrs', 'networking.k8s.io/v1')
const oddAddresses = [
  '192.0.02.1',
  '::ffff:192.0.2.1',
  '::ffff:192.0.02.1',
  '2001:DB8::1',
  '2001:0db8::1',
  '192.0.2.256',
  '192.0.2',
  'a/b',
  '2001:db8::01',
]
const oddRanges = [
  '192.0.02.0/24',
  '192.0.2.0/024',
  '::ffff:192.0.2.0/120',
  '2001:DB8::/64',
  '2001:db8::1/64',
  '192.0.2.0/33',
  '192.0.2.0',
  '2001:0db8::/32',
]

/** The validation of addresses and host names depends on the field, and ratcheting tolerates existing values. */
const addresses: Case = {
  name: 'addresses',
  steps: [
    slices.create(
      slice(
        'IPv6',
        '2001:DB8::1',
        '2001:db8:0::1',
        '::1',
        '192.0.2.1',
        '::ffff:192.0.2.1',
        'fe80::1',
        'x',
        '2001:db8::2',
      ),
    ),
    slices.create(
      slice('IPv4', '192.0.02.1', '127.0.0.1', '169.254.0.1', '0.0.0.0', '2001:db8::1', '::ffff:192.0.2.1', 'x'),
    ),
    slices.create(
      slice('FQDN', 'a.example.com.', 'A_b', '192.0.2.1', '', 'alone', `${'x'.repeat(64)}.com`, 'a..b', 'a.'),
    ),
    slices.create({ ...slice('IPv4', '192.0.2.1'), ports: [] }),
    slices.merge('ipv4', { addressType: 'IPv6' }),
    slices.merge('ipv4', {
      addressType: 'IPv6',
      endpoints: [{ addresses: ['192.0.2.1'], hostname: 'A_b' }, { addresses: [] }],
    }),
    ...oddAddresses.map((name) =>
      ipAddresses.create(object('networking.k8s.io/v1', 'IPAddress', name, { spec: {} }), 'dryRun=All'),
    ),
    ...['A_b', 'a/b', 'v1.example.com', 'v1.'].map((name) =>
      apiServices.create(
        object('apiregistration.k8s.io/v1', 'APIService', name, { spec: { version: 'v1' } }),
        'dryRun=All',
      ),
    ),
    serviceRanges.create(
      object('networking.k8s.io/v1', 'ServiceCIDR', '{{ns}}', { spec: { cidrs: oddRanges } }),
      'dryRun=All',
    ),
    ...oddRanges.map((range) =>
      serviceRanges.create(
        object('networking.k8s.io/v1', 'ServiceCIDR', '{{ns}}', { spec: { cidrs: [range] } }),
        'dryRun=All',
      ),
    ),
  ],
}

export const manyWrong: Topic = { name: 'many-wrong', cases: [...manifests.map(caseOf), customResources, addresses] }
