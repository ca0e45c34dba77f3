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
  expect(answer.message).toMatch(/and \d+ more errors\]$/)
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
  expect(answer.message).toContain('the patterns of all schemas together must have at most 100000 states')
})

it('a value that is too long for its pattern is refused', async () => {
  const pattern = '^.{0,999}$'
  expect((await cluster.define({ type: 'object', properties: { text: { type: 'string', pattern } } })).status).toBe(201)
  expect((await cluster.create({ text: 'a'.repeat(999) })).status).toBe(201)
  const answer = await cluster.create({ text: 'a'.repeat(100_000) })
  expect(answer.status).toBe(422)
  expect(answer.message).toContain(`spec.text in body is too long to be matched with '${pattern}'`)
})

afterEach(() => {
  plane = undefined as unknown as TestPlane
})
