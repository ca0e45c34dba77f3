/** The command line of `npm run cluster`. */
import { parseArgs } from 'node:util'
import { ClusterError } from './errors.ts'
import type { ClusterOptions } from './cluster.ts'
import { mostNodes } from './nodes.ts'
import { clusterPrograms, programNames } from './programs.ts'
import type { ProgramName } from './programs.ts'

export const usage = `npm run -s cluster -- COMMAND [OPTIONS]
Runs a real Kubernetes control plane on this machine, as the reference for tests. Building it needs Go.

  up                 start a cluster that runs until 'down', and print how to use it
  down               stop it
  status             show clusters and programs
  build [PROGRAM…]   build programs into the cache (default: all but e2e.test):
                     ${programNames.join(', ')}

  --with PARTS       up: also start these: controllers, scheduler, nodes=N, kubectl
  --name NAME        up, down: the name of the cluster (default: default)
  --all              down: every cluster that 'up' started
  --help

Programs are built once, into $COXSWAIN_CACHE or the user's cache folder.
Exit codes: 1 failure, 2 invalid command line, 3 Go or its modules are missing.`

/** The command line is invalid; the usage is printed. */
export class UsageError extends ClusterError {
  override readonly name = 'UsageError'
}

export type Parts = Pick<ClusterOptions, 'controllers' | 'scheduler' | 'nodes' | 'kubectl'>

export type Command =
  | { readonly command: 'help' | 'status' }
  | { readonly command: 'up'; readonly name: string; readonly parts: Parts }
  | { readonly command: 'down'; readonly name: string; readonly all: boolean }
  | { readonly command: 'build'; readonly programs: readonly ProgramName[] }

const allowed: Readonly<Record<string, readonly string[]>> = {
  up: ['with', 'name'],
  down: ['name', 'all'],
  status: [],
  build: [],
}

export function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args)
  const [command, ...rest] = positionals
  if (values.help || command === 'help') return { command: 'help' }
  const { name = 'default', all = false } = values
  if (command === undefined) throw new UsageError('a command is missing')
  if (!Object.hasOwn(allowed, command)) throw new UsageError(`'${command}' is no command`)
  for (const option of Object.keys(values)) {
    if (allowed[command]?.includes(option) !== true) throw new UsageError(`'${command}' takes no --${option}`)
  }
  if (command !== 'build' && rest.length > 0) throw new UsageError(`'${command}' takes no '${rest.join(' ')}'`)
  if (command === 'status') return { command }
  if (command === 'build') return { command, programs: rest.length === 0 ? clusterPrograms : rest.map(programName) }
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new UsageError(`'${name}' is not a valid name: use letters, digits, '.', '_' and '-'`)
  if (command === 'up') return { command, name, parts: parseParts(values.with ?? []) }
  return { command: 'down', name, all }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        with: { type: 'string', multiple: true },
        name: { type: 'string' },
        all: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** `controllers,scheduler,nodes=3`. */
export function parseParts(texts: readonly string[]): Parts {
  const parts: { -readonly [K in keyof Parts]: Parts[K] } = {}
  for (const text of texts.flatMap((text) => text.split(','))) {
    const part = text.trim()
    const nodes = part.match(/^nodes=(\d{1,6})$/)?.[1]
    if (part === '') continue
    if (part === 'controllers' || part === 'scheduler' || part === 'kubectl') parts[part] = true
    else if (nodes !== undefined && Number(nodes) <= mostNodes) parts.nodes = Number(nodes)
    else throw new UsageError(`'${part}' is none of controllers, scheduler, kubectl, nodes=N (at most ${mostNodes})`)
  }
  return parts
}

function programName(text: string): ProgramName {
  const name = programNames.find((each) => each === text)
  if (name === undefined) throw new UsageError(`'${text}' is none of ${programNames.join(', ')}`)
  return name
}
