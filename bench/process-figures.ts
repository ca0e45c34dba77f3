/** What Linux tells of a process. Elsewhere these figures are missing. */
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Milliseconds of processor time, user and system, that a process has used; NaN where the system does not say. Summed
 * over its threads, of which the scheduler counts nanoseconds; without such counters to 10 ms.
 */
export function processorTime(pid: number | undefined): number {
  if (pid === undefined) return Number.NaN
  try {
    const threads = `/proc/${pid}/task`
    const times = readdirSync(threads).map((id) => readFileSync(`${threads}/${id}/schedstat`, 'utf8'))
    return times.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6
  } catch {
    return ticks(pid)
  }
}

function ticks(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

/** What the processes hold of the machine's memory, in MiB; undefined where the system does not say. */
export function residentMemory(pids: readonly number[]): number | undefined {
  return memory(pids, 'VmRSS')
}

/** The most that each of them has held since it began, added up. */
export function peakMemory(pids: readonly number[]): number | undefined {
  return memory(pids, 'VmHWM')
}

function memory(pids: readonly number[], figure: 'VmRSS' | 'VmHWM'): number | undefined {
  try {
    let kib = 0
    for (const pid of pids)
      kib += Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    return kib / 1024
  } catch {
    return undefined
  }
}
