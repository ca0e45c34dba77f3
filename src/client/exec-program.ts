/** Runs a program until it exits and captures its output. */

export interface ExecProgramOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Whether the program may read from this process's stdin. */
  readonly interactive: boolean
  /** Kills the program. */
  readonly signal: AbortSignal
  /** Receives the program's stderr as it is written. Default: this process's stderr. */
  readonly onStderr?: ((chunk: Uint8Array) => void) | undefined
}

export interface ExecProgramOutput {
  readonly code: number | null
  /** `exit code 1`, `signal SIGKILL` */
  readonly ending: string
  readonly stdout: string
  /** The last kilobyte. */
  readonly stderr: string
}

/** Rejects with Node's error if the program cannot be started: ENOENT, EACCES. */
export async function runProgram({
  command,
  args,
  variables,
  interactive,
  signal,
  onStderr,
}: ExecProgramOptions): Promise<ExecProgramOutput> {
  // Loaded only here: most clients have no plugin.
  const { spawn } = await import('node:child_process')
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: variables,
      signal,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const stdout: Buffer[] = []
    let stderr = ''
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-1024)
      if (onStderr === undefined) process.stderr.write(chunk)
      else onStderr(chunk)
    })
    child.on('error', reject)
    child.on('close', (code, killedBy) => {
      const ending = killedBy === null ? `exit code ${String(code)}` : `signal ${killedBy}`
      resolve({ code, ending, stdout: Buffer.concat(stdout).toString(), stderr: stderr.trim() })
    })
  })
}
