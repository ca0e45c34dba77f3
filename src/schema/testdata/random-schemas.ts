/** Random schemas, and mostly valid objects for them: samples for tests of defaulting and validation. */
import fc from 'fast-check'
import type { Json, JsonObject } from '../../api/json.ts'
import { t } from '../t.ts'
import { resource } from '../resource.ts'
import type { Fields } from '../collection-nodes.ts'
import type { SchemaNode } from '../node.ts'

type AnyNode = SchemaNode<unknown, unknown, 'required'>

/** A node, values for it (most of them valid), and a valid default. */
export interface Sample {
  readonly node: AnyNode
  readonly values: fc.Arbitrary<Json>
  readonly fallback: Json
}

const words = fc.constantFrom(
  '',
  'a',
  'ab',
  'abc',
  'b',
  'cba',
  'A',
  'aaaaaaaa',
  'ä€',
  '10.0.0.1',
  '2024-02-03',
  '5m',
  '1Gi',
  'x y',
  'True',
)
const numbers = fc.constantFrom(-1, 0, 1, 2, 3, 7, 10, 1.5, 2147483648, 9007199254740991, 1e300)
/** Values of any type, for positions that need another one. */
const anything: fc.Arbitrary<Json> = fc.oneof(
  words,
  numbers,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom<Json>([], {}, ['a'], { a: 'a' }, [{}], [null], { b: { a: 1 } }),
)

const sample = (node: AnyNode, values: fc.Arbitrary<Json>, fallback: Json): Sample => ({
  node,
  fallback,
  values: fc.oneof({ weight: 2, arbitrary: values }, { weight: 1, arbitrary: fc.constant(fallback) }),
})

const scalars: readonly Sample[] = [
  sample(t.string(), words, 'a'),
  sample(t.string().minLength(1).maxLength(3), words, 'ab'),
  sample(t.string().pattern('^[a-c]*$').maxLength(20).rule('self != "cba"', { message: 'not backwards' }), words, ''),
  sample(t.string().format('ipv4'), words, '10.0.0.1'),
  sample(t.string().format('date'), words, '2024-02-03'),
  sample(t.string().format('k8s-short-name').describe('a name'), words, 'ab'),
  sample(t.int().min(0).max(7), numbers, 1),
  sample(
    t
      .int()
      .above(0)
      .multipleOf(2)
      .rule('self < 10', { messageExpression: 'self > 1000 ? "far too many" : "too many"' }),
    numbers,
    2,
  ),
  sample(t.int64(), numbers, 3),
  sample(t.number().below(3), numbers, 1.5),
  sample(t.boolean(), fc.boolean(), false),
  sample(t.enum('a', 'b'), words, 'b'),
  sample(t.literal(2), numbers, 2),
  sample(t.intOrString(), fc.oneof(words, numbers), 'a'),
  sample(t.quantity(), fc.oneof(words, numbers), '1Gi'),
  sample(t.time(), fc.oneof(words, fc.constant('2024-02-03T04:05:06Z')), '2024-02-03T04:05:06Z'),
  sample(t.duration(), words, '5m'),
]

const nullableScalars = scalars.map(({ node, values, fallback }) =>
  sample(
    node.nullable(),
    fc.oneof({ weight: 3, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) }),
    fallback,
  ),
)

const embedded = fc.constantFrom<Json>(
  { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', labels: { a: 'b' } }, x: 1 },
  { apiVersion: 'v1', kind: 'A' },
  { kind: 'a' },
  { apiVersion: 'v1', kind: '', metadata: {} },
  { apiVersion: 'a/b/c', kind: 'A', metadata: { name: 'A_' } },
)

const special: readonly Sample[] = [
  sample(t.json(), anything, { a: 1 }),
  sample(t.json().nullable(), anything, 1),
  sample(t.embedded(), embedded, { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } }),
  sample(t.labels(), fc.dictionary(words, words, { maxKeys: 3 }), {}),
]

const presences = fc.constantFrom('required', 'optional', 'default')
const fieldNames = ['a', 'b', 'c', 'd'] as const

