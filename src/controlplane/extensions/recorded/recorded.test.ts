/**
 * Recorded answers of a real kube-apiserver v1.35.8 to random schemas, objects and definitions, replayed: `values.json`
 * has creates, `updates.json` updates of objects that were stored before the schema became stricter, `definitions.json`
 * CRDs that were rejected. Upstream's order among siblings is random, so errors are compared as sets.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fieldErrorMessage, type FieldError } from '../../../api/field-error.ts'
import { cloneJson, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { customResources } from '../custom-resources.ts'
import { crdStrategy } from '../definition/crd-strategy.ts'

function load<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T[]
}

const context = {} as WriteContext

function served(spec: JsonObject) {
  const crd = {
    metadata: { name: 'things.test.io' },
    spec: {
      group: 'test.io',
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
    status: { acceptedNames: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' } },
  }
  const [resource] = customResources(crd)
  if (resource === undefined) throw new Error('not served')
  return resource
}

function thing(spec: JsonObject): JsonObject {
  return { apiVersion: 'test.io/v1', kind: 'Thing', metadata: { name: 'x' }, spec }
}

function messages(errors: readonly FieldError[]): string[] {
  return [...new Set(errors.map(fieldErrorMessage))].sort()
}

interface ValueCase {
  schema: JsonObject
  value: Json
  unknown: string[]
  errors?: string[]
  result?: Json
}

describe('creations', () => {
  it.each(load<ValueCase>('values.json').map((test, i) => [i, test] as const))('creations: %i', (_, test) => {
    const name = /spec\.(p\d+)/.exec([...test.unknown, ...(test.errors ?? [])].join(' '))?.[1] ?? 'p0'
    const resource = served({ type: 'object', properties: { [name]: test.schema } })
    const { object, unknown } = resource.decode(thing({ [name]: test.value }))
    expect([...unknown].sort()).toEqual(test.unknown)
    expect(messages(resource.strategy.validate?.(object, context) ?? [])).toEqual(test.errors ?? [])
    if (test.errors === undefined) expect((object['spec'] as JsonObject)[name]).toEqual(test.result)
  })
})

interface UpdateCase {
  schema: JsonObject
  old: JsonObject
  value: JsonObject
  errors: string[]
}

describe('updates', () => {
  it.each(load<UpdateCase>('updates.json').map((test, i) => [i, test] as const))('updates: %i', (_, test) => {
    const part = { type: 'object', properties: { v: test.schema, n: { type: 'integer' } } }
    const resource = served({ type: 'object', properties: { part } })
    const old = resource.decode(thing({ part: test.old })).object
    const object = resource.decode(thing({ part: test.value })).object
    const found = messages(resource.strategy.validateUpdate?.(object, old, context) ?? [])
    expect(found.map((message) => message.replaceAll('spec.part.', ''))).toEqual(test.errors)
  })
})

interface DefinitionCase {
  metadata: { name: string }
  spec: JsonObject
  errors: string[]
}

describe('definitions', () => {
  it.each(load<DefinitionCase>('definitions.json').map((test) => [test.metadata.name, test] as const))(
    'definitions: %s',
    (_, test) => {
      const crd: KubeObject = { metadata: { ...test.metadata }, spec: cloneJson(test.spec) }
      crdStrategy.default?.(crd)
      crdStrategy.prepareForCreate?.(crd, context)
      expect(messages(crdStrategy.validate?.(crd, context) ?? [])).toEqual(test.errors)
    },
  )
})
