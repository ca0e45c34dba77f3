import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bannedWords, checkNames, constantOf, glossary, isChecked, wordsOf } from './check-names.mjs'

const none = { shared: new Map(), plain: new Map(), kept: new Map() }
const problems = (sources, { banned = new Map(), ...exceptions } = {}) =>
  checkNames(new Map(Object.entries(sources)), banned, { ...none, ...exceptions })

const glossaryText = readFileSync(new URL(`../${glossary}`, import.meta.url), 'utf8')

describe('check-names: exported identifiers', () => {
  const three = {
    'src/a.ts': 'export const change = 1',
    'src/b.ts': 'export function change() {}',
    'src/c.ts': 'const change = 1\nexport { change }',
  }

  test('three files that export one identifier are reported, two are not', () => {
    expect(problems(three)).toEqual(['change is exported by src/a.ts, src/b.ts, src/c.ts'])
    expect(problems({ 'src/a.ts': three['src/a.ts'], 'src/b.ts': three['src/b.ts'] })).toEqual([])
  })

  test('types, interfaces and classes count, overloads of one file count once', () => {
    expect(
      problems({
        'src/a.ts': 'export type Change = 1',
        'src/b.ts': 'export interface Change {}',
        'src/c.ts': 'export class Change {}',
      }),
    ).toHaveLength(1)
    const overloads =
      'export function f(a: 1): 1\nexport function f(a: 2): 2\nexport function f(a: unknown) {\n  return a\n}'
    expect(problems({ 'src/a.ts': overloads, 'src/b.ts': overloads })).toEqual([])
  })

  test('re-exports and names that are not exported do not count', () => {
    expect(
      problems({ ...three, 'src/c.ts': "export { change } from './a.ts'", 'src/d.ts': 'const change = 1' }),
    ).toEqual([])
  })

  test('files outside of src do not count', () => {
    expect(problems({ ...three, 'src/c.ts': '', 'operators/a/b.ts': three['src/a.ts'] })).toEqual([])
  })

  test('an exception allows it, and is reported when nothing needs it', () => {
    const shared = new Map([['change', 'a reason']])
    expect(problems(three, { shared })).toEqual([])
    expect(problems({}, { shared })).toEqual(['change: the exception is not needed any more'])
  })
})

describe('check-names: units of numbers', () => {
  const reported = (code) => problems({ 'src/a.ts': code }).length === 1

  test('a constant of 100 or more needs a unit', () => {
    expect(reported('const soon = 1000')).toBe(true)
    expect(reported('const quiet = 10 * 60_000')).toBe(true)
    expect(reported('const lowest = -100')).toBe(true)
    expect(reported('const few = 99')).toBe(false)
    expect(reported('const ratio = 100 / 7')).toBe(false)
    expect(reported('const other = now() + 1000')).toBe(false)
  })

  test('defaults of parameters, of destructured options and of class fields are constants, too', () => {
    expect(reported('function wait(time = 1000) {}')).toBe(true)
    expect(reported('const f = ({ period = 1000 }) => period')).toBe(true)
    expect(reported('class A {\n  #size = 4096\n}')).toBe(true)
    expect(reported('function wait({ period: periodMs = 1000 }) {}')).toBe(false)
  })

  test.each(['timeoutMs', 'maxBytes', 'validDays', 'tokenSeconds', 'idCount', 'maxPods', 'maxObjectsPerReview'])(
    '%s has a unit',
    (name) => {
      expect(reported(`const ${name} = 1000`)).toBe(false)
    },
  )

  test.each(['port', 'httpsPort', 'exitCode', 'fileMode', 'lowPriority', 'maxDepth', 'maxInt32'])(
    '%s needs no further unit',
    (name) => {
      expect(reported(`const ${name} = 1000`)).toBe(false)
    },
  )

  test('a limit is max or min, however small', () => {
    expect(problems({ 'src/a.ts': 'const mostRuns = 8' })).toEqual(['src/a.ts: mostRuns: a limit is max… or min…'])
    expect(reported('const longestWaitMs = 5')).toBe(true)
    expect(reported('const longestMatch = find()')).toBe(false)
    expect(reported('let longest = 0')).toBe(false)
  })

  test('keys of object literals are data', () => {
    expect(reported('const answer = { replicas: 1000, status: { code: 404 } }')).toBe(false)
  })

  test('an exception names the file and the constant', () => {
    const plain = new Map([['src/a.ts: basis', 'a reason']])
    expect(problems({ 'src/a.ts': 'const basis = 1000' }, { plain })).toEqual([])
    expect(problems({ 'src/b.ts': 'const basis = 1000' }, { plain })).toHaveLength(2)
  })
})

