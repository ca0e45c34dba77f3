/** Schedules, their times and their errors, compared with those of the Go library that upstream uses (tools/cron). */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseSchedule } from './schedule.ts'
import { TimeZone } from './time-zone.ts'

const [timeLines = '', invalidLines = ''] = readFileSync(new URL('testdata/times.txt', import.meta.url), 'utf8').split(
  '\n!\n',
)
const recorded = timeLines.split('\n= ').map((section) => section.replace(/^= /, '').split('\n'))

/** Seconds to each of the next three times. */
function nextThree(text: string, fromSeconds: number): string {
  const schedule = parseSchedule(text)
  if (typeof schedule === 'string') return schedule
  const steps: (number | string)[] = []
  for (let at = fromSeconds * 1000; steps.length < 3;) {
    const next = schedule.next(at)
    if (next === undefined) return [...steps, '-'].join(' ')
    steps.push((next - at) / 1000)
    at = next
  }
  return steps.join(' ')
}

describe('parseSchedule', () => {
  it('parseSchedule has the times of the Go library for 10,000 schedules, time zones and instants', () => {
    let compared = 0
    const different: string[] = []
    for (const [zone = '', ...lines] of recorded) {
      for (const line of lines) {
        const [text = '', from = '', steps = ''] = line.split('\t')
        const ours = nextThree(`TZ=${zone} ${text}`, Number(from))
        if (ours !== steps) different.push(`${zone}: ${line}: ours ${ours}`)
        compared++
      }
    }
    expect(different).toEqual([])
    expect(compared).toBe(10_000)
  })

  it('parseSchedule has the errors of the Go library', () => {
    const lines = invalidLines.trimEnd().split('\n')
    expect(lines.length).toBe(300)
    for (const line of lines) {
      const [text = '', error] = line.split('\t')
      expect([text, parseSchedule(text)]).toEqual([text, error])
    }
  })

  it.each([
    ['', 'empty spec string'],
    ['  ', 'expected exactly 5 fields, found 0: []'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['@nope', 'unrecognized descriptor: @nope'],
    ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
    ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['TZ=Mars/Base * * * * *', 'provided bad location Mars/Base: unknown time zone Mars/Base'],
    ['TZ=0', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
  ])('parseSchedule: %s: %s', (schedule, problem) => {
    expect(parseSchedule(schedule)).toBe(problem)
  })

  it('parseSchedule without a time zone is in UTC', () => {
    const schedule = parseSchedule('30 4 * * *')
    expect(typeof schedule === 'string' ? schedule : schedule.next(Date.UTC(2026, 0, 1, 4, 30))).toBe(
      Date.UTC(2026, 0, 2, 4, 30),
    )
  })

  it('a schedule of a day that does not exist has no next time', () => {
    const schedule = parseSchedule('59 23 31 2 *')
    expect(typeof schedule === 'string' ? schedule : schedule.next(0)).toBeUndefined()
  })
})

describe('TimeZone', () => {
  it.each([
    ['Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29T01:59:59+01:00'],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00'],
    ['America/St_Johns', '2026-01-01T00:00:00Z', '2025-12-31T20:30:00-03:30'],
    ['Europe/London', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
  ])('TimeZone %s writes %s as %s', (zone, at, text) => {
    expect(TimeZone.named(zone)?.text(Date.parse(at))).toBe(text)
  })

  it('TimeZone knows which zones do not exist', () => {
    expect(TimeZone.named('Mars/Base')).toBeUndefined()
  })
})
