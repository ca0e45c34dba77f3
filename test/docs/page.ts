/** A page of `docs` for tests that compare it with the code. `UPDATE_DOCS=1` rewrites generated tables. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { withGenerated } from './generated.ts'

export interface Page {
  readonly text: string
  /** The cells of the table whose header starts with these cells, row by row. */
  readonly table: (header: string) => string[][]
  /** The names in code font in the first column of that table: `` `.owns(Kind)` `` gives `owns`. */
  readonly names: (header: string) => string[]
  /** The code blocks of this language; '' for blocks without one. */
  readonly blocks: (language: string) => string[]
  /** Compares the lines between `<!-- NAME:begin -->` and `<!-- NAME:end -->`, or writes them. */
  readonly checkGenerated: (name: string, lines: readonly string[]) => void
}

/** `path` is relative to `docs`. */
export function docsPage(path: string): Page {
  const file = fileURLToPath(new URL(`../../docs/${path}`, import.meta.url))
  const text = readFileSync(file, 'utf8')
  const table = (header: string): string[][] => tableRows(text, header)
  return {
    text,
    table,
    names: (header) =>
      table(header).flatMap(([first = '']) => [...first.matchAll(/`\.?(\w+)/g)].map(([, name = '']) => name)),
    blocks: (language) =>
      [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
        .filter(([, of]) => of === language)
        .map(([, , block]) => block ?? ''),
    checkGenerated: (name, lines) => checkGenerated(file, name, lines),
  }
}

/** Code without its import statements: pages import the package, compiled examples import sources. */
export function withoutImports(code: string): string {
  return code.replaceAll(/^import [\s\S]*? from '[^']+'\n+/gm, '')
}

function tableRows(text: string, header: string): string[][] {
  const lines = text.split('\n')
  const from = lines.findIndex((line) => line.startsWith(`| ${header} |`))
  expect(from, `a table with the header "${header}"`).toBeGreaterThanOrEqual(0)
  const rows = lines.slice(from + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(0, end < 0 ? rows.length : end).map((row) => row.slice(2, -2).split(' | '))
}

function checkGenerated(file: string, name: string, lines: readonly string[]): void {
  const text = readFileSync(file, 'utf8')
  const wanted = withGenerated(text, name, lines)
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, wanted)
  else expect(text, `${name} in ${file}: UPDATE_DOCS=1 rewrites it`).toBe(wanted)
}
