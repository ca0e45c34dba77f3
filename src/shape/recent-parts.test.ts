import { describe, expect, it } from 'vitest'
import { cloneJson, type JsonObject } from '../api/json.ts'
import { factOf } from '../api/recurring-part.ts'
import { RecentParts } from './recent-parts.ts'

const spec = (image: string): JsonObject => ({ containers: [{ name: 'c', image }], nodeSelector: { a: '1', b: '2' } })

/** Like the decoder: finds a part by its sent form, or makes and defaults it. */
function take(parts: RecentParts, given: JsonObject, isTop = false): JsonObject {
  const known = parts.find(given)
  const holder: JsonObject = { spec: known ?? cloneJson(given) }
  const part = { holder, name: 'spec', given, isKnown: known !== undefined }
  parts.open(part, isTop)
  if (known === undefined) (holder['spec'] as JsonObject)['filled'] = true
  parts.close(part, isTop)
  return holder['spec'] as JsonObject
}

const isRecurring = (part: JsonObject): boolean => factOf(part, () => true) === true

describe('recent parts', () => {
  it('recent parts are known from the third time on', () => {
    const parts = new RecentParts()
    const taken = [1, 2, 3, 4].map(() => take(parts, spec('i')))
    expect(taken.map((part) => part === taken[1])).toEqual([false, true, true, true])
    expect(taken.map(isRecurring)).toEqual([false, true, true, true])
    for (const part of taken) expect([part, Object.isFrozen(part)]).toEqual([{ ...spec('i'), filled: true }, true])
  })

  it('recent parts are told apart by everything in them', () => {
    const parts = new RecentParts()
    for (let i = 0; i < 3; i++) take(parts, spec('i'))
    const others: JsonObject[] = [
      spec('j'),
      { ...spec('i'), more: 1 },
      { containers: spec('i')['containers'] as JsonObject[] },
      { ...spec('i'), containers: [] },
      { ...spec('i'), containers: {} },
      { ...spec('i'), containers: null },
      {
        ...spec('i'),
        containers: [
          { name: 'c', image: 'i' },
          { name: 'c', image: 'i' },
        ],
      },
      { ...spec('i'), containers: [{ image: 'i', name: 'c' }] },
      { ...spec('i'), nodeSelector: { a: '1', c: '2' } },
      { ...spec('i'), nodeSelector: ['1', '2'] },
      { ...spec('i'), nodeSelector: JSON.parse('{"a":"1","b":"2","__proto__":"3"}') as JsonObject },
    ]
    for (const other of others) expect([other, parts.find(other)]).toEqual([other, undefined])
    expect(parts.find(spec('i'))).toBeDefined()
  })

  it('recent parts do not depend on what was given afterwards', () => {
    const parts = new RecentParts()
    const given = spec('i')
    for (let i = 0; i < 3; i++) take(parts, given)
    ;(given['containers'] as JsonObject[])[0] = { name: 'other', image: 'i' }
    expect(parts.find(given)).toBeUndefined()
    expect(parts.find(spec('i'))).toEqual({ ...spec('i'), filled: true })
  })

  it('recent parts are open at the top where rules of the kind go on', () => {
    const parts = new RecentParts()
    for (let i = 0; i < 4; i++) {
      const part = take(parts, spec('i'), true)
      expect([Object.isFrozen(part), Object.isFrozen(part['containers'])]).toEqual([false, true])
      part['own'] = i
    }
    expect(take(parts, spec('i'), true)).toEqual({ ...spec('i'), filled: true })
  })

  it('recent parts are forgotten when enough others have come', () => {
    const parts = new RecentParts()
    for (let i = 0; i < 20; i++) for (let times = 0; times < 2; times++) take(parts, spec(String(i)))
    const found = Array.from({ length: 20 }, (_, i) => parts.find(spec(String(i))) !== undefined)
    expect(found).toEqual(Array.from({ length: 20 }, (_, i) => i >= 12))
  })

  it('recent parts are not kept when they are large', () => {
    const parts = new RecentParts()
    const large = { ...spec('i'), args: Array.from({ length: 3000 }, (_, i) => i) }
    for (let i = 0; i < 4; i++) expect(isRecurring(take(parts, large))).toBe(false)
  })
})
