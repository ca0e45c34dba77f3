/** No regular expression of the source takes exponential time, and few take more than linear time (item 13). */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import ts from '@typescript/typescript6'
import { describe, expect, it } from 'vitest'
import { ambiguityOf } from './regex-ambiguity.ts'

describe('the check of expressions', () => {
  it.each([
    ['^(a+)+$', 'exponential'],
    ['^(a|a)*$', 'exponential'],
    ['^(a|aa)+$', 'exponential'],
    ['(\\w+\\s?)+$', 'exponential'],
    ['^([a-z]+)*[0-9]?$', 'exponential'],
    ['\\s+$', 'polynomial'],
    ['^a*a*$', 'polynomial'],
    ['^.*x.*y$', 'polynomial'],
    ['^(a|b)*$', 'linear'],
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', 'linear'],
    ['^a{2,3}b+$', 'linear'],
    ['[a-z]+', 'linear'],
    ['^\\d+(\\.\\d+)?([eE][-+]?\\d+)?$', 'linear'],
    ['(a)\\1', 'not understood'],
  ])('%s is %s', (source, expected) => {
    expect(ambiguityOf(source)).toBe(expected)
  })
})

const root = join(import.meta.dirname, '../..')

function sources(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`
    if (statSync(join(root, path)).isDirectory()) return name === 'testdata' ? [] : sources(path)
    return name.endsWith('.ts') && !/\.(test|cluster|d)\.ts$/.test(name) ? [path] : []
  })
}

function literalsOf(path: string): { readonly source: string; readonly flags: string }[] {
  const file = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest)
  const found: { source: string; flags: string }[] = []
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
      const { text } = node as ts.RegularExpressionLiteral
      const end = text.lastIndexOf('/')
      found.push({ source: text.slice(1, end), flags: text.slice(end + 1) })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** The loop of the lexer of CEL: nothing follows it that could fail, so the engine never goes back. */
const neverFails = new Set([String.raw`(?:[\t \r\n\f]+|\/\/[^\n]*)+`])

/**
 * Polynomial, and why that is harmless: the text is short or not the client's, or test/cost measures it. By file, with
 * the number of such expressions.
 */
const tolerated: Readonly<Record<string, number>> = {
  // Counted repeats, which this check takes for loops.
  'src/api/pattern-size.ts': 1,
  'src/cel/libraries/format/named-formats.ts': 1,
  'src/structural/formats.ts': 4,
  // The length of the text is limited before.
  'src/api/quantity.ts': 1,
  'src/cel/libraries/quantity/amount.ts': 1,
  'src/cel/libraries/standard/timestamp.ts': 1,
  'src/cel/libraries/strings/format-clauses.ts': 1,
  'src/x509/certificate.ts': 1,
  // The last loop takes everything up to the end, so it cannot fail.
  'src/client/response-body.ts': 1,
  'src/client/response-parser.ts': 1,
  'src/controlplane/extensions/definition/conversion-rules.ts': 1,
  // An anchor or a look-behind within the expression lets few positions begin a match.
  'src/controlplane/resources/shared/ip-name.ts': 1,
  'src/structural/rules/text-values.ts': 1,
  // Texts of this program and of whoever starts it.
  'operators/webapp/testing/world.ts': 1,
  'src/client/credential-mask.ts': 2,
  'src/controlplane/audit/event.ts': 1,
  'src/controlplane/audit/policy.ts': 1,
  'src/manager/configuration.ts': 1,
  'src/manager/wait-for.ts': 1,
  'src/explore/left-objects.ts': 1,
  'src/explore/state.ts': 1,
  'src/explore/timeline.ts': 1,
}

describe('the expressions of the source', () => {
  it('none is exponential, all are understood, and polynomial ones are known', { timeout: 300_000 }, () => {
    const bad: string[] = []
    const polynomial: Record<string, number> = {}
    let count = 0
    for (const path of [...sources('src'), ...sources('operators')]) {
      for (const { source, flags } of literalsOf(path)) {
        count++
        const found = ambiguityOf(source, flags)
        if (found === 'polynomial') polynomial[path] = (polynomial[path] ?? 0) + 1
        else if (found !== 'linear' && !neverFails.has(source)) bad.push(`${path}: /${source}/${flags} is ${found}`)
      }
    }
    expect(count).toBeGreaterThan(100)
    expect(bad).toEqual([])
    expect(polynomial).toEqual(tolerated)
  })
})
