import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../ensure.mjs'
import { apiReports } from './api-report.mjs'

const folder = join(root, 'etc')

// `npx vitest` does not build, so `dist` may be missing.
describe.skipIf(!existsSync(join(root, 'dist')))('the API report in etc/', () => {
  const reports = existsSync(join(root, 'dist')) ? apiReports(root) : new Map()

  test('has one file for each entry point and one for the types that none exports', () => {
    expect(readdirSync(folder).sort()).toEqual([...reports.keys()].sort())
  })

  test.each([...reports.keys()])('%s is what dist/ exports (otherwise: npm run api -- --update)', (name) => {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(reports.get(name))
  })

  test('coxswain exports at most 60 names, kinds aside', () => {
    const [, names] = /^(\d+) names/m.exec(reports.get('coxswain.api.md'))
    expect(Number(names)).toBeLessThanOrEqual(60)
  })

  test('leaves out private members, comments and modifiers of declarations', () => {
    expect(
      [...reports.values()].filter((text) => /#private|^ *private |\/\*\*|^(export|declare) /m.test(text)),
    ).toEqual([])
  })
})
