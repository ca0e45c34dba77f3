import { describe, expect, it } from 'vitest'
import type { Live } from '../api/live-object.ts'
import { InternedText } from './interned-text.ts'
import { storedForm } from './stored-form.ts'
import { ConfigMap } from './testdata/plane.ts'

const failed = (error: unknown): never => {
  throw error
}
const form = storedForm(ConfigMap, { texts: new InternedText(), failed })
/** As it comes off the wire: nobody else has it, nothing is frozen. */
const wire = (more: object = {}): Live<ConfigMap> => JSON.parse(JSON.stringify({
  apiVersion: 'v1', kind: 'ConfigMap',
  metadata: { creationTimestamp: 't', managedFields: [{ manager: 'm' }], name: 'a', uid: 'u', resourceVersion: '1' },
  data: { x: '1' }, ...more,
})) as Live<ConfigMap>

const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen))

describe('the stored form', () => {
  it('is deeply frozen, without managedFields, the rest as it was', () => {
    const object = form(wire({ more: [{ deep: ['x'] }] }))
    expect(isDeepFrozen(object)).toBe(true)
    expect(object).toEqual({
      apiVersion: 'v1', kind: 'ConfigMap', data: { x: '1' },
      metadata: { creationTimestamp: 't', name: 'a', uid: 'u', resourceVersion: '1' },
      more: [{ deep: ['x'] }],
    })
  })

  it('leaves an object that others share as it is, and shares its parts', () => {
    const shared = wire()
    new InternedText().freeze(shared)
    const object = form(shared)
    expect(shared.metadata.managedFields).toHaveLength(1)
    expect(object.metadata).not.toHaveProperty('managedFields')
    expect(object.data).toBe(shared.data)
    expect(form(object)).toBe(object)
  })

  it('says what it is, also when a list did not', () => {
    const untyped = { ...wire(), apiVersion: undefined, kind: undefined } as unknown as Live<ConfigMap>
    expect(form(untyped)).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
  })

  it('takes any key and any depth that JSON allows', () => {
    const depth = 50_000
    const text = `{"metadata":{"name":"a","uid":"u","resourceVersion":"1"},"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const object = form(JSON.parse(text) as Live<ConfigMap>) as Live<ConfigMap> & { deep: unknown }
    expect(Object.isFrozen(object.deep)).toBe(true)
    const hostile = form(JSON.parse('{"metadata":{"name":"a","managedFields":[],"__proto__":{"polluted":1}}}') as Live<ConfigMap>)
    expect(Object.getPrototypeOf(hostile.metadata)).toBe(Object.prototype)
    expect((hostile.metadata as unknown as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.hasOwn(hostile.metadata, '__proto__')).toBe(true)
  })
})

describe('interned text', () => {
  it('gives one instance of equal texts, and does not grow without end', () => {
    const texts = new InternedText()
    const copies = Array.from({ length: 1000 }, () => ({ image: JSON.parse('"registry.example.com/app:v1"') as string }))
    for (const copy of copies) texts.freeze(copy)
    expect(texts.size).toBe(1)
    for (let i = 0; i < 100_000; i++) texts.of(`a text that is met once: ${i}`)
    expect(texts.size).toBeLessThanOrEqual(16_384)
  })
})
