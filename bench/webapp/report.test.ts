import { expect, it } from 'vitest'
import { Figures, table } from './report.ts'

it('shows medians side by side, what ours is as a multiple, and the goal', () => {
  const [ours, go] = [new Figures('coxswain'), new Figures('Go, update')]
  for (const value of [7, 7, 8]) ours.add('create, calls for an app', value)
  go.add('create, calls for an app', 14)
  ours.add('rest, writes', 0)
  go.add('rest, writes', 0)
  ours.add('peak memory', 150.4)
  go.add('peak memory', 100)
  expect(table([ours, go], 2000).split('\n')).toEqual([
    '2,000 apps                coxswain  Go, update  ours / it          goal',
    'create, calls for an app         7          14       0.50             7',
    'rest, writes                     0           0                        0',
    'peak memory                150 MiB     100 MiB       1.50  1.5 times Go',
  ])
})
