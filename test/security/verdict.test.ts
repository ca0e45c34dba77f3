import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { items, requirements } from './items.ts'
import { summary, verdictOf, type Item, type TestResult } from './verdict.ts'

const test = (name: string, state: TestResult['state'] = 'passed', file = 'a.test.ts'): TestResult => ({
  file,
  name,
  state,
})
const item = (more: Partial<Item> = {}): Item => ({
  id: '1',
  title: 'an item',
  proofs: [{ file: 'a.test.ts', name: /bomb/ }],
  ...more,
})

describe('the verdict of a security item', () => {
  it('is "met" if each proof has a test that passed and none that failed', () => {
    const results = [test('a bomb is refused'), test('another bomb', 'skipped'), test('something else', 'failed')]
    expect(verdictOf(item(), results, false)).toMatchObject({ state: 'met', passedCount: 1, isBroken: false })
    expect(verdictOf(item(), [...results, test('third bomb', 'failed')], false)).toMatchObject({
      state: 'not met',
      isBroken: true,
      reasons: ['failed: a.test.ts: third bomb'],
    })
  })

  it.each([
    ['no test matches', [test('something else'), test('a bomb', 'passed', 'b.test.ts')], 'no test matches a.test.ts'],
    ['all are skipped', [test('a bomb', 'skipped')], 'were skipped'],
    ['there are no results', [], 'no test matches a.test.ts /bomb/'],
  ])('is "not met" if %s', (_, results, reason) => {
    const { state, isBroken, reasons } = verdictOf(item(), results, false)
    expect({ state, isBroken }).toEqual({ state: 'not met', isBroken: true })
    expect(reasons.join()).toContain(reason)
  })

  it('is "not met" without proofs, and with a known gap, which breaks nothing', () => {
    expect(verdictOf(item({ proofs: [] }), [], false)).toMatchObject({ state: 'not met', isBroken: true })
    const gap = verdictOf(item({ gap: 'no limit yet' }), [test('a bomb')], false)
    expect(gap).toMatchObject({ state: 'not met', isBroken: false, reasons: ['no limit yet'] })
  })

  it('is "does not apply" for a part that is absent, unless a test of the other parts fails', () => {
    const absent = item({ absent: 'no image' })
    expect(verdictOf(absent, [test('a bomb')], false).state).toBe('does not apply')
    expect(verdictOf(absent, [test('a bomb', 'failed')], false)).toMatchObject({ state: 'not met', isBroken: true })
    expect(verdictOf(item({ proofs: [], absent: 'no web UI' }), [], false).state).toBe('does not apply')
  })

  it('looks at long proofs only in long runs', () => {
    const long = item({ long: [{ file: 'b.test.ts' }] })
    expect(verdictOf(long, [test('a bomb')], false).state).toBe('met')
    expect(verdictOf(long, [test('a bomb')], true).state).toBe('not met')
    expect(verdictOf(long, [test('a bomb'), test('x', 'passed', 'b.test.ts')], true).state).toBe('met')
  })

  it('is counted in one line', () => {
    const verdicts = [
      verdictOf(item(), [test('a bomb')], false),
      verdictOf(item({ id: '29', proofs: [], absent: 'no web UI' }), [], false),
      verdictOf(item({ id: '30', proofs: [], absent: 'no web UI' }), [], false),
      verdictOf(item({ id: '32', absent: 'no image' }), [test('a bomb')], false),
      verdictOf(item({ id: '9' }), [], false),
    ]
    expect(summary(verdicts)).toBe('1 of 5 met, 3 do not apply yet (29, 30: no web UI; 32: no image), 1 not met (9)')
  })
})

describe('the security items', () => {
  it('are the 34 of the check-list, each once, and named requirements', () => {
    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 34 }, (_, index) => String(index + 1)))
    expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length)
  })

  it('have proofs in files that exist', () => {
    const files = [...items, ...requirements].flatMap(({ proofs, long = [] }) => [...proofs, ...long])
    expect(files.map(({ file }) => file).filter((file) => !existsSync(file))).toEqual([])
  })
})
