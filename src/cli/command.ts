/** Commands: one table entry each gives parsing, help and errors. */
import { parseArgs } from 'node:util'

export interface Option {
  readonly type: 'string' | 'boolean'
  /** What the value stands for in help: `FILE`. */
  readonly value?: string
  /** The option may be given several times; its values are joined with commas. */
  readonly list?: true
  /** One line for help; says the default. */
  readonly help: string
}

export interface Command {
  readonly name: string
  readonly summary: string
  readonly options: Readonly<Record<string, Option>>
  /** Shown at the end of the help. */
  readonly examples: readonly string[]
  /** Returns the exit code. */
  run(values: Values, io: Io): Promise<number>
}

export type Values = Readonly<Record<string, string | boolean | undefined>>

/** The process as a command sees it; tests give their own. */
export interface Io {
  out(line: string): void
  error(line: string): void
  /** Resolves when the user or the system asks the process to stop. */
  readonly stopped: Promise<void>
}

/** The user's mistake: told in one line, with exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

type Parsed = string | boolean | (string | boolean)[] | undefined

export function parse(command: Command, args: readonly string[]): Values {
  try {
    const options = Object.fromEntries(
      Object.entries(command.options).map(([name, { type, list }]) => [name, { type, multiple: list === true }]),
    )
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false })
    const single = (value: Parsed) => (Array.isArray(value) ? value.join(',') : value)
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, single(value)]))
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]} (see: coxswain ${command.name} --help)`)
  }
}

export function commandHelp(command: Command): string {
  const rows = Object.entries(command.options).map(([name, { value, help }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, help] as const)
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    `coxswain ${command.name}: ${command.summary}`, '', 'Options:',
    ...rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`),
    '', 'Examples:', ...command.examples.map((example) => `  ${example}`),
  ].join('\n')
}

export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    'coxswain: Kubernetes operators in TypeScript, with a control plane in one process', '', 'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '', 'coxswain COMMAND --help tells more.',
  ].join('\n')
}
