/** Schedules of CronJobs: parsed with the errors of upstream's parser, and their times. */
import { goValue } from '../api/go-format.ts'
import { FieldSchedule } from './field-schedule.ts'
import { parseField, type CronField, type FieldBounds } from './field.ts'
import { parseInterval } from './interval.ts'
import { TimeZone } from './time-zone.ts'

export interface Schedule {
  /** The first time after this one, in milliseconds; undefined if there is none within five years. */
  next(after: number): number | undefined
}

const bounds: readonly FieldBounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/**
 * The schedule, or upstream's error message. `TZ=` or `CRON_TZ=` before the schedule names its time zone; the default
 * is UTC, where upstream uses the zone of its process.
 */
export function parseSchedule(text: string): Schedule | string {
  if (text === '') return 'empty spec string'
  if (!/^(?:CRON_)?TZ=/.test(text)) return inZone(text, TimeZone.utc)
  const space = text.indexOf(' ')
  const name = text.slice(text.indexOf('=') + 1, Math.max(0, space))
  if (space < 0) return 'invalid schedule format: runtime error: slice bounds out of range [:-1]'
  const zone = TimeZone.named(name)
  return zone === undefined
    ? `provided bad location ${name}: unknown time zone ${name}`
    : inZone(text.slice(space).trim(), zone)
}

function inZone(text: string, zone: TimeZone): Schedule | string {
  if (text.startsWith('@every ')) {
    const everyMs = parseInterval(text.slice('@every '.length))
    return typeof everyMs === 'string'
      ? `failed to parse duration ${text}: ${everyMs}`
      : { next: (after) => Math.floor(after / 1000) * 1000 + everyMs }
  }
  const plain = macros[text] ?? text
  if (plain.startsWith('@')) return `unrecognized descriptor: ${text}`
  const parts = plain.split(/\s+/).filter((part) => part !== '')
  if (parts.length !== 5) return `expected exactly 5 fields, found ${parts.length}: ${goValue(parts)}`
  const fields: CronField[] = []
  for (const [i, part] of parts.entries()) {
    const field = parseField(part, bounds[i] as FieldBounds)
    if (typeof field === 'string') return field
    fields.push(field)
  }
  const [minute, hour, day, month, weekday] = fields as [CronField, CronField, CronField, CronField, CronField]
  return new FieldSchedule({ minute, hour, day, month, weekday }, zone)
}
