/** Processor time and memory of processes, from Linux's /proc. Not available on other systems. */
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Milliseconds of processor time, user and system; NaN if unknown. The sum over all threads by the scheduler's counters
 * in nanoseconds, or, without these, in steps of 10 ms.
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

/** The resident memory of the processes, in MiB; undefined if unknown. */
export function residentMemory(pids: readonly number[]): number | undefined {
  return memory(pids, 'VmRSS')
}

/** The sum of the peaks of their resident memory, in MiB. */
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
