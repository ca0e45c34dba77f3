/** Step 4: which time of the schedule is due, and when the next one is. */
import type { Schedule } from '../../cron/index.ts'

/** The controller wakes up a little after the time, so that a clock that is behind does not miss it. */
const delayMs = 100

export interface Progress {
  /** The last scheduled time, or the creation of the CronJob. */
  readonly since: number
  /** How late a Job may start; undefined: any time. */
  readonly deadlineMs?: number | undefined
}

export interface DueTime {
  /** The latest time that is due; undefined if there is none. */
  readonly at: number | undefined
  /** More than 100 times were missed. */
  readonly isMany: boolean
}

interface MissedTimes {
  readonly earliest: number
  readonly mostRecent: number | undefined
  readonly count: number
}

/** The error message for a schedule without times, such as the 31st of February. */
export function dueTime({ since, deadlineMs }: Progress, schedule: Schedule, now: number): DueTime | string {
  const earliest = deadlineMs === undefined ? since : Math.max(since, now - deadlineMs)
  const missed = missedTimes(earliest, schedule, now)
  if (missed === undefined) return 'time difference between two schedules is less than 1 second'
  return { at: missed.mostRecent, isMany: missed.mostRecent !== undefined && missed.count > 100 }
}

/** Undefined for a schedule without times. */
export function msUntilNext({ since }: Progress, schedule: Schedule, now: number): number | undefined {
  const missed = missedTimes(since, schedule, now)
  const from = missed === undefined ? now : (missed.mostRecent ?? (missed.count === 0 ? missed.earliest : now))
  const next = schedule.next(from)
  return next === undefined ? undefined : next + delayMs - now
}

/**
 * The number of missed times is an estimate from the interval between the first two, which spares listing all of them.
 * Undefined for a schedule without times.
 */
function missedTimes(earliest: number, schedule: Schedule, now: number): MissedTimes | undefined {
  const first = schedule.next(earliest)
  if (first === undefined) return undefined
  if (now < first) return { earliest, mostRecent: undefined, count: 0 }
  const second = schedule.next(first)
  if (second === undefined) return undefined
  if (now < second) return { earliest, mostRecent: first, count: 0 }
  const intervalMs = second - first
  const count = Math.floor(Math.floor((now - first) / 1000) / (intervalMs / 1000)) + 1
  // One interval earlier, for schedules whose intervals differ.
  let mostRecent: number | undefined
  let next = schedule.next(first + (count - 2) * intervalMs)
  while (next !== undefined && next <= now) {
    mostRecent = next
    next = schedule.next(next)
  }
  return { earliest, mostRecent, count }
}
