/**
 * Every name that the package exports is in the reference, and every name that docs import is exported. The exports are
 * read from the API report in `etc/`, which another test compares with the package.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

function exportedNames(): ReadonlyMap<string, ReadonlySet<string>> {
  const reports = readdirSync(join(root, 'etc')).filter((file) => file !== 'not-exported.api.md')
  return new Map(
    reports.map((file) => {
      const text = readFileSync(join(root, 'etc', file), 'utf8')
      const specifier = /^# (\S+)/.exec(text)?.[1] ?? file
      const declared = text.matchAll(/^(?:const|(?:abstract )?class|function|interface|namespace|type) ([\w$]+)/gm)
      return [specifier, new Set([...declared].map(([, name = '']) => name))]
    }),
  )
}

/** Markdown files below a folder, by their paths in the repository. */
function pages(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(join(root, folder))) return new Map()
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
  const paths = files.map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [relative(root, path), readFileSync(path, 'utf8')]))
}

/** The words of a page in code font: in code blocks and in code spans. */
function wordsOfCode(text: string): string[] {
  const block = /^ *```[^\n]*\n([\s\S]*?)^ *```/gm
  const blocks = Array.from(text.matchAll(block), ([, code = '']) => code)
  const spans = Array.from(text.replaceAll(block, '').matchAll(/`([^`]+)`/g), ([, code = '']) => code)
  return [...blocks, ...spans].flatMap((code) => code.match(/[\w$]+/g) ?? [])
}

interface Import {
  readonly page: string
  readonly specifier: string
  readonly name: string
}

function imports(page: string, text: string): Import[] {
  const found = text.matchAll(/\bimport\s+(?:type\s+)?\{([^}]*)\}\s+from\s+['"](coxswain(?:\/[^'"]*)?)['"]/g)
  return [...found].flatMap(([, list = '', specifier = '']) =>
    list
      .split(',')
      .map((each) => each.trim().replace(/^type\s+/, ''))
      .filter((each) => each !== '')
      .map((each) => ({ page, specifier, name: each.split(/\s+as\s+/)[0] ?? each })),
  )
}

const entries = exportedNames()

describe('docs/reference', () => {
  const documented = new Set([...pages('docs/reference').values()].flatMap(wordsOfCode))

  it.each([...entries])('docs/reference has every name that %s exports', (_, names) => {
    expect([...names].filter((name) => !documented.has(name))).toEqual([])
  })
})

describe('docs', () => {
  const top = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'].map((page): [string, string] => [
    page,
    readFileSync(join(root, page), 'utf8'),
  ])

  it('import only names that are exported', () => {
    const all = [...pages('docs'), ...top].flatMap(([page, text]) => imports(page, text))
    expect(all.length).toBeGreaterThan(0)
    expect(all.filter(({ specifier, name }) => entries.get(specifier)?.has(name) !== true)).toEqual([])
  })
})
