/** Ages in kubectl's format: two or three significant figures. */
import type { Json } from './json.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * The age of a timestamp; `<unknown>` if it is unset, `<invalid>` if it is not a time. `now` is in milliseconds since
 * the epoch.
 */
export function ageText(timestamp: Json | undefined, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>'
  return rfc3339.test(timestamp) ? humanDuration(now - Date.parse(timestamp)) : '<invalid>'
}

/**
 * `5s`, `2m3s`, `3h5m`, `2d4h`, `400d`, `2y30d`. Up to two seconds in the future count as now, to allow for clock skew;
 * more is `<invalid>`.
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 2 * minute) return `${seconds}s`
  if (seconds < 10 * minute) return two(seconds, minute, 'm', 1, 's')
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`
  if (seconds < 8 * hour) return two(seconds, hour, 'h', minute, 'm')
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`
  if (seconds < 8 * day) return two(seconds, day, 'd', hour, 'h')
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`
  if (seconds < 8 * year) return two(seconds, year, 'y', day, 'd')
  return `${Math.floor(seconds / year)}y`
}

function two(seconds: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % big) / small)
  return `${Math.floor(seconds / big)}${bigUnit}${rest === 0 ? '' : `${rest}${smallUnit}`}`
}
