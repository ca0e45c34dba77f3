/** Conditions, and the invariants that tools which wait for "Ready" rely on. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCondition, isConditionTrue, withCondition, withoutCondition, type Condition } from './conditions.ts'

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`
const ready = { type: 'Ready', status: true, reason: 'Done' } as const

describe('a condition', () => {
  it('a condition is added at the end, with the generation and the time', () => {
    const [first] = withCondition([], { ...ready, message: 'all is well' }, 3, at(1))
    expect(first).toEqual({
      type: 'Ready',
      status: 'True',
      reason: 'Done',
      message: 'all is well',
      observedGeneration: 3,
      lastTransitionTime: at(1),
    })
  })

  it('a condition keeps its place, and its time unless the status changes', () => {
    const list = withCondition(
      withCondition([], ready, 1, at(1)),
      { type: 'Degraded', status: 'Unknown', reason: 'X' },
      1,
      at(2),
    )
    const reported = withCondition(list, { ...ready, reason: 'Other' }, 2, at(3))
    expect(reported.map(({ type }) => type)).toEqual(['Ready', 'Degraded'])
    expect(reported[0]).toMatchObject({ reason: 'Other', observedGeneration: 2, lastTransitionTime: at(1) })
    expect(withCondition(reported, { ...ready, status: false }, 2, at(4))[0]).toMatchObject({
      status: 'False',
      lastTransitionTime: at(4),
    })
  })

  it('a condition that says nothing new gives the same list, so that nothing is written', () => {
    const list = withCondition([], ready, 1, at(1))
    expect(withCondition(list, ready, 1, at(9))).toBe(list)
    expect(withCondition(list, ready, 2, at(9))).not.toBe(list)
  })

  it('a condition is found, asked and taken away', () => {
    const list = withCondition([], ready, undefined, at(1))
    expect(findCondition(list, 'Ready')?.observedGeneration).toBeUndefined()
    expect(isConditionTrue(list, 'Ready')).toBe(true)
    expect(isConditionTrue(undefined, 'Ready')).toBe(false)
    expect(withoutCondition(list, 'Ready')).toEqual([])
    expect(withoutCondition(list, 'Other')).toBe(list)
  })
})

describe('whatever is said in whatever order', () => {
  const update = fc.record({
    type: fc.constantFrom('Ready', 'Stalled', 'Reconciling'),
    status: fc.constantFrom(true, false, 'Unknown' as const),
    reason: fc.constantFrom('A', 'B'),
    message: fc.constantFrom('x', 'y'),
  })

  it('conditions stay one per type, and their times move exactly with their status', () => {
    fc.assert(
      fc.property(fc.array(update, { maxLength: 20 }), (updates) => {
        let list: readonly Readonly<Condition>[] = []
        updates.forEach((each, index) => {
          const before = findCondition(list, each.type)
          list = withCondition(list, each, index + 1, at(index))
          const after = findCondition(list, each.type) as Condition
          expect(after.lastTransitionTime === at(index)).toBe(before?.status !== after.status)
          expect(after.observedGeneration).toBe(index + 1)
        })
        expect(new Set(list.map(({ type }) => type)).size).toBe(list.length)
        for (const condition of list) expect(Object.values(condition).every((value) => value !== undefined)).toBe(true)
      }),
    )
  })
})
