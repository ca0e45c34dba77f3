import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import { fieldShape, type ListShape, type MapShape, type Shape, type StructShape } from '../shape/shape.ts'
import { compileSchema } from './schema.ts'
import { customShape } from './shape.ts'

function shapeOf(spec: JsonObject): Shape | undefined {
  return fieldShape(customShape(compileSchema({ type: 'object', properties: { spec } })), 'spec')
}

describe('the shape of a custom resource', () => {
  it('the shape of a custom resource always has type and metadata', () => {
    const shape = customShape(compileSchema({ type: 'object', properties: { metadata: { type: 'object' } } }))
    expect([...shape.fields.keys()]).toEqual(['apiVersion', 'kind', 'metadata'])
    expect((fieldShape(shape, 'metadata') as StructShape).fields.has('labels')).toBe(true)
  })

  it('the shape of a custom resource follows list types, and gives keys their defaults', () => {
    const items = {
      type: 'object',
      required: ['port'],
      properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
    }
    const list = shapeOf({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items,
    }) as ListShape
    expect(list).toMatchObject({ ownership: 'map', keys: ['port', 'protocol'] })
    const item = list.items as StructShape
    expect(item.fields.get('protocol')?.default).toBe('TCP')
    expect(item.fields.get('port')?.required).toBe(true)
    expect(shapeOf({ type: 'array', items: { type: 'string' } })).toMatchObject({ ownership: 'atomic', keys: [] })
    expect(shapeOf({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' })).toMatchObject({
      ownership: 'set',
    })
  })

  it('the shape of a custom resource tells maps, structs and free objects apart', () => {
    expect(shapeOf({ type: 'object', additionalProperties: { type: 'string' } })).toEqual({
      type: 'map',
      values: { type: 'scalar', scalar: 'string' },
      atomic: false,
    })
    expect(shapeOf({ type: 'object', 'x-kubernetes-map-type': 'atomic' })).toEqual({
      type: 'map',
      values: { type: 'any' },
      atomic: true,
    })
    expect(shapeOf({ 'x-kubernetes-preserve-unknown-fields': true })).toEqual({ type: 'any' })
    expect(shapeOf({ 'x-kubernetes-int-or-string': true })).toEqual({ type: 'any' })
    expect((shapeOf({ type: 'object', additionalProperties: true }) as MapShape).values).toEqual({ type: 'any' })
  })

  it('the shape of a custom resource hands preserved unknown fields down', () => {
    const shape = shapeOf({
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'object', properties: { b: { type: 'string' } } } },
    }) as StructShape
    expect(shape.preserveUnknown).toBe(true)
    expect((fieldShape(shape, 'a') as StructShape).preserveUnknown).toBe(true)
  })

  it('the shape of a custom resource gives embedded resources metadata', () => {
    const shape = shapeOf({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    }) as StructShape
    expect([...shape.fields.keys()]).toEqual(['apiVersion', 'kind', 'metadata'])
  })
})
