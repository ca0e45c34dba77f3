import { describe, expect, it } from 'vitest'
import type { Json } from '../api/json.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { parsePieces } from './json-pieces.ts'
import { scanJson } from './json-scan.ts'
import { JsonSyntaxError, parseJson, parseJsonInSteps, type ParsedJson } from './json-text.ts'
import { completed } from './steps.ts'

describe('parsePieces', () => {
  const env = simulatedEnv({ seed: 7 })
  const below = (n: number): number => Math.floor(env.random() * n)
  const scalars = ['1', '-2.5', 'null', 'true', '""', '"a,b"', '"]}"', '"\\\\\\""', '"\\u0041"']
  const names = ['"a"', '"b"', '"1"', '"__proto__"', '"x:,y"', '"b "']
  const space = (): string => ' '.repeat(Math.max(0, below(6) - 4))
  const text = (levels: number): string => {
    const kind = levels === 0 ? 2 : below(3)
    if (kind === 2) return scalars[below(scalars.length)] as string
    const members = Array.from({ length: below(5) }, () =>
      kind === 0 ? text(levels - 1) : `${names[below(names.length)]}${space()}:${space()}${text(levels - 1)}`,
    )
    const inside = members.map((member) => space() + member + space()).join(',')
    return kind === 0 ? `[${inside}]` : `{${inside}}`
  }
  /** Text with a character removed, doubled or replaced. */
  const broken = (given: string): string => {
    const at = below(given.length)
    const put = ['', given.charAt(at).repeat(2), ',', ']', '}', '[', '{', ':', '"', '-', ' '][below(11)] as string
    return given.slice(0, at) + put + given.slice(at + 1)
  }
  const outcome = (parse: () => Json): string => {
    try {
      return JSON.stringify(parse())
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return 'refused'
    }
  }

  it('parsePieces reads and refuses what JSON.parse does, whatever the length of a piece', () => {
    let refused = 0
    for (let i = 0; i < 30_000; i++) {
      const whole = text(4)
      const given = i % 3 === 0 ? whole : broken(whole)
      const expected = outcome(() => JSON.parse(given) as Json)
      if (expected === 'refused') refused++
      const { keys } = scanJson(given)
      for (const length of [2, 12]) {
        const found = outcome(() => completed(parsePieces(given, keys, length)).value)
        if (found !== expected) expect({ given, length, found }).toEqual({ given, length, found: expected })
      }
    }
    expect(refused).toBeGreaterThan(5000)
  })

  it('parsePieces counts the keys, and duplicate ones of different pieces once', () => {
    const keysOf = (given: string): number => completed(parsePieces(given, scanJson(given).keys, 4)).keys
    expect(keysOf('{"a":{"b":1,"c":[{"d":2}]},"e":3}')).toBe(5)
    expect(keysOf('{"a":1,"b":22222222,"a":3}')).toBe(2)
    expect(keysOf('{"a":[1,2,3,4,5],"b":2,"a":[1,2,3,4,5]}')).toBe(2)
  })
})

describe('parseJsonInSteps', () => {
  const nested = '['.repeat(100) + ']'.repeat(100)
  const many = `{"x":[${Array(1200).fill(nested).join(',')}],"y":{"a":1}}`
  const stepsOf = (given: string): { parsed: ParsedJson; count: number } => {
    const steps = parseJsonInSteps(given)
    for (let count = 0; ; count++) {
      const { done, value } = steps.next()
      if (done === true) return { parsed: value, count }
    }
  }

  it('parseJsonInSteps divides text with many containers', () => {
    const { parsed, count } = stepsOf(many)
    expect(parsed).toEqual(parseJson(many))
    expect(count).toBeGreaterThan(10)
    expect(stepsOf('{"a":[1]}')).toEqual({ parsed: { value: { a: [1] }, duplicates: [] }, count: 0 })
  })

  it('parseJsonInSteps reports duplicate keys and errors as parseJson does', () => {
    const twice = many.replace('"y":{"a":1}', '"y":{"a":1,"a":2}')
    expect(stepsOf(twice).parsed).toEqual(parseJson(twice))
    expect(stepsOf(twice).parsed.duplicates).toEqual(['y.a'])
    const cut = many.slice(0, -1)
    expect(() => stepsOf(cut)).toThrow(JsonSyntaxError)
    expect(() => stepsOf(cut)).toThrow('unexpected end of JSON input')
  })
})
