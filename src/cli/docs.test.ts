/** docs/reference/cli.md lists every command with every option. */
import { describe, expect, it } from 'vitest'
import { docsPage } from '../../test/docs/page.ts'
import { commonExitCodes, optionText, type Command } from './command.ts'
import { runCommandLine } from './command-line.ts'
import { commands } from './commands.ts'
import { findingTypes } from '../doctor/finding.ts'

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)

function section({ name, operands, summary, options, examples }: Command): string[] {
  const rows = Object.entries(options)
    .filter(([name]) => name !== 'help')
    .map(([name, option]) => `| \`${optionText(name, option)}\` | ${cell(option.help)} |`)
  return [
    `## coxswain ${name}`,
    '',
    `\`coxswain ${name}${operands === undefined ? '' : ` ${operands}`}\`: ${summary}`,
    '',
    ...(rows.length === 0 ? [] : ['| option | |', '|---|---|', ...rows, '']),
    '```sh',
    ...examples,
    '```',
    '',
  ]
}

describe('docs/reference/cli.md', () => {
  it('docs/reference/cli.md has every command with its options and examples', async () => {
    docsPage('reference/cli.md').checkGenerated('commands', ['', ...commands.flatMap(section)])
    docsPage('reference/cli.md').checkGenerated('exit-codes', [
      '| code | command | |',
      '|---|---|---|',
      ...Object.entries(commonExitCodes).map(([code, meaning]) => `| ${code} | all | ${meaning} |`),
      ...commands.flatMap(({ name, exitCodes = {} }) =>
        Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | \`${name}\` | ${cell(meaning)} |`),
      ),
    ])
    const types = docsPage('reference/cli.md')
      .table('`type` | what it says')
      .map(([type = '']) => type)
    expect(types).toEqual(findingTypes.map((type) => `\`${type}\``))
    const lines: string[] = []
    const io = { out: (line: string) => lines.push(line), error: () => undefined, stopped: Promise.resolve() }
    await runCommandLine(['--help'], io)
    const listed = [...lines.join('\n').matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name)
    expect(listed).toEqual(commands.map(({ name }) => name))
  })
})
