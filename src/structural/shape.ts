/**
 * The shape of a custom resource, for field ownership: which maps and lists are granular and which are atomic.
 */
import { objectMetaShape } from '../shape/builtin-shapes.ts'
import { any, type FieldShape, type ListShape, type Shape, type StructShape } from '../shape/shape.ts'
import type { Schema } from './schema.ts'

const text: Shape = { type: 'scalar', scalar: 'string' }

/** The shape of the whole object: the schema's fields, plus apiVersion, kind and metadata in any case. */
export function customShape(schema: Schema): StructShape {
  return structOf(schema, { keep: schema.preserveUnknown, resource: true })
}

/** `keep`: an ancestor preserves unknown fields; `resource` adds apiVersion, kind and metadata. */
interface Around {
  readonly keep: boolean
  readonly resource: boolean
}

function shapeOf(schema: Schema, keepAbove: boolean): Shape {
  const keep = keepAbove || schema.preserveUnknown
  switch (schema.type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return { type: 'scalar', scalar: schema.type }
    case 'string':
      return schema.givenFormat === '' ? text : { type: 'scalar', scalar: 'string', format: schema.givenFormat }
    case 'array':
      return listOf(schema, keep)
    case 'object':
      return objectOf(schema, keep)
    default:
      return untyped(schema, keep)
  }
}

/**
 * Without a type, any value is accepted, even if the schema has rules for numbers or strings. Declared fields and items
 * still apply.
 */
function untyped(schema: Schema, keep: boolean): Shape {
  if (schema.properties !== undefined || schema.additionalProperties?.schema !== undefined)
    return objectOf(schema, keep)
  return schema.items === undefined ? any : listOf(schema, keep)
}

function objectOf(schema: Schema, keep: boolean): Shape {
  const { additionalProperties } = schema
  const atomic = schema.mapType === 'atomic'
  if (schema.properties !== undefined || schema.embeddedResource) {
    return structOf(schema, { keep, resource: schema.embeddedResource })
  }
  if (additionalProperties === undefined) return { type: 'map', values: any, atomic }
  if (!additionalProperties.allows) return structOf(schema, { keep: false, resource: false })
  const values = additionalProperties.schema
  return { type: 'map', values: values === undefined ? any : shapeOf(values, keep), atomic }
}

function structOf(schema: Schema, { keep, resource }: Around): StructShape {
  const fields = new Map<string, FieldShape>()
  if (resource) {
    fields.set('apiVersion', field('apiVersion', text))
    fields.set('kind', field('kind', text))
    fields.set('metadata', field('metadata', objectMetaShape()))
  }
  const required = new Set(schema.required)
  for (const [name, member] of schema.properties ?? []) {
    if (fields.has(name)) continue
    const shape = field(name, shapeOf(member, keep), required.has(name))
    fields.set(name, member.default === undefined ? shape : { ...shape, default: member.default })
  }
  return { type: 'struct', name: '', fields, atomic: schema.mapType === 'atomic', preserveUnknown: keep }
}

function field(name: string, shape: Shape, required = false): FieldShape {
  return { name, shape, required, emit: 'set', patchStrategy: [] }
}

function listOf(schema: Schema, keep: boolean): ListShape {
  const items = schema.items === undefined ? any : shapeOf(schema.items, keep)
  const ownership = schema.listType === 'set' || schema.listType === 'map' ? schema.listType : 'atomic'
  return { type: 'list', items, ownership, keys: ownership === 'map' ? schema.listMapKeys : [] }
}
