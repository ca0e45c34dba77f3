/** Builds the clients of a language once, into the user's cache, next to the programs of the reference cluster. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { isBelow } from '../cluster/go.ts'
import { withLock } from '../cluster/lock.ts'
import { cacheFolder } from '../cluster/programs.ts'
import { duration, startProgress, toStderr } from '../cluster/progress.ts'
import type { Log } from '../cluster/progress.ts'
import type { Build, Command, Tool } from './builds.ts'

/** A build is not possible on this machine, for reasons outside of the tested code. The message is one line. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

export interface BuildOptions {
  /** Called with each progress line. Default: standard error. */
  readonly log?: Log
  /** Default: `clients`, next to the reference cluster's folder. */
  readonly cache?: string
}

/**
 * The folder of a build, which runs now if it is missing. The folder appears only when it is complete; concurrent
 * builds wait for each other. Throws Unavailable if a tool is missing or downloads fail.
 */
export async function ensureBuild(what: Build, options: BuildOptions = {}): Promise<string> {
  const { log = toStderr, cache = join(dirname(cacheFolder()), 'clients') } = options
  const versions: string[] = []
  for (const tool of what.tools) versions.push(await needTool(tool, what.source))
  const home = join(cache, `${what.name}-${fingerprint(what, versions)}`)
  if (existsSync(home)) return home
  const waiting = (owner: number): void => log(`waiting for process ${owner}, which builds the ${what.name} clients`)
  await withLock(
    join(cache, `${what.name}.lock`),
    () => (existsSync(home) ? Promise.resolve() : fill(what, home, log)),
    waiting,
  )
  return home
}

async function fill(what: Build, home: string, log: Log): Promise<void> {
  const title = `building the ${what.name} clients`
  log(title)
  const started = performance.now()
  const progress = startProgress(title, log)
  const draft = `${home}.tmp`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  try {
    for (const command of what.commands(draft)) {
      const { code, output } = await run(command, what.source, (line) => progress.update(line))
      if (code !== 0) throw failure(what, command, output)
    }
    const { keep } = what
    const superfluous = keep === undefined ? [] : readdirSync(draft).filter((name) => !keep.includes(name))
    for (const name of superfluous) rmSync(join(draft, name), { recursive: true })
    renameSync(draft, home)
  } finally {
    progress.end()
    rmSync(draft, { recursive: true, force: true })
  }
  log(`built the ${what.name} clients in ${duration(performance.now() - started)}`)
}

/** The version of a tool. Throws Unavailable if it is missing or too old. */
async function needTool({ command, args, least }: Tool, cwd: string): Promise<string> {
  const { code, output } = await run({ command, args }, cwd).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new Unavailable(`there is no ${command} on the PATH`)
    throw error
  })
  if (code !== 0) throw new Unavailable(`${command} ${args.join(' ')} fails`)
  // Some tools print colour codes, which contain numbers, before the version; some versions have no dots.
  const found = (output.match(/\d+(\.\d+)+/) ?? output.match(/\d+/))?.[0] ?? ''
  if (least !== '' && isBelow(found, least))
    throw new Unavailable(`${command} is ${found}, and ${least} or later is needed`)
  return found
}

/** Messages of package managers that cannot reach their registries. */
const unreachable = new RegExp(
  [
    'no such host',
    'not resolve host',
    'name resolution',
    'Unknown host',
    'UnknownHost',
    'ENOTFOUND',
    'EAI_AGAIN',
    'connection re(fused|set)',
    'ECONNRE(FUSED|SET)',
    'connect timed out',
    'i/o timeout',
    'ETIMEDOUT',
    'network is unreachable',
    'ENETUNREACH',
    'NewConnectionError',
    'Could not transfer artifact',
    'GOPROXY=off',
    'proxyconnect',
    'TLS handshake',
  ].join('|'),
  'i',
)

export function failure({ name }: Build, { command, args }: Command, output: string): Error {
  const lines = output.trim().split('\n')
  const reason = lines.find((line) => unreachable.test(line))?.trim()
  if (reason !== undefined)
    return new Unavailable(`what the ${name} clients need cannot be downloaded: ${reason.slice(0, 200)}`)
  return new Error(`${command} ${args[0] ?? ''} cannot build the ${name} clients:\n${lines.slice(-40).join('\n')}`)
}

interface Result {
  readonly code: number
  readonly output: string
}

function run({ command, args, env }: Command, cwd: string, onLine?: (line: string) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] })
    const lines: string[] = []
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        lines.push(line)
        onLine?.(line.trim())
      })
    }
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output: lines.join('\n') }))
  })
}

/** Our environment without the variables of npm scripts, which a nested npm would read as its settings. */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))
  const all = Object.entries({ ...Object.fromEntries(own), ...more })
  return Object.fromEntries(all.filter(([, value]) => value !== ''))
}

/** A build depends on these files and on the platform: a home folder may be shared by several machines. */
function fingerprint({ source, inputs, bound }: Build, versions: readonly string[]): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${bound ? (versions[0] ?? '') : ''}\n`)
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => inputs.test(name))
    .sort()
  for (const name of files) hash.update(`${name}\n`).update(readFileSync(join(source, name)))
  return hash.digest('hex').slice(0, 12)
}
