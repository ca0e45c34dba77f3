import { describe, expect, it } from 'vitest'
import { alternate, Comparison, Line, type Measure } from './comparison.ts'
import { comparisonTable } from './report.ts'

function line(measure: Measure, baseline: readonly number[], current: readonly number[]): Line {
  const each = new Line('get', measure, measure === 'count' ? '' : 'µs')
  each.values.baseline.push(...baseline)
  each.values.current.push(...current)
  return each
}

describe('the verdict on a time or a memory', () => {
  it.each([
    ['the same in each round', [100, 110, 120], [100, 110, 120], 'within 5 %'],
    ['4 % more in each round', [100, 200, 300], [104, 208, 312], 'within 5 %'],
    ['10 % more in each round, though rounds differ by half', [100, 150, 200], [110, 165, 220], 'SLOWER'],
    [
      '10 % more in the median, with as many rounds below',
      [100, 100, 100, 100, 100],
      [90, 95, 110, 112, 115],
      'within the spread',
    ],
    ['10 % more in all rounds but a single one', [100, 100, 100, 100, 100], [90, 110, 110, 112, 115], 'SLOWER'],
    ['half in each round', [100, 100, 100], [50, 50, 50], 'faster'],
    ['10 % less in the median, with rounds above', [100, 100, 100, 100], [80, 85, 95, 130], 'within the spread'],
    ['one round alone', [100], [120], 'SLOWER'],
    ['nothing in both', [0, 0], [0, 0], 'within 5 %'],
    ['a round that is missing', [100, 100], [100], 'not measured'],
    ['no rounds', [], [], 'not measured'],
    ['figures that the system does not give', [Number.NaN], [Number.NaN], 'not measured'],
  ])('%s', (_, baseline, current, verdict) => {
    expect(line('time', baseline, current).verdict()).toBe(verdict)
  })

  it('has its own words for memory', () => {
    expect(line('memory', [100, 100], [120, 120]).verdict()).toBe('LARGER')
    expect(line('memory', [100, 100], [80, 80]).verdict()).toBe('smaller')
  })

  it('compares rounds with each other: what slowed both is no difference', () => {
    const each = line('time', [100, 300, 100], [101, 303, 101])
    expect(each.ratio()).toEqual({ median: 1.01, min: 1.01, max: 1.01 })
  })
})

describe('the verdict on a count', () => {
  it.each([
    ['the same', [7, 7, 7], [7, 7, 7], 'equal'],
    ['a hundredth more in each round', [7, 7, 7], [7.01, 7.01, 7.01], 'MORE'],
    ['more from nothing', [0, 0], [1, 1], 'MORE'],
    [
      'a retry more in the median, as the baseline had in one round',
      [7, 7, 7.01],
      [7, 7.01, 7.01],
      'within the spread',
    ],
    ['fewer', [7, 7], [6, 6], 'fewer'],
  ])('%s', (_, baseline, current, verdict) => {
    expect(line('count', baseline, current).verdict()).toBe(verdict)
  })
})

it('a comparison is worse if one of its lines is', () => {
  const comparison = new Comparison()
  comparison.line('a', 'time').values.baseline.push(1)
  comparison.line('a', 'time').values.current.push(1)
  expect(comparison.lines).toHaveLength(1)
  expect(comparison.isWorse).toBe(false)
  const calls = comparison.line('b', 'count')
  calls.values.baseline.push(4)
  calls.values.current.push(5)
  expect(comparison.isWorse).toBe(true)
})

it('rounds alternate, and so does who is first', async () => {
  const order: string[] = []
  await alternate(3, async (side, round) => void order.push(`${side} ${round}`))
  expect(order).toEqual(['baseline 0', 'current 0', 'current 1', 'baseline 1', 'baseline 2', 'current 2'])
})

it('the table shows medians, the ratio with its extremes, and the verdict', () => {
  const lines = [line('time', [100, 100, 100], [110, 120, 130]), line('count', [7, 7], [7, 7]), line('memory', [], [])]
  expect(comparisonTable('server', lines).split('\n')).toEqual([
    'server  baseline  current  ratio  lowest to highest       verdict',
    'get       100 µs   120 µs  1.200       1.10 to 1.30        SLOWER',
    'get         7.00     7.00  1.000       1.00 to 1.00         equal',
    'get                                                  not measured',
  ])
})
