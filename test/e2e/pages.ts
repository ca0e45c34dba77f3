/** The parts of README and docs that follow from the tests and the known failures. `--update` writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { withGenerated } from '../docs/generated.ts'
import type { KnownFailures } from './known-failures.ts'
import { conformanceTests, sigs } from './tests.ts'

export interface Section {
  readonly page: URL
  readonly lines: readonly string[]
}

/** The name of the sections in their pages. */
export const sectionName = 'official-tests'

const page = (path: string): URL => new URL(`../../${path}`, import.meta.url)

export function sections(known: KnownFailures): readonly Section[] {
  const total = conformanceTests.length
  const passing = total - Object.keys(known).length
  return [
    {
      page: page('README.md'),
      lines: [
        `${passing} of ${total} [official conformance tests](docs/internals/official-tests.md) of Kubernetes pass.`,
        'These are the tests that a real control plane passes with nodes that run no containers.',
      ],
    },
    {
      page: page('docs/internals/official-tests.md'),
      lines: [
        `**${passing} of ${total} tests pass.**`,
        '',
        '| sig | tests | pass |',
        '|---|--:|--:|',
        ...sigs.map((sig) => {
          const tests = conformanceTests.filter((test) => test.sig === sig)
          const failing = tests.filter(({ name }) => Object.hasOwn(known, name))
          return `| ${sig} | ${tests.length} | ${tests.length - failing.length} |`
        }),
        ...failuresOf(known),
      ],
    },
  ]
}

function failuresOf(known: KnownFailures): string[] {
  const rows = Object.entries(known).map(([name, reason]) => `| ${cell(name)} | ${cell(reason)} |`)
  return rows.length === 0 ? [] : ['', '| fails | why |', '|---|---|', ...rows]
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('[', String.raw`\[`)

export function writePages(known: KnownFailures): void {
  for (const { page, lines } of sections(known)) {
    const text = readFileSync(page, 'utf8')
    writeFileSync(page, withGenerated(text, sectionName, lines))
  }
}
