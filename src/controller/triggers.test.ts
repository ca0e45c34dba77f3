import { describe, expect, it } from 'vitest'
import type { LiveObject } from '../api/live-object.ts'
import { changedFields, trigger, TriggerLog } from './triggers.ts'

const object = (more: object = {}, metadata: object = {}) =>
  ({ metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1', ...metadata }, ...more }) as LiveObject
const why = (name: string) => trigger('add', 'App', object({}, { name }))

describe('what changed', () => {
  it('the changed fields of a trigger are listed without those that every write changes', () => {
    const old = object({ spec: { a: 1 }, status: { b: 1 } }, { labels: { a: '1' }, generation: 1, managedFields: [] })
    const now = object(
      { spec: { a: 1 }, status: { b: 2 }, data: {} },
      { labels: { a: '2' }, annotations: {}, generation: 2, resourceVersion: '2' },
    )
    expect(changedFields(old, now)).toEqual(['status', 'data', 'metadata.labels', 'metadata.annotations'])
    expect(trigger('update', 'App', now, old)).toMatchObject({
      verb: 'update',
      kind: 'App',
      namespace: 'ns',
      name: 'a',
      version: '2',
      changed: ['status', 'data', 'metadata.labels', 'metadata.annotations'],
    })
  })

  it('the changed fields of a trigger are computed only when they are read', () => {
    let looks = 0
    const old = Object.defineProperty(object(), 'spec', { enumerable: true, get: () => ({ looks: ++looks }) })
    const update = trigger('update', 'App', object({ spec: {} }), old)
    expect(looks).toBe(0)
    expect(update.changed).toEqual(['spec'])
    expect(looks).toBe(1)
  })
})

describe('the log of triggers', () => {
  it('the trigger log keeps the first eight triggers of a key and counts the rest', () => {
    const log = new TriggerLog()
    for (let i = 0; i < 20; i++) log.add('ns/a', why(`x${i}`))
    log.add('ns/b', why('other'))
    const { first, count } = log.take('ns/a', 0)
    expect(first.map(({ name }) => name)).toEqual(['x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7'])
    expect(count).toBe(20)
    expect(log.take('ns/a', 0)).toEqual({ first: [], count: 0 })
    expect(log.take('ns/b', 0).count).toBe(1)
  })

  it('the trigger log drops a requeue that was due later: the run has another reason', () => {
    const log = new TriggerLog()
    log.add('a', { verb: 'requeue', kind: 'App', name: 'a', changed: [] }, 5000)
    log.add('a', why('a'))
    expect(log.take('a', 1000)).toMatchObject({ first: [{ verb: 'add' }], count: 1 })
    log.add('a', { verb: 'requeue', kind: 'App', name: 'a', changed: [] }, 5000)
    expect(log.take('a', 5000)).toMatchObject({ first: [{ verb: 'requeue' }], count: 1 })
  })

  it('the trigger log does not hold old objects for a queue that nobody works off', () => {
    const log = new TriggerLog()
    const isLazy = (key: string): boolean => {
      const [first] = log.take(key, 0).first
      return Object.getOwnPropertyDescriptor(first ?? {}, 'changed')?.get !== undefined
    }
    for (let i = 0; i < 1500; i++) log.add(`k${i}`, trigger('update', 'App', object({ spec: 2 }), object({ spec: 1 })))
    expect(isLazy('k0')).toBe(true)
    expect(isLazy('k1400')).toBe(false)
  })
})
