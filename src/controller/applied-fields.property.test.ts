/**
 * For any desired object and any edit by another writer, the matcher and the server must agree. A wrong "no difference"
 * would hide drift and fails at once. A wrong "difference" may only be caused by server defaults, and changes nothing.
 */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../api/json.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { applyOracle, type ApplyOracle } from './testdata/apply-oracle.ts'

const Widget = resource('example.dev/v1', 'Widget', {
  spec: t.object({
    size: t.int().default(3),
    text: t.string().optional(),
    on: t.boolean().optional(),
    tags: t.array(t.string()).set().optional(),
    ports: t
      .array(t.object({ port: t.int(), protocol: t.string().default('TCP'), note: t.string().optional() }))
      .mapBy('port', 'protocol')
      .optional(),
    plain: t.array(t.string()).optional(),
    labels: t.map(t.string()).optional(),
    nested: t
      .object({ a: t.string().optional(), b: t.string().default('x'), c: t.map(t.string()).optional() })
      .optional(),
  }),
})

let oracle: ApplyOracle
let count = 0
beforeAll(async () => {
  oracle = await applyOracle([Widget.crd as unknown as Json])
})

const word = fc.constantFrom('', 'a', 'b', '0', '1', '500m', '0.5')
const name = fc.constantFrom('a', 'b', 'c')
const optional = <T>(of: Record<string, fc.Arbitrary<T>>) => fc.record(of, { requiredKeys: [] })
// Not empty: an apply that empties a map which it filled before leaves null, which a schema rejects.
const words = fc.dictionary(name, word, { minKeys: 1 })
const port = fc.record(
  { port: fc.constantFrom(80, 81), protocol: fc.constantFrom('TCP', 'UDP'), note: word },
  { requiredKeys: ['port'] },
)
const portKey = ({ port, protocol = 'TCP' }: { port: number; protocol?: string | undefined }) => `${port}/${protocol}`

const widgetSpec = optional<unknown>({
  size: fc.integer({ min: 0, max: 4 }),
  text: word,
  on: fc.boolean(),
  tags: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
  plain: fc.array(word, { maxLength: 3 }),
  labels: words,
  ports: fc.uniqueArray(port, { minLength: 1, maxLength: 3, selector: portKey }),
  nested: fc.record({ a: word, b: word, c: words }, { requiredKeys: ['a'] }),
})

const quantity = fc.constantFrom('1', '1000m', '0.5', '500m', '2', '1Gi', '1024Mi')
const containerOf = optional<unknown>({
  env: fc.uniqueArray(fc.record({ name, value: word }, { requiredKeys: ['name'] }), {
    maxLength: 3,
    selector: (each) => each.name,
  }),
  resources: optional<unknown>({
    requests: fc.dictionary(fc.constantFrom('cpu', 'memory'), fc.constantFrom('0.5', '500m', '1')),
    limits: fc.dictionary(
      fc.constantFrom('cpu', 'memory'),
      quantity.filter((each) => !['0.5', '500m'].includes(each)),
    ),
  }),
  ports: fc.uniqueArray(
    fc.record(
      { containerPort: fc.constantFrom(80, 81), protocol: fc.constantFrom('TCP', 'UDP') },
      { requiredKeys: ['containerPort'] },
    ),
    { maxLength: 3, selector: ({ containerPort, protocol }) => portKey({ port: containerPort, protocol }) },
  ),
  args: fc.array(word, { maxLength: 2 }),
  stdin: fc.boolean(),
  workingDir: word,
})
const deploymentSpec = fc.record(
  {
    container: containerOf,
    replicas: fc.integer({ min: 0, max: 2 }),
    paused: fc.boolean(),
    minReadySeconds: fc.integer({ min: 0, max: 2 }),
  },
  { requiredKeys: ['container'] },
)

const bodyOf = {
  Widget: (spec: unknown, labels: Record<string, string>): JsonObject => ({
    apiVersion: 'example.dev/v1',
    kind: 'Widget',
    metadata: { name: `x${++count}`, labels: { mine: 'yes', ...labels } },
    spec: spec as Json,
  }),
  Deployment: (wanted: unknown, labels: Record<string, string>): JsonObject => {
    const { container, ...spec } = wanted as { container: JsonObject } & JsonObject
    const template: Json = {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [{ name: 'web', image: 'web:1', ...container }] },
    }
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `x${++count}`, labels: { mine: 'yes', ...labels } },
      spec: { selector: { matchLabels: { app: 'x' } }, ...spec, template },
    }
  },
}
const wishOf = { Widget: widgetSpec, Deployment: deploymentSpec }
const kinds = ['Widget', 'Deployment'] as const

/** The matcher's "no" is never wrong; a wrong "yes" costs one call, which the caller remembers. */
async function agree(body: JsonObject): Promise<{ readonly isExact: boolean }> {
  const { matcher, changed } = await oracle.judge(body)
  if (matcher === undefined) expect({ matcher, changed }).toEqual({ matcher, changed: false })
  return { isExact: (matcher !== undefined) === changed }
}

const labelsOf = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2'))

describe.each(kinds)('of a %s', (kind) => {
  it('after an apply of anything, the matcher says no difference, or says one that is none', async () => {
    let exact = 0
    let all = 0
    await fc.assert(
      fc.asyncProperty(wishOf[kind], labelsOf, async (wish, labels) => {
        const body = bodyOf[kind](wish, labels)
        await oracle.apply(body)
        const judged = await oracle.judge(body)
        expect(judged.changed).toBe(false)
        all++
        if (judged.matcher === undefined) exact++
      }),
      { numRuns: 60 },
    )
    // Only empty lists and objects cause unneeded calls.
    expect(exact / all).toBeGreaterThan(0.35)
  })

  it('after any apply or edit the matcher never overlooks what the server would change', async () => {
    let exact = 0
    let all = 0
    await fc.assert(
      fc.asyncProperty(wishOf[kind], wishOf[kind], wishOf[kind], labelsOf, async (first, second, foreign, labels) => {
        const body = bodyOf[kind](first, labels)
        await oracle.apply(body)
        const wanted = { ...bodyOf[kind](second, labels), metadata: body['metadata'] as Json }
        exact += (await agree(wanted)).isExact ? 1 : 0
        const { spec } = bodyOf[kind](foreign, {})
        await oracle.patch(body, { spec: spec as Json })
        exact += (await agree(wanted)).isExact ? 1 : 0
        all += 2
      }),
      { numRuns: 60 },
    )
    expect(exact / all).toBeGreaterThan(0.6)
  })
})

describe('of a Widget', () => {
  it('every change of a field that we own in a Widget is seen', async () => {
    const fields = fc.constantFrom('size', 'text', 'on', 'labels', 'plain')
    const other: Record<string, Json> = { size: 99, text: 'other', on: true, labels: { a: 'other' }, plain: ['other'] }
    const mine: Record<string, Json> = { size: 1, text: 'mine', on: false, labels: { a: 'mine' }, plain: ['mine'] }
    await fc.assert(
      fc.asyncProperty(fields, widgetSpec, async (field, wish) => {
        const body = bodyOf.Widget({ ...(wish as JsonObject), [field]: mine[field] as Json }, {})
        await oracle.apply(body)
        await oracle.patch(body, { spec: { [field]: other[field] as Json } })
        const { matcher, changed } = await oracle.judge(body)
        expect({ seen: matcher !== undefined, changed }).toEqual({ seen: true, changed: true })
      }),
      { numRuns: 40 },
    )
  })
})
