/** Requests that once cost the square of their size, or ended in an internal error: what they get now. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/json.ts'
import { testPlane, type TestPlane } from '../../src/controlplane/admission/testdata/plane.ts'
import { hostileCluster } from '../hostile/definitions.ts'

const cluster = hostileCluster()
let plane: TestPlane

beforeEach(() => {
  plane = testPlane()
})

const configMaps = '/api/v1/namespaces/default/configmaps'
const times = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))

it('equal container ports: as many warnings as are sent, the first ones', async () => {
  const containers = (n: number) =>
    times(n, (i) => ({ name: `c${i}`, image: 'i:1', ports: [{ containerPort: 80, hostPort: 0 }] }))
  const few = await plane.pod('few', { containers: containers(4) })
  expect(few.warnings).toEqual(
    [
      [1, 0],
      [2, 0],
      [2, 1],
      [3, 0],
      [3, 1],
      [3, 2],
    ].map(([i, j]) => `spec.containers[${i}].ports[0]: duplicate port definition with spec.containers[${j}].ports[0]`),
  )
  const many = await plane.pod('many', { containers: containers(3000) })
  expect(many.status).toBe(201)
  expect(many.warnings.slice(0, 6)).toEqual(few.warnings)
  expect(many.warnings.join('').length).toBeLessThan(4096 + 256)
})

it('ports of one number relate by their host ports and addresses, in order', async () => {
  const port = (hostPort: number, hostIP: string): JsonObject => ({ containerPort: 80, hostPort, hostIP })
  const ports = [port(1, '1.1.1.1'), port(1, '2.2.2.2'), port(1, ''), port(2, ''), port(0, ''), port(1, '3.3.3.3')]
  const { warnings } = await plane.pod('p', { containers: [{ name: 'c', image: 'i:1', ports }] })
  const short = warnings.map((text) => text.replaceAll(/spec\.containers\[0\]\.ports|:? port definition with /g, ' '))
  expect(short).toEqual([
    ' [2]: dangerously ambiguous  [0]',
    ' [2]: dangerously ambiguous  [1]',
    ' [4]: overlapping  [0]',
    ' [4]: overlapping  [1]',
    ' [4]: overlapping  [2]',
    ' [4]: overlapping  [3]',
    ' [5]: dangerously ambiguous  [2]',
    ' [5]: overlapping  [4]',
  ])
})

it('overlapping paths of volumes are found by their parts, in order', async () => {
  const paths = ['a/b', 'a', 'a/b/c', 'ab', 'a/b/', 'a/c']
  const items = paths.map((path, i) => ({ key: `k${i}`, path }))
  const { warnings } = await plane.pod('p', { volumes: [{ name: 'v', configMap: { name: 'm', items } }] })
  const about = 'volume "v" (ConfigMap "m"): overlapping paths: '
  expect(warnings.map((text) => text.replace(about, ''))).toEqual([
    '"a" with "a/b"',
    '"a/b/c" with "a/b"',
    '"a/b/c" with "a"',
    '"a/b" with "a/b"',
    '"a/b" with "a"',
    '"a/b" with "a/b/c"',
    '"a/c" with "a"',
  ])
})

it('100,000 invalid labels are a 422, whose text is limited', async () => {
  const labels = Object.fromEntries(times(100_000, (i) => [`k${i}`, '!']))
  const answer = await plane.post(configMaps, { metadata: { name: 'x', labels } })
  expect(answer.status).toBe(422)
  expect(answer.message).toMatch(/, and more errors\]$/)
  expect(answer.message.length).toBeLessThan(2 * 1024 * 1024)
})

it('owner references that repeat are dropped, whatever the order of their fields', async () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }
  const turned = { uid: 'u', name: 'o', kind: 'ConfigMap', apiVersion: 'v1' }
  const other = { ...owner, uid: 'w' }
  const ownerReferences = [owner, other, turned, other]
  const answer = await plane.post(configMaps, { metadata: { name: 'x', ownerReferences } })
  expect((answer.body['metadata'] as JsonObject)['ownerReferences']).toEqual([owner, other])
  expect(answer.warnings.join()).toContain('duplicate UID(s) observed: u, w')
})

it('a pattern of large counted repeats is refused with the definition', async () => {
  const pattern = `^${'(.{0,999})'.repeat(50)}$`
  const answer = await cluster.define({ type: 'object', properties: { text: { type: 'string', pattern } } })
  expect(answer.status).toBe(422)
  expect(answer.message).toContain('error parsing regexp: expression too large')
})

it('many patterns that are large together are refused with the definition, before they are compiled', async () => {
  const properties = Object.fromEntries(times(10_000, (i) => [`f${i}`, { type: 'string', pattern: `.{999}${i}` }]))
  const answer = await cluster.define({ type: 'object', properties })
  expect(answer.status).toBe(422)
  expect(answer.message).toContain('the patterns of all schemas together must have at most 30000 states')
})

/** Letters in an order that makes the automaton of a pattern such as `a(a|b){20}` large. */
function letters(n: number): string {
  let [text, state] = ['', 1]
  for (let i = 0; i < n; i++) {
    state = (state * 48_271) % 2_147_483_647
    text += (state & 64) === 0 ? 'a' : 'b'
  }
  return text
}

