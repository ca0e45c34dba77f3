import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import type { Live } from '../api/live-object.ts'
import { InternedText } from './interned-text.ts'
import { storedForm } from './stored-form.ts'
import { ConfigMap } from './testdata/plane.ts'

const failed = (error: unknown): never => {
  throw error
}
const form = storedForm(ConfigMap, { texts: new InternedText(), failed })
/** As decoded from the wire: not shared and not frozen. */
const wire = (more: object = {}): Live<ConfigMap> =>
  JSON.parse(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        creationTimestamp: 't',
        managedFields: [{ manager: 'm' }],
        name: 'a',
        uid: 'u',
        resourceVersion: '1',
      },
      data: { x: '1' },
      ...more,
    }),
  ) as Live<ConfigMap>

const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen))

describe('the stored form', () => {
  it('the stored form is deeply frozen, without managedFields, the rest as it was', () => {
    const object = form(wire({ more: [{ deep: ['x'] }] }))
    expect(isDeepFrozen(object)).toBe(true)
    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { x: '1' },
      metadata: { creationTimestamp: 't', name: 'a', uid: 'u', resourceVersion: '1' },
      more: [{ deep: ['x'] }],
    })
  })

  it('the stored form leaves an object that others share as it is, and shares its parts', () => {
    const shared = wire()
    new InternedText().freeze(shared)
    const object = form(shared)
    expect(shared.metadata.managedFields).toHaveLength(1)
    expect(object.metadata).not.toHaveProperty('managedFields')
    expect(object.data).toBe(shared.data)
    expect(form(object)).toBe(object)
  })

  it('the stored form has kind and apiVersion, also when a list left them out', () => {
    const untyped = { ...wire(), apiVersion: undefined, kind: undefined } as unknown as Live<ConfigMap>
    expect(form(untyped)).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
  })

  it('the stored form takes any key and any depth that JSON allows', () => {
    const depth = 50_000
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const text = `{"metadata":{"name":"a","uid":"u","resourceVersion":"1"},"deep":${deep}}`
    const object = form(JSON.parse(text) as Live<ConfigMap>) as Live<ConfigMap> & { deep: unknown }
    expect(Object.isFrozen(object.deep)).toBe(true)
    const hostile = form(
      JSON.parse('{"metadata":{"name":"a","managedFields":[],"__proto__":{"polluted":1}}}') as Live<ConfigMap>,
    )
    expect(Object.getPrototypeOf(hostile.metadata)).toBe(Object.prototype)
    expect((hostile.metadata as unknown as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.hasOwn(hostile.metadata, '__proto__')).toBe(true)
  })
})

describe('versions and objects share', () => {
  it('versions of an object share what did not change', () => {
    const first = form(wire())
    const second = form(wire({ data: { x: '2' }, more: { a: 1 } }), first)
    expect(second).toMatchObject({ data: { x: '2' }, more: { a: 1 } })
    const third = form(wire({ data: { x: '2' }, more: { a: 2 } }), second)
    expect(third.data).toBe(second.data)
    expect(isDeepFrozen(third)).toBe(true)
  })

  it('objects share the field sets of an applier', () => {
    const applied = storedForm(ConfigMap, { texts: new InternedText(), failed, keepManagedFields: 'applied' })
    const managed = (name: string, fields: object): Live<ConfigMap> =>
      applied(
        wire({
          metadata: {
            name,
            uid: name,
            resourceVersion: '1',
            managedFields: [
              { manager: 'm', operation: 'Apply', time: name, fieldsV1: fields },
              { manager: 'm', operation: 'Update', fieldsV1: fields },
            ],
          },
        }),
      )
    const fieldsOf = (object: Live<ConfigMap>): JsonObject => object.metadata.managedFields?.[0]?.fieldsV1 as JsonObject
    const fields = (owner: string): object => ({
      'f:metadata': { 'f:labels': { 'f:a': {} }, 'f:ownerReferences': { [`k:${owner}`]: {} } },
    })
    const [a, b] = [managed('a', fields('one')), managed('b', fields('two'))]
    expect(a.metadata.managedFields).toEqual([{ manager: 'm', operation: 'Apply', time: 'a', fieldsV1: fields('one') }])
    expect(fieldsOf(b)).toEqual(fields('two'))
    expect((fieldsOf(b)['f:metadata'] as JsonObject)['f:labels']).toBe(
      (fieldsOf(a)['f:metadata'] as JsonObject)['f:labels'],
    )
    expect(isDeepFrozen(a) && isDeepFrozen(b)).toBe(true)
  })
})

describe('interned text', () => {
  it('interned text gives one instance of equal texts, and does not grow without end', () => {
    const texts = new InternedText()
    const copies = Array.from({ length: 1000 }, () => ({
      image: JSON.parse('"registry.example.com/app:v1"') as string,
    }))
    for (const copy of copies) texts.freeze(copy)
    expect(texts.size).toBe(1)
    for (let i = 0; i < 100_000; i++) texts.of(`a text that is met once: ${i}`)
    expect(texts.size).toBeLessThanOrEqual(16_384)
  })
})
