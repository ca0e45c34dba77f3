/** Time zones of the IANA database, with Node's data: offsets, and local times that do not exist or exist twice. */

/** No zone changes its offset twice in four days. */
const spanMs = 4 * 86_400_000
/** More than five years, the longest search for the next time of a schedule. */
const maxSpans = 1000

interface SpanOffset {
  readonly beforeMs: number
  readonly afterMs: number
  readonly changesAt: number
}

export class TimeZone {
  readonly #format: Intl.DateTimeFormat | undefined
  readonly #spans = new Map<number, SpanOffset>()

  private constructor(format?: Intl.DateTimeFormat) {
    this.#format = format
  }

  static readonly utc = new TimeZone()
  static readonly #known = new Map<string, TimeZone>()

  /** Undefined if there is no such zone. */
  static named(name: string): TimeZone | undefined {
    if (name === '' || name === 'UTC' || name === 'Local') return TimeZone.utc
    let zone = TimeZone.#known.get(name)
    if (zone !== undefined) return zone
    try {
      zone = new TimeZone(
        new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset', year: 'numeric' }),
      )
    } catch {
      return undefined
    }
    TimeZone.#known.set(name, zone)
    return zone
  }

  /** What is added to UTC at this time. */
  offsetMs(at: number): number {
    if (this.#format === undefined) return 0
    const span = Math.floor(at / spanMs)
    let known = this.#spans.get(span)
    if (known === undefined) {
      if (this.#spans.size >= maxSpans) this.#spans.clear()
      known = this.#offsetOf(span * spanMs, this.#format)
      this.#spans.set(span, known)
    }
    return at < known.changesAt ? known.beforeMs : known.afterMs
  }

  /** The local time as if it were UTC: `getUTCHours` of the result is the local hour. */
  local(at: number): Date {
    return new Date(at + this.offsetMs(at))
  }

  /**
   * The time of a local time, with the choices of Go's time.Date: of a local time that exists twice or not at all, the
   * offset is the one at the time that the first guess leads to.
   */
  instant(local: number): number {
    const guessMs = this.offsetMs(local)
    return guessMs === 0 ? local : local - this.offsetMs(local - guessMs)
  }

  /** As in `2026-03-29T03:00:00+02:00`; `Z` without an offset. */
  text(at: number): string {
    const offset = Math.trunc(this.offsetMs(at) / 60_000)
    const text = this.local(at).toISOString().slice(0, 19)
    if (offset === 0) return `${text}Z`
    const two = (value: number): string => String(value).padStart(2, '0')
    const minutes = Math.abs(offset)
    return `${text}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
  }

  #offsetOf(start: number, format: Intl.DateTimeFormat): SpanOffset {
    const beforeMs = formattedOffsetMs(format, start)
    const afterMs = formattedOffsetMs(format, start + spanMs)
    if (beforeMs === afterMs) return { beforeMs, afterMs, changesAt: start }
    let unchanged = start
    let changed = start + spanMs
    while (changed - unchanged > 1000) {
      const middle = Math.floor((unchanged + changed) / 2000) * 1000
      if (formattedOffsetMs(format, middle) === beforeMs) unchanged = middle
      else changed = middle
    }
    return { beforeMs, afterMs, changesAt: changed }
  }
}

function formattedOffsetMs(format: Intl.DateTimeFormat, at: number): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(format.format(at))
  if (match === null) throw new Error(`cannot read the offset of a time zone: ${format.format(at)}`)
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -offset : offset
}
