import { describe, expect, it } from 'vitest'
import { completed } from './steps.ts'
import { parseYaml, parseYamlBody, writeYaml } from './yaml-text.ts'

describe('parseYaml', () => {
  it('parseYaml reads YAML 1.1, keys included', () => {
    expect(parseYaml('data: {n: "1", yes: x}\nport: 0o17\non: true\n').value).toEqual({
      data: { false: '1', true: 'x' },
      port: 15,
      true: true,
    })
  })

  it('parseYaml reads JSON as JSON', () => {
    expect(parseYaml('{"n": "1"}').value).toEqual({ n: '1' })
  })

  it('parseYaml reports duplicate keys', () => {
    expect(parseYaml('a: 1\nb: {c: 1, c: 2}\na: 3\n').repeats).toEqual([
      'line 2: key "c" already set in map',
      'line 3: key "a" already set in map',
    ])
  })

  it('parseYaml resolves anchors and merges, within bounds', () => {
    expect(parseYaml('base: &b {x: 1}\nuse: {<<: *b, z: 2}\n').value).toEqual({ base: { x: 1 }, use: { x: 1, z: 2 } })
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let i = 1; i < 9; i++)
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      )
    expect(() => parseYaml(bomb.join('\n'))).toThrow(/excessive aliasing/)
  })

  it('parseYaml limits what aliases add, in nodes and in characters', () => {
    const long = `a: &a ${'x'.repeat(1000)}\nlist: [${Array(1000).fill('*a').join(', ')}]\n`
    expect(() => parseYaml(long)).toThrow('yaml: document contains excessive aliasing')
    const levels = ['m0: &m0 {k: 1}']
    for (let i = 1; i < 50; i++) levels.push(`m${i}: &m${i} {<<: [*m${i - 1}, *m${i - 1}]}`)
    expect(() => parseYaml(levels.join('\n'))).toThrow('yaml: document contains excessive aliasing')
    const large = `list: [${'x, '.repeat(210_000)}]`
    expect((parseYaml(large).value as { list: unknown[] }).list).toHaveLength(210_000)
  })

  it('parseYaml resolves an alias to the last anchor before it', () => {
    const text = 'a: &x 1\nb: *x\nc: {d: *x, e: &x 2}\nf: *x\ng: &x 3\n'
    expect(parseYaml(text).value).toEqual({ a: 1, b: 1, c: { d: 1, e: 2 }, f: 2, g: 3 })
    expect(() => parseYaml('a: *x\nb: &x 1\n')).toThrow("yaml: unknown anchor 'x' referenced")
  })

  it.each([
    ['[', '['.repeat(1002)],
    ['{a: ', '{a: '.repeat(1002)],
    ['- ', `${'- '.repeat(1002)}x`],
    ['? ', `${'? '.repeat(1002)}x`],
    ['brackets in a million', `a: ${'['.repeat(1_000_000)}`],
  ])('parseYaml refuses what is nested too deeply before it parses it: %s', (_, text) => {
    // With the parser, a million levels take six seconds and 900 MiB.
    expect(() => parseYaml(text)).toThrow('exceeded max depth')
  })

  it.each([
    ['a block', `a: |\n  ${'['.repeat(5000)}\n`],
    ['quotes', `a: "${'{'.repeat(5000)}"\n`],
    ['a plain scalar', `a: x${'['.repeat(5000)}\n`],
    ['a comment', `# ${'[ - '.repeat(5000)}\na: 1\n`],
    ['a list in one line', `a: [${'{b: 1}, '.repeat(5000)}]\n`],
  ])('parseYaml takes brackets for levels only where they are: not in %s', (_, text) => {
    expect(Object.keys(parseYaml(text).value as object)).toEqual(['a'])
  })

  it('parseYaml refuses numbers that would not come back', () => {
    for (const number of ['9007199254740993', '-9007199254740993', '+9007199254740993', '9223372036854775807']) {
      expect(() => parseYaml(`a: ${number}`)).toThrow('cannot be kept exactly')
      expect(() => parseYaml(`{"a": ${number}}`)).toThrow('cannot be kept exactly')
      expect(parseYaml(`a: "${number}"`).value).toEqual({ a: number })
    }
    expect(parseYaml('a: 9007199254740991\nb: 1e300').value).toEqual({ a: 9007199254740991, b: 1e300 })
  })

  it('parseYaml refuses broken text with one line', () => {
    expect(() => parseYaml('a: [1, 2\nb: }')).toThrow(/^yaml: [^\n]*$/)
  })

  it('parseYaml keeps hostile keys as data', () => {
    const value = parseYaml('__proto__: {polluted: true}\n').value as object
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('parseYaml reads back what it writes', () => {
    const value = { b: 'n', a: ['yes', '1', 1, null, { 'k:l': '' }], t: '2026-01-01T00:00:00Z' }
    expect(parseYaml(writeYaml(value)).value).toEqual(value)
    expect(Object.keys(parseYaml(writeYaml(value)).value as object)).toEqual(['a', 'b', 't'])
  })
})

it('the tokens of a body are limited, those of block text and of JSON are not', () => {
  const lines = 'key: value\n'.repeat(20_000)
  expect(() => completed(parseYamlBody(lines))).toThrow('yaml: more than 100000 tokens; send JSON instead')
  expect(() => completed(parseYamlBody(`[${'1,'.repeat(40_000)}`))).toThrow('yaml: more than 100000 tokens')
  expect(completed(parseYamlBody(`text: |\n  ${lines.replaceAll('\n', '\n  ')}`)).value).toEqual({ text: lines })
  expect(completed(parseYamlBody(JSON.stringify(Array(200_000).fill(1)))).value).toHaveLength(200_000)
  expect(Object.keys(parseYaml(lines.replaceAll('key', () => 'k')).value as object)).toEqual(['k'])
})