/** Values of an object: its fields, sometimes with a missing, wrong or unknown one. */
function objectValues(fields: ReadonlyMap<string, fc.Arbitrary<Json>>): fc.Arbitrary<Json> {
  const model: Record<string, fc.Arbitrary<Json>> = { unknown: words }
  for (const [name, values] of fields)
    model[name] = fc.oneof({ weight: 20, arbitrary: values }, { weight: 1, arbitrary: anything })
  const required = [...fields.keys()]
  return fc.oneof(
    { weight: 3, arbitrary: fc.record<JsonObject>(model, { requiredKeys: required }) },
    { weight: 1, arbitrary: fc.record<JsonObject>(model, { requiredKeys: [] }) },
  )
}

function objectSample(members: readonly (readonly [name: string, sample: Sample, presence: string])[]): Sample {
  const fields: Record<string, SchemaNode> = {}
  const fallback: JsonObject = {}
  for (const [name, { node, fallback: value }, presence] of members) {
    fields[name] = presence === 'optional' ? node.optional() : presence === 'default' ? node.default(value) : node
    if (presence === 'required') fallback[name] = value
  }
  const values = objectValues(new Map(members.map(([name, { values }]) => [name, values])))
  return sample(t.object(fields), values, fallback)
}

function arraySample({ node, values, fallback }: Sample, how: string): Sample {
  const list = t.array(node)
  const lists = fc.array(values, { maxLength: 4 })
  if (how === 'limits') return sample(list.minItems(1).maxItems(3), lists, [fallback])
  return sample(how === 'set' ? list.set() : list.atomic(), lists, [])
}

const keyed: Sample = (() => {
  const item = t.object({ name: t.string(), port: t.int().default(80), note: t.string().optional() })
  const fields = new Map<string, fc.Arbitrary<Json>>([
    ['name', fc.constantFrom('a', 'b')],
    ['port', fc.constantFrom(80, 81)],
  ])
  return sample(t.array(item).mapBy('name', 'port'), fc.array(objectValues(fields), { maxLength: 3 }), [{ name: 'a' }])
})()

const { node: nodes } = fc.letrec<{ node: Sample; object: Sample; array: Sample; map: Sample }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: fc.constantFrom(...scalars) },
    { weight: 2, arbitrary: fc.constantFrom(...nullableScalars) },
    { weight: 1, arbitrary: fc.constantFrom(...special, keyed) },
    { weight: 3, arbitrary: tie('object') },
    { weight: 2, arbitrary: tie('array') },
    { weight: 1, arbitrary: tie('map') },
  ),
  object: fc
    .uniqueArray(fc.constantFrom(...fieldNames), { minLength: 1 })
    .chain((names) =>
      fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), tie('node'), presences))).map(objectSample),
    ),
  array: fc.oneof(
    fc.constantFrom(...scalars).map((item) => arraySample(item, 'set')),
    fc.tuple(tie('node'), fc.constantFrom('limits', 'atomic')).map(([item, how]) => arraySample(item, how)),
  ),
  map: tie('node').map(({ node, values }) =>
    sample(t.map(node).maxProperties(2), fc.dictionary(fc.constantFrom('a', 'b', 'c'), values, { maxKeys: 3 }), {}),
  ),
}))

const specs: fc.Arbitrary<Sample> = fc
  .array(fc.tuple(nodes, presences), { minLength: 1, maxLength: 4 })
  .map((members) => objectSample(members.map(([member, presence], i) => [`p${i}`, member, presence] as const)))

export const sampleGroup = 'samples.test.io'

function sampleKind(spec: Sample['node'], number: number) {
  const typed = spec as unknown as ReturnType<typeof t.object<Fields>>
  return resource(`${sampleGroup}/v1`, `Sample${number}`, { plural: `sample${number}s`, spec: typed, scope: 'Cluster' })
}

export interface SampleKind {
  readonly kind: ReturnType<typeof sampleKind>
  readonly objects: readonly JsonObject[]
}

/** `kinds` kinds with `objects` objects each; the same ones for the same seed. */
export function sampleKinds(seed: number, kinds: number, objects: number): SampleKind[] {
  return fc.sample(specs, { seed, numRuns: kinds }).map(({ node, values }, number) => {
    const kind = sampleKind(node, number)
    return {
      kind,
      objects: fc.sample(values, { seed: seed + number, numRuns: objects }).map((spec, i) => ({
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: { name: `o${i}` },
        spec,
      })),
    }
  })
}
