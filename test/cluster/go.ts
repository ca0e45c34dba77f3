/** Runs the `go` command, and explains failures in one line. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { BuildFailed, GoMissing, ModulesUnavailable } from './errors.ts'
import type { ClusterError } from './errors.ts'

export interface GoResult {
  readonly code: number
  readonly stdout: string
  /** Without the lines that `onLine` consumed. */
  readonly stderr: string
}

export interface GoOptions {
  readonly cwd: string
  /** Called with each line of standard error; true: the line is consumed. */
  readonly onLine?: (line: string) => boolean
}

/**
 * Uses only what is installed: no download of another Go version, no C compiler, no workspace, no cross-compilation.
 */
function goEnvironment(): NodeJS.ProcessEnv {
  const { GOOS: _os, GOARCH: _arch, ...env } = process.env
  return { ...env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off' }
}

/** Throws GoMissing if there is no Go. */
export function runGo(args: readonly string[], { cwd, onLine }: GoOptions): Promise<GoResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, { cwd, env: goEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    const stderr: string[] = []
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (onLine?.(line) !== true) stderr.push(line)
    })
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ENOENT' ? new GoMissing(missing) : error)
    })
    child.on('close', (code) => resolve({ code: code ?? 1, stdout, stderr: stderr.join('\n') }))
  })
}

const missing = 'Go is missing: the reference cluster is built from Go modules and needs the `go` command on the PATH'

/** Throws GoMissing if there is no Go, or one older than `least`, such as `1.25.0`. */
export async function needGo(least: string, cwd: string): Promise<void> {
  const { stdout } = await runGo(['version'], { cwd })
  const found = stdout.match(/go(\d+\.\d+(?:\.\d+)?)/)?.[1]
  // A development version of Go has no number; it is accepted.
  if (found !== undefined && isBelow(found, least)) {
    const needs = `the reference cluster needs Go ${least} or later`
    throw new GoMissing(`Go is too old: ${needs}, and this machine has ${found}`)
  }
}

export function isBelow(version: string, least: string): boolean {
  const [a, b] = [version, least].map((text) => text.split('.').map(Number))
  for (let i = 0; i < 3; i++) {
    const difference = (a?.[i] ?? 0) - (b?.[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

/** Messages of Go about modules that are neither in its cache nor downloadable. */
const unreachable = new RegExp(
  [
    'module lookup disabled by GOPROXY=off',
    String.raw`reading https?://\S+: \d{3} `,
    'proxyconnect',
    'dial tcp',
    'no such host',
    'server misbehaving',
    'connection re(fused|set)',
    'network is unreachable',
    'i/o timeout',
    'deadline exceeded',
    'unexpected EOF',
    'TLS handshake',
    'tls: failed',
    'x509: ',
  ].join('|'),
)

/** The error for a failed `go` command with this output. */
export function goFailure(program: string, stderr: string): ClusterError {
  const lines = stderr.split('\n').map((line) => line.trim())
  const reason = stderr.includes('SECURITY ERROR') ? undefined : lines.find((line) => unreachable.test(line))
  if (reason === undefined) return new BuildFailed(`go cannot build ${program}:\n${lines.slice(-40).join('\n')}`)
  const short = reason.length > 300 ? `${reason.slice(0, 300)}…` : reason
  return new ModulesUnavailable(`the Go modules of ${program} cannot be downloaded (is GOPROXY right?): ${short}`)
}
