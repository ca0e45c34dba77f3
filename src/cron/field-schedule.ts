/**
 * The times of a schedule of five fields in a time zone. The search follows the Go library that upstream uses, because
 * its results around changes of the offset follow from how it searches: field by field, from the month to the minute,
 * and again from the month whenever a field wraps around.
 */
import type { CronField } from './field.ts'
import type { TimeZone } from './time-zone.ts'

const minuteMs = 60_000
const hourMs = 3_600_000

export interface Fields {
  readonly minute: CronField
  readonly hour: CronField
  readonly day: CronField
  readonly month: CronField
  readonly weekday: CronField
}

export class FieldSchedule {
  readonly #fields: Fields
  readonly #zone: TimeZone

  constructor(fields: Fields, zone: TimeZone) {
    this.#fields = fields
    this.#zone = zone
  }

  /** The first time after this one; undefined if there is none within five years. */
  next(after: number): number | undefined {
    const search = new Search(Math.floor(after / 1000) * 1000 + 1000, this.#zone)
    const lastYear = search.local().getUTCFullYear() + 5
    while (search.local().getUTCFullYear() <= lastYear) {
      if (this.#findDay(search) && this.#findHour(search) && this.#findMinute(search) && search.findFullMinute())
        return search.at
    }
    return undefined
  }

  /** False if the search wrapped around. */
  #findDay(search: Search): boolean {
    const { month } = this.#fields
    while (!month.has(search.local().getUTCMonth() + 1)) {
      search.reset((local) => Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), 1))
      search.move((local) => local.setUTCMonth(local.getUTCMonth() + 1))
      if (search.local().getUTCMonth() === 0) return false
    }
    while (!this.#isDay(search.local())) {
      search.reset((local) => local.setUTCHours(0, 0, 0, 0))
      search.move((local) => local.setUTCDate(local.getUTCDate() + 1))
      // Midnight may not exist, or the day may start an hour early.
      const hour = search.local().getUTCHours()
      if (hour !== 0) search.at += (hour > 12 ? 24 - hour : -hour) * hourMs
      if (search.local().getUTCDate() === 1) return false
    }
    return true
  }

  #findHour(search: Search): boolean {
    const { hour } = this.#fields
    while (!hour.has(search.local().getUTCHours())) {
      search.reset((local) => local.setUTCMinutes(0, 0, 0))
      search.at += hourMs
      if (search.local().getUTCHours() === 0) return false
    }
    return true
  }

  #findMinute(search: Search): boolean {
    const { minute } = this.#fields
    while (!minute.has(search.local().getUTCMinutes())) {
      search.truncate()
      search.at += minuteMs
      if (search.local().getUTCMinutes() === 0) return false
    }
    return true
  }

  /** If both the day of the month and the weekday are restricted, one of them is enough. */
  #isDay(local: Date): boolean {
    const { day, weekday } = this.#fields
    const isDay = day.has(local.getUTCDate())
    const isWeekday = weekday.has(local.getUTCDay())
    return day.isAny || weekday.isAny ? isDay && isWeekday : isDay || isWeekday
  }
}

class Search {
  at: number
  readonly #zone: TimeZone
  #isReset = false

  constructor(at: number, zone: TimeZone) {
    this.at = at
    this.#zone = zone
  }

  local(): Date {
    return this.#zone.local(this.at)
  }

  /** Sets a new local time. */
  move(to: (local: Date) => number): void {
    this.at = this.#zone.instant(to(this.local()))
  }

  /** Goes to the start of the unit, when the first field is advanced. */
  reset(to: (local: Date) => number): void {
    if (!this.#isReset) this.move(to)
    this.#isReset = true
  }

  /** Goes to the start of the minute, if no field was advanced yet. */
  truncate(): void {
    if (!this.#isReset) this.at = Math.floor(this.at / minuteMs) * minuteMs
    this.#isReset = true
  }

  /** Schedules name no seconds: the second is 0. False if it wrapped around. */
  findFullMinute(): boolean {
    if (this.local().getUTCSeconds() === 0) return true
    this.#isReset = true
    this.at += (60 - this.local().getUTCSeconds()) * 1000
    return false
  }
}
