/** Keys and paths of clients do not reach prototypes (items 9 and 10). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createControlPlane } from '../../src/controlplane/index.ts'
import { bundleProgram, type Program } from './child-program.ts'
import { fuzzPrototypes, type FuzzResult } from './prototype-fuzz.ts'
import { isLong } from './size.ts'

function expectClean({ sent, statuses, problems }: FuzzResult, count: number): void {
  expect(problems).toEqual([])
  expect(sent).toBe(count)
  // Both kinds of responses, or the fuzzer does not reach what it tests.
  for (const status of [200, 201, 400, 404, 422]) expect(statuses[status], String(status)).toBeGreaterThan(count / 1000)
}

describe('prototypes', () => {
  const [count, timeout] = isLong ? [1_000_000, 3_600_000] : [100_000, 600_000]

  it('100,000 objects and patches add no key to a prototype', { timeout }, async () => {
    expectClean(await fuzzPrototypes(count), count)
  })

  let program: Program
  beforeAll(async () => {
    program = await bundleProgram('prototype-fuzz')
  })
  afterAll(() => program.remove())

  it.each([[['--disable-proto=delete']], [['--frozen-intrinsics', '--no-warnings']]])(
    'the server works with %j, and finds nothing to change there',
    async (options) => {
      const { code, stdout, stderr } = await program.run(options, ['5000'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expectClean(JSON.parse(stdout) as FuzzResult, 5000)
    },
  )
})

describe('paths of JSON patches', () => {
  const plane = createControlPlane()
  afterAll(() => plane.close())
  const configMaps = '/api/v1/namespaces/default/configmaps'
  const send = (method: string, path: string, body: object, type = 'application/json') =>
    plane.transport()({ method, path, headers: { 'content-type': type }, body: body as never })

  it.each([
    ['/__proto__/x', 422],
    ['/constructor/prototype/x', 422],
    ['/metadata/__proto__/x', 422],
    ['/metadata/toString/x', 422],
    ['/metadata/finalizers/1000000000', 422],
    ['/metadata/finalizers/1e0', 422],
    ['/metadata/finalizers/-3', 422],
    ['/metadata/finalizers/__proto__', 422],
    ['/metadata/finalizers/length', 422],
    // As the real server: a negative index counts from the end (docs/internals/conformance.md).
    ['/metadata/finalizers/-1', 200],
    ['/metadata/finalizers/-', 200],
  ])('an operation at %s gives %i', async (path, status) => {
    await send('POST', configMaps, { metadata: { name: 'a', finalizers: ['example.org/one'] } })
    const patch = [{ op: 'add', path, value: 'example.org/x' }]
    const answer = await send('PATCH', `${configMaps}/a?dryRun=All`, patch, 'application/json-patch+json')
    expect(answer.status).toBe(status)
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})
