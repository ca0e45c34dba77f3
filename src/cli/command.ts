/** The form of a command. One table gives the parsing, the help and the errors. */
import { parseArgs } from 'node:util'

export interface Option {
  readonly type: 'string' | 'boolean'
  /** One letter: `n` for `-n`. Default: the option has none. */
  readonly short?: string
  /** What the value stands for in help: `FILE`. */
  readonly value?: string
  /** The only values. The command checks them; shell completion offers them. */
  readonly choices?: readonly string[]
  /** The option may be given several times; its values are joined with commas. */
  readonly list?: true
  /** One line for help; says the default. */
  readonly help: string
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** The operands as help shows them: `MODULE`. Default: the command takes none. */
  readonly operands?: string
  /** The only operands. Default: shell completion offers files. */
  readonly operandChoices?: readonly string[]
  /**
   * Everything after the first operand is an operand, even if it looks like an option: settings of the program to run.
   */
  readonly passesOn?: true
  readonly options: Readonly<Record<string, Option>>
  /** Shown in the help. */
  readonly examples: readonly string[]
  /** What exit codes mean for this command, where that says more than {@link commonExitCodes}. */
  readonly exitCodes?: Readonly<Record<number, string>>
  /** Returns the exit code. */
  run(values: Values, io: Io, operands: readonly string[]): Promise<number>
}

/** Of every command. */
export const commonExitCodes: Readonly<Record<number, string>> = {
  0: 'it did what it was asked to; server, demo and run also if they are asked to stop (SIGINT, SIGTERM)',
  1: 'it failed, or was stopped before it was done; the last line of standard error says why',
  2: 'wrong usage: an unknown command or option, a value that is not allowed, a file that does not exist',
}

export type Values = Readonly<Record<string, string | boolean | undefined>>

/** The process as a command sees it; tests give their own. */
export interface Io {
  out(line: string): void
  error(line: string): void
  /** Resolves when the user or the system asks the process to stop. */
  readonly stopped: Promise<void>
  /** Replaces the last line of standard error, if that is a terminal. */
  readonly status?: ((line: string) => void) | undefined
  /** Where the output is a terminal. */
  readonly terminal?: Terminal | undefined
  /** Whether to print colours. Default false. */
  readonly colours?: boolean | undefined
}

export interface Terminal {
  size(): { readonly columns: number; readonly rows: number }
  write(text: string): void
  /** Calls `listener` when the size changes, until the returned function is called. */
  onResize(listener: () => void): () => void
}

/** A mistake of the user: reported in one line, with exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

type Parsed = string | boolean | (string | boolean)[] | undefined

export interface Arguments {
  readonly values: Values
  readonly operands: readonly string[]
}

export function parseArguments(command: Command, args: readonly string[]): Arguments {
  const { own, passed } = split(command, args)
  try {
    const options = Object.fromEntries(
      Object.entries(command.options).map(([name, { type, list, short }]) => [
        name,
        { type, multiple: list === true, ...(short === undefined ? {} : { short }) },
      ]),
    )
    const { values, positionals } = parseArgs({
      args: own,
      options,
      strict: true,
      allowPositionals: command.operands !== undefined,
    })
    const single = (value: Parsed) => (Array.isArray(value) ? value.join(',') : value)
    return {
      values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, single(value)])),
      operands: [...positionals, ...passed],
    }
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]} (see: coxswain ${command.name} --help)`)
  }
}

/** Whether `--help` is meant for this command, not for the program that it runs. */
export function asksForHelp(command: Command, args: readonly string[]): boolean {
  return split(command, args).own.some((arg) => arg === '--help' || arg === '-h')
}

function split(
  { passesOn }: Command,
  args: readonly string[],
): { readonly own: string[]; readonly passed: readonly string[] } {
  const first = passesOn === true ? args.findIndex((arg) => !arg.startsWith('-')) : -1
  return first < 0 ? { own: [...args], passed: [] } : { own: args.slice(0, first), passed: args.slice(first) }
}

/** `--namespace NAME`, or `-n, --namespace NAME`. */
export function optionText(name: string, { short, value }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`
}

export function commandHelp(command: Command): string {
  const rows = Object.entries(command.options).map(([name, option]) => [optionText(name, option), option.help] as const)
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    `coxswain ${command.name}${command.operands === undefined ? '' : ` ${command.operands}`}: ${command.summary}`,
    '',
    'Options:',
    ...rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
    '',
    'Exit codes:',
    ...Object.entries({ ...commonExitCodes, ...command.exitCodes }).map(([code, meaning]) => `  ${code}  ${meaning}`),
  ].join('\n')
}

export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    'coxswain: Kubernetes operators in TypeScript, with a control plane in one process',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'coxswain COMMAND --help shows the options of a command, coxswain --version the version.',
  ].join('\n')
}