describe('check-names: words of the glossary', () => {
  const banned = new Map([
    ['told', { instead: 'reported', places: [] }],
    ['settle', { instead: 'resolve', places: ['src/testing'] }],
  ])
  const reported = (code, path = 'src/a.ts') => problems({ [path]: code }, { banned })

  test('a banned word in a declaration is reported with what to use', () => {
    expect(reported('const toldAt = now()')).toEqual(['src/a.ts: toldAt: not "told" but reported'])
  })

  test.each([
    'let told',
    'function isTold() {}',
    'const f = (told) => 1',
    'class Told {}',
    'class A {\n  #told = false\n}',
    'class A {\n  told() {}\n}',
    'interface A {\n  told: boolean\n}',
    'type Told = 1',
    'const { told } = options',
    'const { a: told = 1 } = options',
    'const [told] = list',
  ])('%s is a declaration', (code) => {
    expect(reported(code)).toHaveLength(1)
  })

  test('uses, keys, strings and comments are not declarations', () => {
    expect(reported('// told\nconst a = { told: 1, b: "told" }\nuse(a.told)')).toEqual([])
  })

  test('a word inside another word is not the word', () => {
    expect(reported('const untoldStories = threshold')).toEqual([])
  })

  test('a word is allowed in its folders', () => {
    expect(reported('function settle() {}', 'src/testing/settle.ts')).toEqual([])
    expect(reported('function settle() {}', 'src/testings.ts')).toHaveLength(1)
  })

  test('names are split into words at capitals and digits', () => {
    expect(wordsOf('maxBodyBytes')).toEqual(['max', 'body', 'bytes'])
    expect(wordsOf('is2xxStatus')).toEqual(['is2', 'xx', 'status'])
  })
})

describe('check-names: the glossary itself', () => {
  test('its table of banned words is read', () => {
    const banned = bannedWords(glossaryText)
    expect(banned.get('told')).toEqual({ instead: 'report, record, notify', places: [] })
    expect(banned.get('seed')?.places).toEqual(['src/env', 'src/cluster', 'src/explore', 'src/testing', 'src/cli'])
    expect(banned.has('word')).toBe(false)
  })

  test('each path that it names exists', () => {
    const paths = [...glossaryText.matchAll(/`((?:src|test|operators|scripts)\/[^`]*)`/g)].map(([, path]) => path)
    expect(paths.length).toBeGreaterThan(80)
    expect(paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
  })

  test('each term stands once', () => {
    const [terms] = glossaryText.split('## Units')
    const names = [...terms.matchAll(/^\| ([^|]+?) \|/gm)].map(([, term]) => term)
    const entries = names.filter((term) => term !== 'term' && !term.startsWith('---'))
    expect(entries.length).toBeGreaterThanOrEqual(80)
    expect(new Set(entries).size).toBe(entries.length)
  })
})

test('check-names leaves out tests, testdata and generated kinds', () => {
  expect(isChecked('src/api/json.ts')).toBe(true)
  expect(isChecked('src/api/json.test.ts')).toBe(false)
  expect(isChecked('src/cache/testdata/plane.ts')).toBe(false)
  expect(isChecked('src/schema/builtin/core-v1.ts')).toBe(false)
})

test('check-names computes constants of numbers', () => {
  const literal = (value) => ({ type: 'Literal', value })
  expect(constantOf({ type: 'BinaryExpression', operator: '**', left: literal(2), right: literal(10) })).toBe(1024)
  expect(constantOf({ type: 'UnaryExpression', operator: '-', argument: literal(5) })).toBe(-5)
  expect(constantOf({ type: 'Identifier', name: 'x' })).toBeUndefined()
})
