/** docs/how-to/run-in-ci.md: its workflow is one, and its commands have the options that they use. */
import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import { parseArguments } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { docsPage } from './page.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly if?: string
  readonly shell?: string
  readonly with?: Readonly<Record<string, string | number>>
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<
    Record<string, { readonly 'runs-on': string; readonly if?: string; readonly steps: readonly Step[] }>
  >
}

const page = docsPage('how-to/run-in-ci.md')
const [yaml = ''] = page.blocks('yaml')
const workflow = parse(yaml) as Workflow
const jobs = Object.entries(workflow.jobs)
const steps = jobs.flatMap(([, job]) => job.steps)

/** The words after `npx coxswain` in each line, up to a pipe or a redirection. */
function commandLines(text: string): string[][] {
  return [...text.matchAll(/^.*npx coxswain ([^|>\n]*)/gm)].map(([, line = '']) =>
    line.trim().replaceAll('"', '').split(' '),
  )
}
const lines = [yaml, ...page.blocks('sh')].flatMap(commandLines)

describe('docs/how-to/run-in-ci.md', () => {
  it('docs/how-to/run-in-ci.md: the workflow has events, permissions, and jobs with steps', () => {
    expect(Object.keys(workflow.on)).toEqual(['pull_request', 'push', 'schedule'])
    expect(workflow.permissions).toEqual({ contents: 'read' })
    expect(jobs.map(([name]) => name)).toEqual(['test', 'explore', 'plan'])
    for (const [, job] of jobs) expect(job['runs-on']).toBe('ubuntu-latest')
    for (const step of steps) {
      expect([step.uses, step.run].filter((each) => each !== undefined)).toHaveLength(1)
      expect(Object.keys(step).filter((key) => !['uses', 'run', 'if', 'shell', 'with'].includes(key))).toEqual([])
      if (step.uses !== undefined) expect(step.uses).toMatch(/^actions\/[a-z-]+@v\d+$/)
    }
  })

  it.each(jobs)('docs/how-to/run-in-ci.md: the job %s installs and builds before it uses the operator', (_, job) => {
    const runs = job.steps.map(({ uses, run }) => uses ?? run ?? '')
    const at = (text: string): number => runs.findIndex((run) => run.startsWith(text))
    const order = ['actions/checkout@', 'actions/setup-node@', 'npm ci', 'npm run build', 'npx coxswain'].map(at)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order[0]).toBe(0)
  })

  it.each(lines.map((line) => line.join(' ')))('docs/how-to/run-in-ci.md: coxswain %s is a command', (line) => {
    const [name, ...args] = line.split(' ')
    const command = commands.find((each) => each.name === name)
    expect(command, name).toBeDefined()
    const { operands } = parseArguments(command as never, args)
    expect(operands[0]).toMatch(/^dist\/(operator|exploration)\.js$/)
  })

  it('docs/how-to/run-in-ci.md: npm scripts are those of the project, and a pipe keeps the exit code', () => {
    const [project = ''] = docsPage('how-to/build-the-image.md').blocks('json')
    const { scripts } = JSON.parse(project) as { readonly scripts: object }
    for (const { run = '', shell } of steps) {
      const [, script] = /^npm (?:run )?(test|build|\S+)$/.exec(run) ?? []
      if (script !== undefined && script !== 'ci') expect(scripts).toHaveProperty(script)
      if (run.includes('|')) expect(shell).toBe('bash')
    }
  })

  it('docs/how-to/run-in-ci.md: each command of the table is in the workflow', () => {
    const checks = page.table('check').map(([command = '']) => command)
    expect(checks).toHaveLength(4)
    for (const check of checks) {
      const [program = '', command = '', option = ''] = check.replaceAll('`', '').split(' ')
      expect(yaml).toContain(program === 'npm' ? `${program} ${command}` : `npx ${program} ${command} dist/`)
      expect(yaml).toContain(option)
    }
  })
})
