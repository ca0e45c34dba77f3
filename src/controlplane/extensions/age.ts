/** How long ago something was, in the two or three figures that kubectl shows. */

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

/** The age of a timestamp at `now`, in milliseconds since the epoch; `<invalid>` for other text. */
export function humanAge(timestamp: string, now: number): string {
  if (timestamp === '' || timestamp === 'null') return '<unknown>'
  const time = rfc3339.test(timestamp) ? Date.parse(timestamp) : NaN
  return Number.isNaN(time) ? '<invalid>' : humanDuration(Math.trunc((now - time) / 1000))
}

/** One second in the future still counts as now, because clocks differ. */
function humanDuration(seconds: number): string {
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 2 * minute) return `${seconds}s`
  if (seconds < 10 * minute) return pair(seconds, minute, 'm', 1, 's')
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`
  if (seconds < 8 * hour) return pair(seconds, hour, 'h', minute, 'm')
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`
  if (seconds < 8 * day) return pair(seconds, day, 'd', hour, 'h')
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`
  if (seconds < 8 * year) return pair(seconds, year, 'y', day, 'd')
  return `${Math.floor(seconds / year)}y`
}

function pair(seconds: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % big) / small)
  return `${Math.floor(seconds / big)}${bigUnit}${rest === 0 ? '' : `${rest}${smallUnit}`}`
}
