import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Stored } from '../storage/store.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { checkBodySize, changedLength } from './size.ts'

const stored = (object: Json, textLength?: number): Stored => ({
  key: '/registry/x/y',
  revision: 1,
  object: object as KubeObject,
  textLength,
})

/** The limit is far away, so that lengths are counted and nothing is rejected. */
const lengthOf = (value: Json): number => checkBodySize(value)

describe('the size of a changed object', () => {
  const value = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ maxLength: 5 }),
      fc.nat(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'cc'), tie('value')),
    ),
  })).value
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'cc'), value)

  it('the size of a changed object is never taken for less than it is', () => {
    fc.assert(
      fc.property(object, fc.array(object, { maxLength: 5 }), (start, patches) => {
        let live = stored(start, lengthOf(start))
        for (const patch of patches) {
          const next = applyMergePatch(live.object, patch)
          const most = changedLength(next, live)
          expect(most).toBeGreaterThanOrEqual(lengthOf(next))
          live = stored(next, most)
        }
      }),
    )
  })

  it('the size of a changed object is measured where nothing is known of the live object', () => {
    const next = { a: 'x'.repeat(100) }
    expect(changedLength(next, stored({ a: 'y' }))).toBe(lengthOf(next))
  })

  it('the size of a changed object is refused when many small changes have made it too large', () => {
    let live = stored({ data: {} }, lengthOf({ data: {} }))
    const grow = (i: number): void => {
      const next = applyMergePatch(live.object, { data: { [`k${i}`]: 'x'.repeat(100_000) } })
      live = stored(next, changedLength(next, live))
    }
    for (let i = 0; i < 15; i++) grow(i)
    expect(live.textLength).toBeLessThan(Infinity)
    grow(15)
    expect(live.textLength).toBe(Infinity)
  })

  it('the size of a changed object is measured again when replaced changes seem to have added up', () => {
    let live = stored({ data: 'x' }, lengthOf({ data: 'x' }))
    for (let i = 0; i < 20; i++) {
      const next = { data: String(i).repeat(50_000) }
      live = stored(next, changedLength(next, live))
    }
    expect(live.textLength).toBeLessThan(393_216)
  })
})
