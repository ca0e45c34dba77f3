/** Timestamps: RFC 3339 as Go parses and prints it, and the parts of a date in a time zone. */

export interface Instant {
  /** Since the epoch. */
  readonly nanos: bigint
  /** Seconds east of UTC, as written. */
  readonly offset: number
}

const second = 1_000_000_000n
/** Year 1 to the end of year 9999. */
const minSeconds = -62135596800n
const maxSeconds = 253402300799n

/** Go also accepts an hour of one digit and a comma before the fraction. */
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|([+-])(\d{2}):(\d{2}))$/

/** Undefined if Go rejects the text. Does not check the range. */
export function parseTimestamp(text: string): Instant | undefined {
  const found = rfc3339.exec(text)
  if (found === null) return undefined
  const part = (index: number): number => Number(found[index])
  const [year, month, day, hour, minute, sec] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || sec > 59) return undefined
  const offset = found[8] === 'Z' ? 0 : offsetSeconds(found[9] as string, part(10), part(11))
  if (offset === undefined) return undefined
  const seconds = BigInt(daysSinceEpoch(year, month, day) * 86400 + hour * 3600 + minute * 60 + sec - offset)
  const fraction = BigInt((found[7] ?? '').slice(0, 9).padEnd(9, '0'))
  return { nanos: seconds * second + fraction, offset }
}

function offsetSeconds(sign: string, hours: number, minutes: number): number | undefined {
  if (hours > 24 || minutes > 60) return undefined
  const seconds = (hours * 60 + minutes) * 60
  return sign === '-' ? -seconds : seconds
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function daysSinceEpoch(year: number, month: number, day: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime() / 86_400_000
}

/** Whole seconds since the epoch, rounded down. */
export function unixSeconds(nanos: bigint): bigint {
  const seconds = nanos / second
  return nanos < 0n && seconds * second !== nanos ? seconds - 1n : seconds
}

/** True if a timestamp is within the years 1 to 9999. */
export function isInRange(nanos: bigint): boolean {
  const seconds = unixSeconds(nanos)
  return seconds >= minSeconds && seconds <= maxSeconds
}

/** RFC 3339 with as many decimals as needed, in the offset it was written with. */
export function timestampText({ nanos, offset }: Instant): string {
  const local = unixSeconds(nanos) + BigInt(offset)
  const date = new Date(Number(local) * 1000)
  const fraction = (nanos - unixSeconds(nanos) * second).toString().padStart(9, '0').replace(/0+$/, '')
  const day = `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`
  const time = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`
  return `${day}T${time}${fraction === '' ? '' : `.${fraction}`}${offsetText(offset)}`
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z'
  const minutes = Math.trunc(Math.abs(offset) / 60)
  return `${offset < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60))}:${pad(minutes % 60)}`
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0')
}

/** The results of the getters, as CEL counts them: months, days of the year and of the week start at 0. */
export interface DateParts {
  readonly fullYear: number
  readonly month: number
  readonly dayOfYear: number
  readonly date: number
  readonly dayOfWeek: number
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
}

/** The date at an offset of seconds east of UTC. */
export function dateParts(nanos: bigint, offset: number): DateParts {
  const date = new Date((Number(unixSeconds(nanos)) + offset) * 1000)
  const firstDay = new Date(0)
  firstDay.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return {
    fullYear: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    dayOfYear: Math.floor((date.getTime() - firstDay.getTime()) / 86_400_000),
    date: date.getUTCDate(),
    dayOfWeek: date.getUTCDay(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
  }
}

/** Milliseconds of the second, 0 to 999. */
export function millisOfSecond(nanos: bigint): bigint {
  return (nanos - unixSeconds(nanos) * second) / 1_000_000n
}
