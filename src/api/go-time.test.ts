/** Times as Go reads them. */
import { expect, it } from 'vitest'
import { parseGoTime } from './go-time.ts'

const layout = '2006-01-02T15:04:05Z07:00'
const micro = '2006-01-02T15:04:05.000000Z07:00'

it.each([
  ['x', `parsing time "x" as "${layout}": cannot parse "x" as "2006"`],
  ['2026-1-02T03:04:05Z', `parsing time "2026-1-02T03:04:05Z" as "${layout}": cannot parse "1-02T03:04:05Z" as "01"`],
  ['2026-01-02 03:04:05Z', `parsing time "2026-01-02 03:04:05Z" as "${layout}": cannot parse " 03:04:05Z" as "T"`],
  ['2026-02-30T03:04:05Z', 'parsing time "2026-02-30T03:04:05Z": day out of range'],
  ['2026-01-02T24:04:05Z', 'parsing time "2026-01-02T24:04:05Z": hour out of range'],
  ['2026-01-02T03:04:05', `parsing time "2026-01-02T03:04:05" as "${layout}": cannot parse "" as "Z07:00"`],
  ['2026-01-02T03:04:05Z-2', 'parsing time "2026-01-02T03:04:05Z-2": extra text: "-2"'],
  ['2026-01-02T03:04:05+25:00', 'parsing time "2026-01-02T03:04:05+25:00": time zone offset hour out of range'],
])('parseGoTime refuses %s', (text, message) => {
  expect(parseGoTime(text, layout)).toBe(message)
})

it('parseGoTime wants six digits where the layout has them', () => {
  expect(parseGoTime('2026-01-02T03:04:05Z', micro)).toBe(
    `parsing time "2026-01-02T03:04:05Z" as "${micro}": cannot parse "Z" as ".000000"`,
  )
  expect(parseGoTime('2026-01-02T03:04:05.000001Z', micro)).toEqual({
    milliseconds: Date.UTC(2026, 0, 2, 3, 4, 5),
    fraction: '000001',
  })
})

it('parseGoTime takes an hour of one digit, fractions and zones', () => {
  expect(parseGoTime('2026-01-02T3:04:05.5+02:00', layout)).toEqual({
    milliseconds: Date.UTC(2026, 0, 2, 1, 4, 5),
    fraction: '5',
  })
})
