/**
 * Patterns and rules of exponential cost. No test measures time: a backtracking engine would not finish with these
 * values, and the cost of rules is counted in CEL's units.
 */
import { describe, expect, it } from 'vitest'
import { hostileCluster } from './definitions.ts'

const cluster = hostileCluster()

const text = { type: 'string' }
const numbers = (maxItems: number) => ({ type: 'array', maxItems, items: { type: 'integer' } })
const withRule = (properties: object, rule: string) =>
  ({ type: 'object', properties, 'x-kubernetes-validations': [{ rule }] }) as Parameters<typeof cluster.define>[0]

/** `[0, 1, …].all(x0, [0, 1, …].all(x1, … ))`: ten to the power of `depth` steps. */
function nestedRule(depth: number): string {
  const list = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]'
  let rule = 'true'
  for (let i = 0; i < depth; i++) rule = `${list}.all(x${i}, ${rule})`
  return rule
}

describe('patterns', () => {
  const catastrophic = ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*a){20}b$', '^((a*)*)*$']

  it.each(catastrophic)('hostile patterns: %s is matched in one pass, however long the value', async (pattern) => {
    expect((await cluster.define({ type: 'object', properties: { text: { ...text, pattern } } })).status).toBe(201)
    for (const length of [50, 1000, 500_000]) {
      const answer = await cluster.create({ text: `${'a'.repeat(length)}!` })
      expect(answer.status).toBe(422)
      expect(answer.message).toContain(`should match '${pattern}'`)
    }
  })

  it.each(catastrophic)('hostile patterns: %s of a rule is, too', async (pattern) => {
    const schema = withRule({ text: { ...text, maxLength: 10_000 } }, `!self.text.matches('${pattern}')`)
    expect((await cluster.define(schema)).status).toBe(201)
    expect((await cluster.create({ text: `${'a'.repeat(9000)}!` })).status).toBe(201)
  })

  it.each(['((a{100}){100}){100}', '(a{1000}){1000}', 'a{1001}'])(
    'hostile patterns: %s, which is huge when written out, is refused',
    async (pattern) => {
      const answer = await cluster.define({ type: 'object', properties: { text: { ...text, pattern } } })
      expect(answer.status).toBe(422)
      expect(answer.message).toContain('invalid repeat count')
    },
  )

  it('hostile patterns are as many as a schema holds', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`f${i}`, { ...text, pattern: `^(a+)+${i}$` }]),
    )
    expect((await cluster.define({ type: 'object', properties })).status).toBe(201)
    const answer = await cluster.create(
      Object.fromEntries(Object.keys(properties).map((name) => [name, 'a'.repeat(100)])),
    )
    expect(answer.status).toBe(422)
  })
})

describe('rules', () => {
  it.each([8, 30])(
    'hostile CEL rules: %i loops within each other are refused by their estimated cost',
    async (depth) => {
      const answer = await cluster.define(withRule({}, nestedRule(depth)))
      expect(answer.status).toBe(422)
      expect(answer.message).toContain('estimated rule cost exceeds budget by factor of')
    },
  )

  it('hostile CEL rules over lists without a limit are refused by their estimated cost', async () => {
    const list = { type: 'array', items: { type: 'integer' } }
    const answer = await cluster.define(
      withRule({ list }, 'self.list.all(a, self.list.all(b, self.list.all(c, a + b > c)))'),
    )
    expect(answer.status).toBe(422)
    expect(answer.message).toContain('estimated rule cost exceeds budget by factor of more than 100x')
  })

  it('hostile CEL rules that may be dear are stopped when they are', async () => {
    const rule = 'self.list.all(a, self.list.all(b, a + b >= 0))'
    expect((await cluster.define(withRule({ list: numbers(800) }, rule))).status).toBe(201)
    expect((await cluster.create({ list: Array.from({ length: 20 }, () => 1) })).status).toBe(201)
    const answer = await cluster.create({ list: Array.from({ length: 800 }, () => 1) })
    expect(answer.status).toBe(422)
    expect(answer.message).toContain('operation cancelled: actual cost limit exceeded')
    expect(answer.message).toContain('call cost exceeds limit for rule')
  })

  it('hostile CEL rules that are cheap each are stopped when they are too many', async () => {
    const rules = [0, 1, 2, 3].map((least) => ({ rule: `self.list.all(a, self.list.all(b, a + b >= ${least - 4}))` }))
    const item = { type: 'object', properties: { list: numbers(200) }, 'x-kubernetes-validations': rules }
    const schema = { type: 'object', properties: { items: { type: 'array', maxItems: 20, items: item } } }
    expect(await cluster.define(schema)).toMatchObject({ message: '', status: 201 })
    const one = { list: Array.from({ length: 200 }, () => 1) }
    expect((await cluster.create({ items: [one] })).status).toBe(201)
    const answer = await cluster.create({ items: Array.from({ length: 20 }, () => one) })
    expect(answer.status).toBe(422)
    expect(answer.message).toContain(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    )
  })

  it.each([
    ['parentheses', `${'('.repeat(5000)}true${')'.repeat(5000)}`],
    ['negations', `${'!'.repeat(5000)}true`],
    ['conditions', `${'true ? true : '.repeat(5000)}true`],
    ['sums', `1 ${'+ 1 '.repeat(20_000)}> 0`],
    ['lists', `${'['.repeat(5000)}${']'.repeat(5000)} == []`],
  ])('hostile CEL rules of %s by the thousand are refused, or taken, but end', async (_, rule) => {
    const answer = await cluster.define(withRule({}, rule))
    expect([201, 422]).toContain(answer.status)
  })
})
