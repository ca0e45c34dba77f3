import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { check, layers, strip } from './check-boundaries.mjs'

const rules = JSON.parse(readFileSync(new URL('../boundaries.json', import.meta.url), 'utf8'))

const problems = (sources, packages) => check(new Map(Object.entries(sources)), rules, packages)

describe('layers', () => {
  test('an import downward is fine', () => {
    expect(
      problems({
        'src/api/json.ts': 'export const a = 1',
        'src/shape/shape.ts': "import { a } from '../api/json.ts'\nexport const b = a",
      }),
    ).toEqual([])
  })

  test('an import upward is not, types included', () => {
    const sources = {
      'src/api/json.ts': "import type { B } from '../shape/shape.ts'\nexport type A = B",
      'src/shape/shape.ts': 'export type B = 1',
    }
    expect(problems(sources)).toEqual(['src/api/json.ts: src/api may not import src/shape/shape.ts'])
  })

  test('a multi-line import and a dynamic one are seen', () => {
    const sources = {
      'src/api/a.ts': "import {\n  b,\n} from '../env/env.ts'\nexport const c = () => [b, import('../env/env.ts')]",
      'src/env/env.ts': 'export const b = 1',
    }
    expect(problems(sources)).toHaveLength(2)
  })

  test('kinds see the contract of the registry, not its pipeline', () => {
    const sources = {
      'src/controlplane/contract/resource.ts': 'export type R = 1',
      'src/controlplane/registry/pipeline.ts': 'export const p = 1',
      'src/controlplane/resources/pod/rules.ts':
        "import type { R } from '../../contract/resource.ts'\nimport { p } from " +
        "'../../registry/pipeline.ts'\nexport const q: R = p",
    }
    expect(problems(sources)).toEqual([
      'src/controlplane/resources/pod/rules.ts: src/controlplane/resources may not import ' +
        'src/controlplane/registry/pipeline.ts',
    ])
  })

  test('built-in controllers import public entry points only', () => {
    const sources = {
      'src/index.ts': 'export const a = 1',
      'src/client/index.ts': 'export const b = 1',
      'src/client/rest-client.ts': 'export const c = 1',
      'src/controllers/x/index.ts':
        "import { a } from '../../index.ts'\nimport { b } from '../../client/index.ts'\n" +
        "import { c } from '../../client/rest-client.ts'\nexport const d = [a, b, c]",
    }
    expect(problems(sources)).toEqual([
      'src/controllers/x/index.ts: src/controllers may not import src/client/rest-client.ts',
    ])
  })

  test('a rule that names a single file is refused, and so is a circle of folders', () => {
    const folders = { 'src/a': ['src/b/c.ts', 'src/b'], 'src/b': ['src/a'] }
    expect(check(new Map(), { ...rules, folders })).toEqual([
      'boundaries.json: src/a names the single file src/b/c.ts',
      'circle of folders: src/a -> src/b -> src/a',
    ])
  })

  test('the layer diagram leaves out what is reached by another way', () => {
    const folders = { 'src/top': ['src/middle', 'src/low'], 'src/middle': ['src/low'], 'src/low': [] }
    expect(layers(folders)).toBe('top     ─► middle\nmiddle  ─► low\nlow')
  })

  test('a folder without a rule is told', () => {
    expect(problems({ 'src/novel/a.ts': '' })).toEqual(['src/novel/a.ts: boundaries.json has no rule for this folder'])
    expect(problems({ 'src/controlplane/novel/a.ts': '' })).toHaveLength(1)
    expect(problems({ 'src/controlplane/index.ts': '' })).toEqual([])
  })

  test('an operator imports the package, as everybody does, and its own files', () => {
    const sources = {
      'src/api/json.ts': 'export const a = 1',
      'operators/webapp/a.ts': "import { t } from 'coxswain'\nimport { c } from './b.ts'\nexport const d = [t, c]",
      'operators/webapp/b.ts': 'export const c = 1',
    }
    expect(problems(sources)).toEqual([])
    expect(
      problems({
        ...sources,
        'operators/webapp/b.ts': "import { a } from '../../src/api/json.ts'\nexport const c = a",
      }),
    ).toEqual(['operators/webapp/b.ts: operators/webapp may not import src/api/json.ts'])
    expect(problems({ 'operators/webapp/a.ts': "import 'coxswain/testing'" })).toHaveLength(1)
    expect(problems({ 'operators/webapp/testing/a.ts': "import 'coxswain/testing'" })).toEqual([])
    expect(problems({ 'src/api/a.ts': "import 'coxswain'" })).toHaveLength(1)
  })

  test('tests may import anything', () => {
    const sources = {
      'src/api/json.test.ts': "import { b } from '../env/env.ts'\nimport { test } from 'vitest'\ntest(b)",
      'src/env/env.ts': 'export const b = 1',
    }
    expect(problems(sources)).toEqual([])
  })
})

