import { describe, expect, it } from 'vitest'
import { callPoint } from '../point.ts'
import { scheduleText } from '../schedule.ts'
import { FaultPairs } from './fault-pairs.ts'
import type { SentCall } from '../script.ts'
import { FaultTable } from './possible-faults.ts'
import type { KnownStep, PlannedRun, TriedRun } from './runs.ts'

const calls = (count: number): readonly SentCall[] =>
  Array.from({ length: count }, (_, index) => ({ method: 'PATCH', path: `/${index + 1}`, at: 0 }))
const course = (count: number) => ({
  calls: calls(count),
  points: calls(count).map((_, index) => callPoint(index + 1)),
})
const known = (name: string): KnownStep =>
  ({
    step: { name, act: () => undefined },
    from: { time: 0, revision: 0, items: [] },
    twin: course(3),
  }) as unknown as KnownStep
const table = new FaultTable(['error', 'conflict'])

/** Runs with one fault, each of five calls; `stateOf` tells the states that they reach apart. */
function pairsOf(steps: readonly string[], stateOf: (planned: PlannedRun) => string, wrong = ''): FaultPairs {
  const pairs = new FaultPairs(table)
  for (const each of steps.map(known)) {
    for (const fault of table.after(each, [], each.twin).flat()) {
      const planned = { ...each, faults: [fault] }
      const run: TriedRun = {
        ...planned,
        outcome: { ...each.twin, ...course(5) },
        problems: textOf(planned) === wrong ? ['wrong'] : [],
        states: [{ id: stateOf(planned), atMs: 0 }],
      }
      pairs.learn(run)
    }
  }
  return pairs
}
const textOf = ({ step, faults }: PlannedRun): string => scheduleText({ step: step.name, faults })

describe('pairs of faults', () => {
  it('come in an order that covers all steps and kinds, near calls first', () => {
    const pairs = pairsOf(['a', 'b'], textOf)
    const all = [...pairs.schedules()]
    // After a fault at call 1, 2 and 3 of five: 4, 3 and 2 calls are left, with two kinds of two each, in two steps.
    expect([all.length, pairs.total, pairs.equal, pairs.failing]).toEqual([72, 72, 0, 0])
    expect(new Set(all.map(textOf)).size).toBe(72)
    const kinds = all.slice(0, 8).map(({ step, faults }) => [step.name, ...faults.map(({ fault }) => fault)].join())
    expect(new Set(kinds).size).toBe(8)
    const distances = all.map(({ faults }) => Number(faults[1]?.at) - Number(faults[0]?.at))
    expect(distances).toEqual(distances.toSorted((a, b) => a - b))
  })

  it('are tried once for first faults with the same effect', () => {
    const pairs = pairsOf(['a'], () => 'same')
    expect([pairs.total, pairs.equal]).toEqual([18, 18])
    expect([...pairs.schedules()].map(({ faults }) => faults[0]?.fault)).not.toContain('conflict')
  })

  it('leave out a fault that fails alone', () => {
    const pairs = pairsOf(['a'], textOf, 'a/1/error')
    expect([pairs.total, pairs.failing]).toEqual([28, 1])
    expect([...pairs.schedules()].map(textOf).filter((text) => text.startsWith('a/1/error'))).toEqual([])
  })
})
