import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { codeAt, placeLines } from './error-place.ts'
import { userFrameOf, userPlaceOf } from './user-frame.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { createLogger } from './log-writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'coxswain-places-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** As Node writes it for an error in this file. */
function errorAt(file: string, message = "Cannot read properties of undefined (reading 'size')"): TypeError {
  const error = new TypeError(message)
  error.stack = `TypeError: ${message}\n    at readSize (${file}:3:30)\n    at node:internal/main:1:1`
  return error
}

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const operator = file(
  'operator.js',
  'export function readSize(object) {\n  // …\n  return object.spec.storage.size\n}\n',
)

describe('the place of an error', () => {
  it('the place of an error is shown with the code there', () => {
    expect(placeLines(errorAt(operator))).toEqual([
      `at ${operator}:3:30`,
      '  1 | export function readSize(object) {',
      '  2 |   // …',
      '> 3 |   return object.spec.storage.size',
      '    |                              ^',
      '  4 | }',
    ])
  })

  it('the place of an error is that of its cause, if it has none', () => {
    const outer = new Error('no size', { cause: errorAt(operator) })
    outer.stack = 'Error: no size\n    at node:internal/main:1:1'
    expect(userPlaceOf(outer)).toEqual({ file: operator, line: 3, column: 30 })
    const all = new AggregateError([outer])
    all.stack = 'AggregateError: \n    at node:internal/main:1:1'
    expect(userFrameOf(all)).toBe(`${operator}:3:30`)
  })

  it('the place of a syntax error is where Node says it is', () => {
    const error = new SyntaxError("Unexpected token ';'")
    error.stack = [
      `file://${operator}:2`,
      'let a = ;',
      '        ^',
      '',
      `SyntaxError: ${error.message}`,
      '    at compileSourceTextModule (node:internal/modules/esm/utils:338:16)',
    ].join('\n')
    expect(userPlaceOf(error)).toEqual({ file: operator, line: 2, column: 9 })
  })

  it('the place of an error is not one that its message quotes', () => {
    const quoted = file('quoted.js', 'secret\nsecret\nsecret\n')
    const error = errorAt(operator, `the server said\n    at steal (${quoted}:1:1)`)
    expect(userPlaceOf(error)).toMatchObject({ file: operator })
  })

  it('the place of an error shows no code of files that are no sources, or that are gone', () => {
    const token = file('token', 'a secret\n\n\n')
    expect(placeLines(errorAt(token))).toEqual([`at ${token}:3:30`])
    expect(codeAt({ file: join(folder, 'gone.js'), line: 1, column: 1 })).toEqual([])
  })

  it('the place of an error is undefined for values, and for errors whose causes are a circle', () => {
    const circle = new Error('round')
    circle.stack = ''
    circle.cause = circle
    expect([userPlaceOf('thrown'), userPlaceOf(circle), placeLines(undefined)]).toEqual([undefined, undefined, []])
  })
})

describe('an error in the log', () => {
  const logged = (format: 'json' | 'text', error: unknown, times = 1): string[] => {
    const lines: string[] = []
    const log = createLogger({ env: simulatedEnv(), write: (line) => lines.push(line), format })
    for (let i = 0; i < times; i++) log.error('reconcile failed; retrying', { name: 'a', error, fix: 'mend it' })
    return lines
  }

  it('an error in the log has file, line and column in JSON', () => {
    expect(JSON.parse(logged('json', errorAt(operator))[0] as string)).toMatchObject({
      msg: 'reconcile failed; retrying',
      file: operator,
      line: 3,
      column: 30,
      name: 'a',
      error: { name: 'TypeError' },
    })
  })

  it('an error in the log has its causes, its place and the code in text, and the code once', () => {
    const cause = new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:1')])
    const error = Object.assign(errorAt(operator, 'fetch failed'), { cause })
    const head = ['2026-01-01T00:00:00Z ERROR reconcile failed; retrying name=a']
    const what = ['  TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:1', `    at ${operator}:3:30`]
    const code = codeAt({ file: operator, line: 3, column: 30 }).map((line) => `    ${line}`)
    const fix = ['  fix: mend it']
    expect(code).toHaveLength(5)
    expect(logged('text', error, 2)).toEqual([...head, ...what, ...code, ...fix, ...head, ...what, ...fix])
  })

  it('an error in the log that has no place has its stack, if it may be a bug', () => {
    const bug = errorAt('/node_modules/other/index.js')
    expect(logged('text', bug)).toContain('    at readSize (/node_modules/other/index.js:3:30)')
    const failure = Object.assign(new Error('no answer'), { stack: bug.stack })
    expect(logged('text', failure).slice(1)).toEqual(['  Error: no answer', '  fix: mend it'])
  })

  it('errors of an AggregateError are in the log', () => {
    const all = new AggregateError([new Error('one'), new Error('two')], 'both')
    expect(JSON.parse(logged('json', all)[0] as string)).toMatchObject({
      error: { message: 'both', errors: [{ message: 'one' }, { message: 'two' }] },
    })
  })
})