describe('modules', () => {
  test('sockets belong to http and the client', () => {
    const text = "import { createServer } from 'node:http'\nexport const s = createServer"
    expect(problems({ 'src/controlplane/http/server.ts': text })).toEqual([])
    expect(problems({ 'src/controlplane/registry/a.ts': text })).toEqual([
      'src/controlplane/registry/a.ts: may not use node:http',
    ])
  })

  test('a package must be a runtime dependency', () => {
    const sources = { 'src/cli/a.ts': "import { parse } from 'yaml'\nexport const p = parse" }
    expect(problems(sources, ['yaml'])).toEqual([])
    expect(problems(sources, [])).toEqual(['src/cli/a.ts: yaml is not a runtime dependency'])
  })
})

describe('circles', () => {
  test('are told once, with their way', () => {
    const sources = {
      'src/api/a.ts': "import { b } from './b.ts'\nexport const a = () => b",
      'src/api/b.ts': "import { c } from './c.ts'\nexport const b = () => c",
      'src/api/c.ts': "import { a } from './a.ts'\nexport const c = () => a",
    }
    expect(problems(sources)).toEqual([
      'circle of imports: src/api/a.ts -> src/api/b.ts -> src/api/c.ts -> src/api/a.ts',
    ])
  })

  test('of types alone do not count', () => {
    const sources = {
      'src/api/a.ts': "import type { B } from './b.ts'\nexport type A = B",
      'src/api/b.ts': "import type { A } from './a.ts'\nexport type B = A | 1",
    }
    expect(problems(sources)).toEqual([])
  })
})

describe('words', () => {
  test.each([
    ['export * from', "export * from './b.ts'"],
    ['a star with a name', "export * as b from './b.ts'"],
    ['a timer by the back door', 'globalThis.setTimeout(() => {}, 1)'],
    ['the wall clock', 'export const t = new Date()'],
    ['a global uuid', "import { randomUUID } from 'node:crypto'\nexport const id = randomUUID()"],
    ['the end of the process', 'process.exit(1)'],
    ['a silenced type', '// @ts-ignore\nexport const a = 1'],
  ])('%s is refused', (_, text) => {
    expect(problems({ 'src/api/a.ts': text, 'src/api/b.ts': '' })).toHaveLength(1)
  })

  test('a method of that name is no timer', () => {
    expect(problems({ 'src/controlplane/http/a.ts': 'export const f = (s) => s.setTimeout(0)' })).toEqual([])
  })

  test('comments and strings are not code', () => {
    const text =
      "// Math.random()\n/* new Date() */\nexport const s = 'Date.now()' + `process.exit()`\nexport const d " +
      '= new Date(0)'
    expect(problems({ 'src/api/a.ts': text })).toEqual([])
    expect(strip("a // 'x'\n'b//c'").text).toBe("a  \n'b//c'")
  })

  test.each([
    'src/api/utils.ts',
    'src/helpers/a.ts',
    'src/api/string-util.ts',
    'src/api/camelCase.ts',
    'src/api/a_b.ts',
  ])('%s is no name for a file', (path) => expect(problems({ [path]: '' }).length).toBeGreaterThan(0))
})
