import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everything } from '../api/label-selector.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import { ObjectStore } from './object-store.ts'

interface Thing extends ApiObject {
  tags: string[]
}

const object = (namespace: string, name: string, tags: string[], version: number): Live<Thing> =>
  Object.freeze({
    metadata: Object.freeze({
      ...(namespace === '' ? {} : { namespace }),
      name,
      uid: 'u',
      resourceVersion: String(version),
    }),
    tags: Object.freeze(tags),
  })
const byTag = ({ tags }: Live<Thing>): readonly string[] => tags

describe('the store', () => {
  it('the object store is a map with indexes, whatever is put and deleted', () => {
    const namespace = fc.constantFrom('', 'n', 'm')
    const name = fc.constantFrom('a', 'b', 'c')
    const tags = fc.array(fc.constantFrom('x', 'y', 'z', 'toString'), { maxLength: 3 })
    const step = fc.oneof(fc.record({ namespace, name, tags }), fc.record({ namespace, name }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(60), (steps, indexedAt) => {
        const store = new ObjectStore<Thing>({ tag: byTag })
        const model = new Map<string, Live<Thing>>()
        const key = (each: { namespace: string; name: string }): string => `${each.namespace}/${each.name}`
        steps.forEach((each, i) => {
          if (i === indexedAt) store.addIndex('late', byTag)
          if ('tags' in each) {
            const next = object(each.namespace, each.name, each.tags, i)
            expect(store.put(next)).toBe(model.get(key(each)))
            expect(store.counterpart(next)).toBe(next)
            model.set(key(each), next)
          } else {
            expect(store.delete(each.namespace, each.name)).toBe(model.get(key(each)))
            model.delete(key(each))
          }
        })
        if (steps.length <= indexedAt) store.addIndex('late', byTag)
        expect(store.size).toBe(model.size)
        expect(new Set(store.values())).toEqual(new Set(model.values()))
        for (const each of ['', 'n', 'm', 'none']) {
          const inside = [...model.values()].filter(({ metadata }) => (metadata.namespace ?? '') === each)
          const collected: Live<Thing>[] = []
          store.collect(collected, each, everything)
          expect(new Set(collected)).toEqual(new Set(inside))
          expect(new Set(store.values(each))).toEqual(new Set(inside))
        }
        for (const tag of ['x', 'y', 'z', 'toString', 'none']) {
          const tagged = new Set([...model.values()].filter(({ tags: own }) => own.includes(tag)))
          expect(new Set(store.found('tag', tag))).toEqual(tagged)
          expect(new Set(store.found('late', tag))).toEqual(tagged)
        }
      }),
    )
  })
})