it('a long value is matched, unless it is too long for a pattern that needs a large automaton', async () => {
  const pattern = '^.{0,999}$'
  const wide = 'a(a|b){20}[^ab]'
  const properties = { text: { type: 'string', pattern }, wide: { type: 'string', pattern: wide } }
  expect((await cluster.define({ type: 'object', properties })).status).toBe(201)
  expect((await cluster.create({ text: 'a'.repeat(999) })).status).toBe(201)
  const long = await cluster.create({ text: 'a'.repeat(1_000_000) })
  expect([long.status, long.message]).toEqual([422, expect.stringContaining(`should match '${pattern}'`)])
  const short = await cluster.create({ wide: letters(30_000) })
  expect([short.status, short.message]).toEqual([422, expect.stringContaining(`should match '${wide}'`)])
  const tooLong = await cluster.create({ wide: letters(100_000) })
  expect(tooLong.status).toBe(422)
  expect(tooLong.message).toContain(`spec.wide in body is too long to be matched with '${wide}'`)
})

const tooManySteps = 'exceeds the limit of 10000000 steps'
const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run'

it('many values that are short enough, each, are too much together', async () => {
  const pattern = 'a(a|b){20}[^ab]'
  const items = { type: 'string', pattern }
  const schema = { type: 'object', properties: { texts: { type: 'array', items } } }
  expect((await cluster.define(schema)).status).toBe(201)
  const answer = await cluster.create({ texts: times(30, (i) => letters(30_000 + i)) })
  expect(answer.status).toBe(422)
  expect(answer.message).toContain(tooManySteps)
  const fine = await cluster.create({ texts: times(2000, () => `${'a'.repeat(50)}c`) })
  expect(fine.status).toBe(201)
})

it('a schema with many enum values or alternatives, and many values, are too much together', async () => {
  const words = times(5000, (i) => `word${i}`)
  const anyOf = times(200, (i) => ({ required: [`f${i}`] }))
  const properties = {
    words: { type: 'array', items: { type: 'string', enum: words } },
    objects: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } }, anyOf } },
  }
  expect((await cluster.define({ type: 'object', properties })).status).toBe(201)
  for (const spec of [{ words: times(5000, () => 'word4999') }, { objects: times(20_000, () => ({})) }]) {
    const answer = await cluster.create(spec)
    expect([answer.status, answer.message]).toEqual([422, expect.stringContaining(tooManySteps)])
  }
})

const strings = { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 1000 } }
const rulesThatLook = [
  "self.text.findAll('a.*c|a').size() >= 0",
  "self.text.replace('a', self.text).size() >= 0",
  'self.list.all(x, self.text.size() > 0)',
  'self.list.all(x, self.lists.map(y, y) == self.lists)',
  "self.list.all(x, !matches(self.text, '[^a]'))",
  'self.text.indexOf(self.part) < 0',
]

it.each(rulesThatLook)('a rule that costs little and does much is refused: %s', async (rule) => {
  const text = { type: 'string', maxLength: 400_000 }
  const lists = { type: 'array', maxItems: 100, items: strings }
  const properties = { text, part: text, list: strings, lists }
  const schema = { type: 'object', properties, 'x-kubernetes-validations': [{ rule }] }
  const defined = await cluster.define(schema)
  expect([defined.status, defined.message]).toEqual([201, ''])
  const small = { text: 'a', part: 'b', list: ['a', 'b'], lists: [['a']] }
  expect((await cluster.create(small)).status).toBe(201)
  const part = `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`
  const large = {
    text: 'a'.repeat(400_000),
    part,
    list: times(1000, String),
    lists: times(100, () => times(100, String)),
  }
  const answer = await cluster.create(large)
  expect([answer.status, answer.message]).toEqual([422, expect.stringContaining(outOfBudget)])
})

it('a definition with more rules than can be compiled in time is refused', async () => {
  const rules = times(5000, (i) => ({ rule: `self.list.all(x, x.startsWith('a${i}') || x.size() > ${i})` }))
  const spec = { type: 'object', properties: { list: strings }, 'x-kubernetes-validations': rules }
  const answer = await cluster.define(spec)
  expect(answer.status).toBe(422)
  expect(answer.message).toContain('validation takes more than 10000000 steps')
})

afterEach(() => {
  plane = undefined as unknown as TestPlane
})
