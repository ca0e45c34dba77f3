/**
 * Processes, told apart from later ones that got the same number: by the time of their start, which the system knows.
 * Nothing is ever ended by its number alone.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessId {
  readonly pid: number
  /** Opaque; equal for the same process only. */
  readonly started: string
}

/** Undefined when there is no such process, or only what is left of one that has ended. */
export function identify(pid: number): ProcessId | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid)
  return started === undefined ? undefined : { pid, started }
}

export function isRunning(id: ProcessId): boolean {
  return identify(id.pid)?.started === id.started
}

/** Ends it at once (SIGKILL). False when it is not there any more, or is not ours to end. */
export function endProcess(id: ProcessId): boolean {
  if (!isRunning(id)) return false
  try {
    return process.kill(id.pid, 'SIGKILL')
  } catch {
    return false
  }
}

/** Processes by their command line; none where the system does not tell. */
export function findProcesses(matches: (args: readonly string[]) => boolean): ProcessId[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && matches(read(`/proc/${name}/cmdline`)?.split('\0') ?? []))
    .flatMap((name) => identify(Number(name)) ?? [])
}

let bootId: string | undefined

/** Ticks since the machine's start, and which start that was. */
function startedOnLinux(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
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
