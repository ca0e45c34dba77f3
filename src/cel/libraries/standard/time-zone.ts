/** Time zones by name (`America/New_York`) or offset (`-08:30`), with Go's error messages. */
import { takeSteps } from '../../../api/step-limit.ts'
import { goQuote } from '../../../api/go-format.ts'
import { atoiProblem } from './go-numbers.ts'
import { unixSeconds } from './timestamp.ts'

/** The zone is unknown; the message is Go's. */
export class TimeZoneError extends Error {
  override readonly name = 'TimeZoneError'
}

/** Seconds east of UTC at a point in time. Throws {@link TimeZoneError}. */
export function zoneOffset(zone: string, nanos: bigint): number {
  if (zone === 'UTC' || zone === '') return 0
  const colon = zone.indexOf(':')
  if (colon === -1) return namedOffset(zone, nanos)
  const hours = readNumber(zone.slice(0, colon))
  const minutes = readNumber(zone.slice(colon + 1))
  return (zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes) * 60
}

function readNumber(text: string): number {
  const problem = atoiProblem(text)
  if (problem !== undefined) throw new TimeZoneError(`strconv.Atoi: parsing ${goQuote(text)}: ${problem}`)
  // Far beyond any real offset. Go overflows at some point; we do not reproduce that.
  return Math.max(-1e9, Math.min(1e9, Number(text)))
}

const zones = new Map<string, Intl.DateTimeFormat | undefined>()
const maxZones = 1000
const zoneName = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/

function namedOffset(zone: string, nanos: bigint): number {
  if (zone === 'Local') return 0
  if (zone.includes('..') || zone.startsWith('/') || zone.startsWith('\\')) {
    throw new TimeZoneError('time: invalid location name')
  }
  if (!zones.has(zone)) {
    if (zones.size >= maxZones) zones.clear()
    zones.set(zone, loadZone(zone))
  }
  takeSteps(500)
  const format = zones.get(zone)
  if (format === undefined) throw new TimeZoneError(`unknown time zone ${zone}`)
  const seconds = unixSeconds(nanos)
  const local = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 }
  let beforeChrist = false
  for (const { type, value } of format.formatToParts(new Date(Number(seconds) * 1000))) {
    if (type in local) local[type as keyof typeof local] = Number(value)
    else if (type === 'era') beforeChrist = value.startsWith('B')
  }
  const date = new Date(0)
  date.setUTCFullYear(beforeChrist ? 1 - local.year : local.year, local.month - 1, local.day)
  date.setUTCHours(local.hour, local.minute, local.second)
  return date.getTime() / 1000 - Number(seconds)
}

/** Undefined if there is no such zone. Names are case-sensitive, unlike in JavaScript. */
function loadZone(zone: string): Intl.DateTimeFormat | undefined {
  takeSteps(20_000)
  if (!zoneName.test(zone)) return undefined
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    const { timeZone } = format.resolvedOptions()
    return timeZone !== zone && timeZone.toLowerCase() === zone.toLowerCase() ? undefined : format
  } catch {
    return undefined
  }
}
