/** docs/internals/known-failures.md names the tests of each failure, or says why there are none. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [clients = '', runtimes = ''] = readFileSync(join(root, 'docs/internals/known-failures.md'), 'utf8')
  .split('## ')
  .slice(1)

interface Row {
  readonly number: number
  readonly where: string
}

function rows(section: string): Row[] {
  return [...section.matchAll(/^\| (\d+) \| [^|]+ \| ([^|]*) \|$/gm)].map(([, number, where]) => ({
    number: Number(number),
    where: (where as string).trim(),
  }))
}

/** The files that name each failure in a comment. */
function named(prefix: string): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (const folder of ['src', 'test']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (
        !entry.isFile() ||
        !entry.name.endsWith('.ts') ||
        (entry.name === 'known-failures.test.ts' && entry.parentPath.endsWith('docs'))
      )
        continue
      const file = join(entry.parentPath, entry.name)
      for (const [comment] of readFileSync(file, 'utf8').matchAll(/\/\/ Known failure: .*/g)) {
        for (const [, number] of comment.matchAll(new RegExp(`\\b${prefix}(\\d+)`, 'g'))) {
          found.set(Number(number), [...(found.get(Number(number)) ?? []), relative(root, file)])
        }
      }
    }
  }
  return found
}

describe.each([
  ['clients', clients, 'client ', 38],
  ['runtimes', runtimes, 'runtime ', 31],
] as const)('pains of %s', (_, section, prefix, count) => {
  it('are all there, each with its test or a reason', () => {
    const all = rows(section)
    expect(all.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_each, index) => index + 1))
    for (const { number, where } of all) {
      const files = [...where.matchAll(/`([^`]+\.ts)`/g)].map(([, file]) => file as string)
      if (files.length === 0) expect(where, `#${number}`).toMatch(/^(does not apply|not yet): /)
      for (const file of files) expect(existsSync(join(root, file)), file).toBe(true)
    }
  })

  it('that have tests of their name are reported with them', () => {
    const told = new Map(rows(section).map(({ number, where }) => [number, where]))
    for (const [number, files] of named(prefix))
      for (const file of files) expect(told.get(number), `#${number}`).toContain(file)
  })
})
