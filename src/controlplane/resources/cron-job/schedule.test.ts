/** Schedules that upstream's parser accepts, and its errors for others. */
import { describe, expect, it } from 'vitest'
import { scheduleProblem } from './schedule.ts'

describe('scheduleProblem', () => {
  it.each([
    '* * * * *',
    '*/5 0-23/2 1,15 * MON-FRI',
    '@hourly',
    '@every 1h30m',
    '0 0 1 JAN ?',
    '59 23 31 12 6',
    'TZ=UTC 0 0 * * *',
  ])('scheduleProblem: %s is right', (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined()
  })

  it.each([
    ['', 'empty spec string'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['@nope', 'unrecognized descriptor: @nope'],
    ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ])('scheduleProblem: %s: %s', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem)
  })
})
