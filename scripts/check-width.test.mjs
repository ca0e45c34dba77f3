import { expect, it } from 'vitest'
import { longLines } from './check-width.mjs'

it('reports each line over 120 columns with its place, counted in characters', () => {
  const text = ['x'.repeat(120), 'x'.repeat(121), '…'.repeat(120), '', 'x'.repeat(200)].join('\n')
  expect(longLines('src/a.ts', text)).toEqual([
    'src/a.ts:2: 121 columns, 120 at most',
    'src/a.ts:5: 200 columns, 120 at most',
  ])
})
