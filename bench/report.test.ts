import { describe, expect, test } from 'vitest'
import { httpTable, inProcessTable, row } from './report.ts'
import { percentile, spread } from './statistics.ts'

describe('report', () => {
  test('more is better for a rate, less for a time; the ratio to a peer is taken round by round', () => {
    const rate = { ...row('get', 'get Widget', '/s', 1000), ours: [3000, 4000, 6000], peer: [1000, 1000, 3000] }
    const time = { ...row('watch', 'write to watch event', 'ms', 3), ours: [1], peer: [4] }
    const lines = httpTable([{ ...rate, ceiling: 4500 }, time], true).split('\n')
    expect(lines[1]).toContain('4000/s (3000 to 6000)')
    expect(lines[1]).toContain('3.00x (2.00x to 4.00x)')
    expect(lines[1]).toMatch(/1000\/s\s+4\.00x$/)
    expect(lines[2]).toContain('4.00x (4.00x to 4.00x)')
    expect(lines[2]).toMatch(/3\.00 ms\s+3\.00x$/)
  })

  test('says when the client may be the limit', () => {
    const free = { ...row('get', 'get', '/s'), ours: [100], ceiling: 1000 }
    expect(httpTable([free], false)).not.toContain('!')
    expect(httpTable([{ ...free, ceiling: 110 }], false)).toContain('110/s !')
  })

  test('compares in process with HTTP', () => {
    const own = { ...row('get', 'get', '/s'), ours: [500] }
    expect(inProcessTable([own], [{ ...own, ours: [100] }])).toContain('5.00x')
  })
})

describe('statistics', () => {
  test('percentiles and spread', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i)
    expect(percentile(values, 0.5)).toBe(51)
    expect(percentile(values, 0.99)).toBe(100)
    expect(spread([4, 1, 2, 3])).toEqual({ median: 2.5, min: 1, max: 4 })
    expect(percentile([], 0.5)).toBeNaN()
  })
})
