import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLabelSelector, selectorFromRequirements, type LabelRequirement, type Labels } from './label-selector.ts'
import { ApiError } from './status.ts'

function rejection(text: string): string {
  try {
    parseLabelSelector(text)
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    expect((error as ApiError).code).toBe(400)
    return (error as ApiError).message
  }
  throw new Error(`${text} was accepted`)
}

describe('parsing', () => {
  it.each([
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a!', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['(a)', "found '(', expected: !, identifier, or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (x,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    [
      'a>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must ` +
        'be an integer',
    ],
    ['/x', 'unable to parse requirement: <nil>: Invalid value: "/x": prefix part must be non-empty'],
    [
      `a=${'x'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ])('parsing a label selector refuses %s', (text, message) => {
    expect(rejection(text)).toBe(message)
  })

  it('parsing a label selector lists all that is wrong with a requirement', () => {
    const message = rejection('a in (-,_)')
    const first = /values\[0\]\[a\]: Invalid value: "-": .*/
    const second = /values\[1\]\[a\]: Invalid value: "_": .*/
    expect(message).toMatch(new RegExp(`^unable to parse requirement: \\[${first.source}, ${second.source}\\]$`))
  })

  it.each([
    ['', ''],
    [' a  =  b ', 'a=b'],
    ['b=1,a=2,b=0', 'a=2,b=1,b=0'],
    ['a notin (z,y,x,x)', 'a notin (x,y,z)'],
    ['a in (x,,y)', 'a in (,x,y)'],
    ['a in ()', 'a in ()'],
    ['in in (in),notin notin (notin)', 'in in (in),notin notin (notin)'],
    ['a=,b!=', 'a=,b!='],
    ['x.y/Z>5,!h,g', '!h', 'g'],
  ])('parsing a label selector prints %j in its normal form', (text, ...parts) => {
    const printed = parseLabelSelector(text).toString()
    for (const part of parts) expect(printed).toContain(part)
    expect(parseLabelSelector(printed).toString()).toBe(printed)
  })
})

describe('matching', () => {
  it('a label selector matches everything when nothing is asked', () => {
    const selector = parseLabelSelector('')
    expect(selector.isEmpty).toBe(true)
    expect(selector.matches(undefined)).toBe(true)
    expect(parseLabelSelector('a').isEmpty).toBe(false)
  })

  it.each<[string, Labels | undefined, boolean]>([
    ['a=b', { a: 'b' }, true],
    ['a=b', undefined, false],
    ['a!=b', undefined, true],
    ['a!=b', { a: 'b' }, false],
    ['a', { a: '' }, true],
    ['!a', {}, true],
    ['a>5', { a: '6' }, true],
    ['a>5', { a: '5' }, false],
    ['a<3', { a: '-9223372036854775808' }, true],
    ['a<3', { a: '-9223372036854775809' }, false],
    ['a>3', { a: 'x' }, false],
    ['a>3', {}, false],
  ])('%s on %j is %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected)
  })

  it('a label selector sees no inherited names', () => {
    expect(parseLabelSelector('constructor').matches({})).toBe(false)
    expect(parseLabelSelector('toString').matches({})).toBe(false)
  })
})

const key = fc.constantFrom('a', 'b', 'x.y/z', 'constructor', 'in', 'notin')
const value = fc.constantFrom('', 'v', 'w', '1', '7', '12', 'in')
const requirement = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('exists', '!'), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom('=', '==', '!='), values: fc.tuple(value) }),
  fc.record({ key, operator: fc.constantFrom('gt', 'lt'), values: fc.tuple(fc.nat().map(String)) }),
  fc.record({
    key,
    operator: fc.constantFrom('in', 'notin'),
    values: fc.uniqueArray(value, { minLength: 1 }).map((values) => values.sort()),
  }),
) as fc.Arbitrary<LabelRequirement>

/** A simple, slow reference implementation. */
function naive({ key: name, operator, values }: LabelRequirement, labels: Labels): boolean {
  const found = new Map(Object.entries(labels)).get(name)
  const numbers = [Number(found), Number(values[0])] as const
  switch (operator) {
    case 'exists':
      return found !== undefined
    case '!':
      return found === undefined
    case 'gt':
      return found !== undefined && /^\d+$/.test(found) && numbers[0] > numbers[1]
    case 'lt':
      return found !== undefined && /^\d+$/.test(found) && numbers[0] < numbers[1]
    case 'in':
    case '=':
    case '==':
      return found !== undefined && values.includes(found)
    default:
      return found === undefined || !values.includes(found)
  }
}

describe('laws', () => {
  it('a label selector parses what it prints', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 6 }), (requirements) => {
        const selector = selectorFromRequirements(requirements)
        expect(parseLabelSelector(selector.toString()).requirements).toEqual(selector.requirements)
      }),
      { numRuns: 500 },
    )
  })

  it('a label selector matches as a naive evaluator does', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), fc.dictionary(key, value), (requirements, labels) => {
        const expected = requirements.every((each) => naive(each, labels))
        expect(selectorFromRequirements(requirements).matches(labels)).toBe(expected)
      }),
      { numRuns: 1000 },
    )
  })
})
