/**
 * Identifies processes by process ID and start time, since process IDs are reused. No process is ended by its ID alone.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessId {
  readonly pid: number
  /** Opaque; equal only for the same process. */
  readonly started: string
}

/** Undefined if there is no such process, or only a zombie. */
export function identify(pid: number): ProcessId | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid)
  return started === undefined ? undefined : { pid, started }
}

export function isRunning(id: ProcessId): boolean {
  return identify(id.pid)?.started === id.started
}

/** Kills it (SIGKILL). False if it has exited, or if we may not kill it. */
export function endProcess(id: ProcessId): boolean {
  if (!isRunning(id)) return false
  try {
    return process.kill(id.pid, 'SIGKILL')
  } catch {
    return false
  }
}

/** Finds processes by command line; none on systems other than Linux. */
export function findProcesses(matches: (args: readonly string[]) => boolean): ProcessId[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && matches(read(`/proc/${name}/cmdline`)?.split('\0') ?? []))
    .flatMap((name) => identify(Number(name)) ?? [])
}

let bootId: string | undefined

/** Ticks since the boot of the machine, and the ID of that boot. */
function startedOnLinux(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  bootId ??= read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return `${bootId} ${fields[19] ?? ''}`
}

function startedByPs(pid: number): string | undefined {
  try {
    const env = { ...process.env, LC_ALL: 'C' }
    const args = ['-o', 'stat=,lstart=', '-p', String(pid)]
    const text = execFileSync('ps', args, { encoding: 'utf8', stdio: 'pipe', env })
    const [state = '', ...started] = text.trim().split(/\s+/)
    return state === '' || state.startsWith('Z') ? undefined : started.join(' ')
  } catch {
    return undefined
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
