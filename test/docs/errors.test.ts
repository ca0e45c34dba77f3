/** docs/reference/errors.md has every exported error, every predicate and every code, with a cause and a fix. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as reasons from '../../src/api/error-reasons.ts'
import * as api from '../../src/api/index.ts'
import { ApiError } from '../../src/api/status.ts'
import { transportErrorCodes } from '../../src/client/transport.ts'
import { docsPage } from './page.ts'

const page = docsPage('reference/errors.md')
const root = new URL('../../', import.meta.url)

/** The sources of the package's entry points, by import name. */
function entryPoints(): Map<string, URL> {
  const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { exports: object }
  const entries = Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => [`coxswain${path.slice(1)}`, new URL(`src${path.slice(1)}/index.ts`, root)] as const)
  return new Map(entries.filter(([, url]) => existsSync(url)))
}

const isErrorClass = (value: unknown): boolean => typeof value === 'function' && value.prototype instanceof Error

describe('docs/reference/errors.md', () => {
  it('docs/reference/errors.md has every exported error class, and its entry point', async () => {
    const rows = page.table('error')
    const listed = rows.map(([name = '']) => name.replaceAll('`', ''))
    const entries = entryPoints()
    for (const [entry, url] of entries) {
      const module = (await import(url.href)) as Readonly<Record<string, unknown>>
      const errors = Object.keys(module).filter((name) => isErrorClass(module[name]))
      for (const name of errors) expect(listed).toContain(name)
      for (const [name = '', from] of rows)
        if (from === `\`${entry}\``)
          expect([entry, errors]).toEqual([entry, expect.arrayContaining([name.slice(1, -1)])])
    }
  })

  it('docs/reference/errors.md has every predicate, which is true for the code and reason of its row', () => {
    const rows = page.table('predicate')
    const predicates = Object.entries(reasons).filter(([name]) => name.startsWith('is')) as [
      string,
      (error: unknown) => boolean,
    ][]
    const listed = rows.map(([name = '']) => name)
    expect(listed.toSorted()).toEqual(predicates.map(([name]) => `\`${name}\``).toSorted())
    expect(Object.keys(api)).toEqual(expect.arrayContaining(predicates.map(([name]) => name)))
    for (const [name, predicate] of predicates) {
      const [, shown = ''] = rows.find(([first]) => first === `\`${name}\``) ?? []
      const [, code, reason, cause] = /^(\d+) (\w+)(?: or \w+)?(?:, cause (\w+))?$/.exec(shown) ?? []
      const details = cause === undefined ? {} : { causes: [{ reason: cause }] }
      const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', details } as const
      expect([name, predicate(new ApiError({ ...status, code: Number(code), reason: String(reason) }))]).toEqual([
        name,
        true,
      ])
    }
  })

  it('docs/reference/errors.md has every code of a TransportError', () => {
    expect(page.table('code').map(([code]) => code)).toEqual(transportErrorCodes.map((code) => `\`${code}\``))
  })

  it('docs/reference/errors.md says the cause and the fix of each', () => {
    for (const header of ['error', 'predicate', 'code'])
      for (const row of page.table(header)) expect(row.every((cell) => cell.trim() !== '')).toBe(true)
  })
})
