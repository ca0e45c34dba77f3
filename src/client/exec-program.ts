/**
 * Runs a program until it exits and captures its output, within limits of time and size. The program and what it has
 * started end together: in its own process group, which is killed as a whole.
 */
import type { Env } from '../env/env.ts'

export interface ExecProgramOptions {
  readonly env: Env
  readonly command: string
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string | undefined>>
  /**
   * Whether the program may read from this process's terminal. It then stays in this process's group, since only that
   * group has the terminal, and what it has started is not killed with it.
   */
  readonly interactive: boolean
  /** Kills the program. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** The maximum of stdout and stderr together. */
  readonly maxOutputBytes: number
  /** Receives the program's stderr as it is written. */
  readonly onStderr: (chunk: Buffer) => void
}

export interface ExecProgramOutput {
  readonly code: number | null
  /** `exit code 1`, `signal SIGKILL` */
  readonly ending: string
  readonly stdout: string
  readonly stderr: string
}

/** The program was killed, because it exceeded a limit or is not needed any more. */
export class ExecKilledError extends Error {
  readonly stderr: string

  constructor(message: string, stderr: string) {
    super(message)
    this.stderr = stderr
  }
}

/** Rejects with an {@link ExecKilledError}, or with Node's error if the program cannot be started: ENOENT, EACCES. */
export async function runProgram(options: ExecProgramOptions): Promise<ExecProgramOutput> {
  const { env, command, args, variables, interactive, signal, timeoutMs, maxOutputBytes, onStderr } = options
  // Loaded only here: most clients have no plugin.
  const { spawn } = await import('node:child_process')
  return new Promise((resolve, reject) => {
    const ownsGroup = !interactive && process.platform !== 'win32'
    const child = spawn(command, args, {
      env: variables,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      detached: ownsGroup,
      windowsHide: true,
    })
    const kill = (): void => killProgram(child, ownsGroup)
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    let size = 0
    const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString()
    const end = (what: string): void => {
      kill()
      done()
      reject(new ExecKilledError(what, textOf(stderr).trim()))
    }
    const abort = (): void => end('is not waited for any more')
    const timer = env.after(timeoutMs, () => end(`has not ended within ${timeoutMs / 1000} s`))
    // A process group of its own does not get the signals of this process's terminal.
    process.once('exit', kill)
    signal.addEventListener('abort', abort)
    const done = (): void => {
      timer.cancel()
      process.off('exit', kill)
      signal.removeEventListener('abort', abort)
    }
    const count = (chunk: Buffer, into: Buffer[]): void => {
      size += chunk.length
      if (size > maxOutputBytes) end(`printed more than ${maxOutputBytes} bytes`)
      else into.push(chunk)
    }
    child.stdout?.on('data', (chunk: Buffer) => count(chunk, stdout))
    child.stderr?.on('data', (chunk: Buffer) => {
      count(chunk, stderr)
      if (size <= maxOutputBytes) onStderr(chunk)
    })
    child.on('error', (error) => {
      done()
      reject(error)
    })
    // What it has started may hold its output open, which would then never end.
    child.on('exit', kill)
    child.on('close', (code, killedBy) => {
      done()
      const ending = killedBy === null ? `exit code ${String(code)}` : `signal ${killedBy}`
      resolve({ code, ending, stdout: textOf(stdout), stderr: textOf(stderr).trim() })
    })
    if (signal.aborted) abort()
  })
}

/** A child process of Node. */
interface RunningProgram {
  readonly pid?: number | undefined
  kill(signal: 'SIGKILL'): boolean
}

/** At once, with SIGKILL: a program that hangs may ignore SIGTERM. */
function killProgram(child: RunningProgram, ownsGroup: boolean): void {
  if (!ownsGroup || child.pid === undefined) {
    child.kill('SIGKILL')
    return
  }
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // ESRCH: the group has ended.
  }
}
