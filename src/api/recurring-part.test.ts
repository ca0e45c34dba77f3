import { describe, expect, it } from 'vitest'
import type { JsonObject } from './json.ts'
import {
  factOf,
  freezeAndWeigh,
  freezeBelow,
  freezePart,
  freezeRecurring,
  isDefaulted,
  internPart,
  thaw,
} from './recurring-part.ts'

const spec = (): JsonObject => ({ name: 'x', list: [{ a: 'one' }, { a: 'two' }], map: { b: { c: 'three' } } })

/** As the decoder creates it for an object with the part at its top level. */
function openCopyOf(part: JsonObject): JsonObject {
  return { ...part }
}

function recurring(): JsonObject {
  const part = spec()
  freezeRecurring(part)
  return part
}

describe('weight', () => {
  it('the weight of a part is the same in every object, whatever of it was frozen before', () => {
    const weight = freezeAndWeigh({ spec: spec(), more: 'text' })
    const below = spec()
    freezeBelow(below)
    expect(Object.isFrozen(below)).toBe(false)
    expect(freezeAndWeigh({ spec: below, more: 'text' })).toBe(weight)
    const whole = spec()
    freezeBelow(whole)
    freezePart(whole)
    expect([freezeAndWeigh({ spec: whole, more: 'text' }), freezeAndWeigh({ spec: whole, more: 'text' })]).toEqual([
      weight,
      weight,
    ])
    expect(freezeAndWeigh({ spec: internPart(openCopyOf(recurring())), more: 'text' })).toBe(weight)
  })

  it('the weight of a part with values that others have frozen is the same if it was seen before', () => {
    const shared = Object.freeze([Object.freeze({ key: 'shared' })]) as unknown as JsonObject[]
    const first = spec()
    freezeBelow(first)
    first['more'] = shared
    const again = openCopyOf(recurring())
    again['more'] = shared
    expect(freezeAndWeigh({ spec: internPart(again) })).toBe(freezeAndWeigh({ spec: first }))
  })

  it('the weight does not count what others have frozen', () => {
    expect(freezeAndWeigh({ spec: Object.freeze(spec()) })).toBeLessThan(freezeAndWeigh({ spec: spec() }))
  })
})

describe('a part that recurs', () => {
  it('a part that recurs is asked once for each fact', () => {
    const part = recurring()
    let asked = 0
    const names = ({ name }: JsonObject) => {
      asked++
      return [name]
    }
    const nothing = () => {
      asked++
      return undefined
    }
    expect(factOf(part, names)).toBe(factOf(part, names))
    expect(factOf(part, names)).toEqual(['x'])
    expect([factOf(part, nothing), factOf(part, nothing)]).toEqual([undefined, undefined])
    expect(asked).toBe(2)
  })

  it('a part that recurs is the only one that is remembered', () => {
    let asked = 0
    const part = spec()
    freezePart(part)
    expect(factOf(part, () => ++asked)).toBeUndefined()
    expect(factOf(openCopyOf(recurring()), () => ++asked)).toBeUndefined()
    expect(asked).toBe(0)
  })
})

describe('an open copy', () => {
  it('an open copy comes to the same value as an equal one', () => {
    const part = recurring()
    const open = (change: (copy: JsonObject) => void): JsonObject => {
      const copy = openCopyOf(part)
      expect([isDefaulted(copy), Object.isFrozen(copy), Object.isFrozen(copy['list'])]).toEqual([true, false, true])
      change(copy)
      return internPart(copy)
    }
    const first = open((copy) => (copy['more'] = ['y']))
    expect(Object.isFrozen(first) && Object.isFrozen(first['more'])).toBe(true)
    expect(open((copy) => (copy['more'] = ['y']))).toBe(first)
    expect(open((copy) => (copy['more'] = ['z']))).toEqual({ ...spec(), more: ['z'] })
    expect(open(() => undefined)).toEqual(spec())
    expect(open((copy) => delete copy['map'])).toEqual({ name: 'x', list: spec()['list'] })
    expect(part).toEqual(spec())
  })

  it('an open copy keeps the order of its keys', () => {
    const part = recurring()
    const made = [
      ['a', 'b'],
      ['b', 'a'],
      ['a', 'b'],
      ['b', 'a'],
    ].map((keys) => {
      const copy = openCopyOf(part)
      for (const key of keys) copy[key] = 1
      return internPart(copy)
    })
    expect(made.map((each) => Object.keys(each).slice(3))).toEqual([
      ['a', 'b'],
      ['b', 'a'],
      ['a', 'b'],
      ['b', 'a'],
    ])
    expect([made[2] === made[0], made[3] === made[1]]).toEqual([true, true])
  })

  it("an open copy is nobody else's once it is thawed", () => {
    const part = recurring()
    const copy = openCopyOf(part)
    thaw(copy)
    ;((copy['map'] as JsonObject)['b'] as JsonObject)['c'] = 'changed'
    expect([internPart(copy) === copy, isDefaulted(copy), Object.isFrozen(copy)]).toEqual([true, false, false])
    expect(part).toEqual(spec())
    expect(internPart(openCopyOf(part))).toEqual(spec())
  })
})
