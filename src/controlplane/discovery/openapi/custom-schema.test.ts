import { describe, expect, test } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../../api/json.ts'
import type { Resource } from '../../contract/resource.ts'
import { typeDescriptions } from './descriptions.ts'
import { customSchemas, type OpenApiVersion } from './custom-schema.ts'

const names = { kind: 'Thing', listKind: 'Things', plural: 'things' }
const resource = { group: 'ex.io', version: 'v1', ...names } as unknown as Resource
const open = 'x-kubernetes-preserve-unknown-fields'

function schemaOf(schema: unknown, openapi: OpenApiVersion): JsonObject {
  const made = customSchemas(resource, { storageVersion: 'v1', schema }, openapi).get('io.ex.v1.Thing')
  if (!isObject(made)) throw new Error('no schema')
  return made
}

/** The conversion of a schema below the root. */
function convert(schema: Json, openapi: OpenApiVersion): Json | undefined {
  const { properties } = schemaOf({ type: 'object', properties: { field: schema } }, openapi)
  return isObject(properties) ? properties['field'] : undefined
}

describe('in v3', () => {
  test.each<[string, Json, Json]>([
    [
      'empty and false keywords',
      { type: 'string', nullable: false, required: [], title: '', uniqueItems: false, enum: [] },
      { type: 'string' },
    ],
    [
      'keywords outside of structural schemas',
      { type: 'string', example: 'x', externalDocs: { url: 'u' }, id: 'y' },
      { type: 'string' },
    ],
    ['a null default', { type: 'string', default: null }, { type: 'string' }],
    ['any other default', { type: 'boolean', default: false }, { type: 'boolean', default: false }],
    ['zero', { type: 'integer', minimum: 0 }, { type: 'integer', minimum: 0 }],
    ['no other properties', { additionalProperties: false }, { additionalProperties: false }],
    [
      'int-or-string',
      { 'x-kubernetes-int-or-string': true },
      { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
    ],
    [
      'int-or-string with other alternatives',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ pattern: 'a' }] },
      {
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }],
        anyOf: [{ pattern: 'a' }],
        'x-kubernetes-int-or-string': true,
      },
    ],
  ])('%s', (_, written, made) => {
    expect(convert(written, 'v3')).toEqual(made)
  })

  test('OpenAPI v3: an embedded resource has type and metadata', () => {
    const written = { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind'] }
    const reference = { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }
    expect(convert(written, 'v3')).toEqual({
      type: 'object',
      required: ['kind', 'apiVersion'],
      properties: {
        apiVersion: { description: typeDescriptions.apiVersion, type: 'string' },
        kind: { description: typeDescriptions.kind, type: 'string' },
        metadata: { description: typeDescriptions.metadata, allOf: [reference] },
      },
      'x-kubernetes-embedded-resource': true,
    })
  })
})

describe('in v2', () => {
  test.each<[string, Json, Json]>([
    [
      'defaults and alternatives',
      { type: 'string', default: 'x', anyOf: [{ pattern: 'a' }], not: { pattern: 'b' } },
      { type: 'string' },
    ],
    [
      'nullable values lose their type',
      { type: 'object', nullable: true, properties: { a: { type: 'string' } }, title: 't' },
      { title: 't' },
    ],
    ['open objects too', { type: 'object', [open]: true }, { [open]: true }],
    [
      'nullable fields are not required',
      {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
      },
      { type: 'object', required: ['b'], properties: { a: {}, b: { type: 'string' } } },
    ],
  ])('%s', (_, written, made) => {
    expect(convert(written, 'v2')).toEqual(made)
  })

  test('OpenAPI v2: a root that takes unknown fields lists none', () => {
    expect(schemaOf({ type: 'object', [open]: true, description: 'd' }, 'v2')).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'ex.io', kind: 'Thing', version: 'v1' }],
    })
  })
})

test('hostile names are fields like any other', () => {
  const written = '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}}'
  expect(JSON.stringify(convert(JSON.parse(written) as Json, 'v3'))).toBe(written)
  expect(({} as { type?: unknown }).type).toBeUndefined()
})

test.each([undefined, null, 'x', []])('without a schema (%j) a kind is an object', (schema) => {
  expect(schemaOf(schema, 'v3')).toEqual({
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group: 'ex.io', kind: 'Thing', version: 'v1' }],
  })
})
