/** The getters of timestamps, in UTC or in a time zone, and of durations. */
import {
  type CelDuration,
  CelError,
  type CelResult,
  type CelTimestamp,
  durationType,
  type FunctionDeclaration,
  intType,
  stringType,
  timestampType,
} from '../../library.ts'
import { declare, method } from '../declare.ts'
import { durationHours, durationMinutes, durationSeconds } from './duration.ts'
import { type DateParts, dateParts, millisOfSecond } from './timestamp.ts'
import { TimeZoneError, zoneOffset } from './time-zone.ts'

type Read = (parts: DateParts, nanos: bigint) => number | bigint

function getter(read: Read): (time: CelTimestamp, zone?: string) => CelResult {
  return ({ nanos }, zone = 'UTC') => {
    try {
      return BigInt(read(dateParts(nanos, zoneOffset(zone, nanos)), nanos))
    } catch (error) {
      if (error instanceof TimeZoneError) return new CelError(error.message)
      throw error
    }
  }
}

/** `zoned`: the id of the overload with a time zone, if it does not follow the usual pattern. */
function timestampGetter(id: string, read: Read, zoned = `${id}_with_tz`) {
  return [
    method(id, [timestampType], intType, getter(read)),
    method(zoned, [timestampType, stringType], intType, getter(read)),
  ]
}

function durationGetter(id: string, read: (nanos: bigint) => bigint) {
  return method(id, [durationType], intType, ({ nanos }: CelDuration) => read(nanos))
}

export const timeFunctions: readonly FunctionDeclaration[] = [
  declare('getFullYear', ...timestampGetter('timestamp_to_year', (parts) => parts.fullYear)),
  declare('getMonth', ...timestampGetter('timestamp_to_month', (parts) => parts.month)),
  declare('getDayOfYear', ...timestampGetter('timestamp_to_day_of_year', (parts) => parts.dayOfYear)),
  declare('getDayOfMonth', ...timestampGetter('timestamp_to_day_of_month', (parts) => parts.date - 1)),
  declare('getDate', ...timestampGetter('timestamp_to_day_of_month_1_based', (parts) => parts.date)),
  declare('getDayOfWeek', ...timestampGetter('timestamp_to_day_of_week', (parts) => parts.dayOfWeek)),
  declare(
    'getHours',
    ...timestampGetter('timestamp_to_hours', (parts) => parts.hours),
    durationGetter('duration_to_hours', durationHours),
  ),
  declare(
    'getMinutes',
    ...timestampGetter('timestamp_to_minutes', (parts) => parts.minutes),
    durationGetter('duration_to_minutes', durationMinutes),
  ),
  declare(
    'getSeconds',
    ...timestampGetter('timestamp_to_seconds', (parts) => parts.seconds, 'timestamp_to_seconds_tz'),
    durationGetter('duration_to_seconds', (nanos) => BigInt(Math.trunc(durationSeconds(nanos)))),
  ),
  declare(
    'getMilliseconds',
    ...timestampGetter('timestamp_to_milliseconds', (_parts, nanos) => millisOfSecond(nanos)),
    durationGetter('duration_to_milliseconds', (nanos) => nanos / 1_000_000n),
  ),
]
