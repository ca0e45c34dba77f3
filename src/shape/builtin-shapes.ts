/**
 * Shapes of the built-in types, compiled on first use from two fact tables: `schemas.json` (types, list and patch
 * markers) and `encoding.json` (field order, zero values, Go names).
 */
import type { Json } from '../api/json.ts'
import { encoding, schemas, type TypeEncoding, type TypeSchema } from '../facts/facts.ts'
import { any, type FieldShape, type ListShape, type ScalarShape, type Shape, type StructShape } from './shape.ts'

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Types with their own JSON encoding. */
const special: Record<string, Shape> = {
  [`${meta}.Time`]: { type: 'scalar', scalar: 'time', goType: 'v1.Time' },
  [`${meta}.MicroTime`]: { type: 'scalar', scalar: 'microTime', goType: 'v1.MicroTime' },
  [`${meta}.Duration`]: { type: 'scalar', scalar: 'duration', goType: 'v1.Duration' },
  [`${meta}.FieldsV1`]: { type: 'map', values: any, atomic: true, goType: 'v1.FieldsV1' },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': {
    type: 'map',
    values: any,
    atomic: true,
    goType: 'runtime.RawExtension',
  },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {
    type: 'scalar',
    scalar: 'intOrString',
    goType: 'intstr.IntOrString',
  },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'scalar', scalar: 'quantity', goType: 'resource.Quantity' },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': any,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray': any,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': any,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray': any,
}

const rules = { a: 'always', s: 'set', n: 'nonzero' } as const

const structs = new Map<string, Shape>()

/** The shape of a named type, such as `io.k8s.api.core.v1.Container`. Throws if the facts do not have the name. */
export function builtinShape(name: string): Shape {
  const known = special[name] ?? structs.get(name)
  if (known !== undefined) return known
  const schema = schemas().get(name)
  if (schema === undefined) throw new Error(`no schema for type ${name}`)
  const shape = new BuiltinStruct(name, schema, encoding().get(name))
  structs.set(name, shape)
  return shape
}

/** The shape of ObjectMeta, for built-in kinds and custom resources. */
export function objectMetaShape(): StructShape {
  return builtinShape(`${meta}.ObjectMeta`) as StructShape
}

class BuiltinStruct implements StructShape {
  readonly type = 'struct'
  readonly name: string
  readonly atomic: boolean
  readonly preserveUnknown = false
  readonly goType: string
  readonly computed: unknown[] = []
  readonly #schema: TypeSchema
  readonly #encoding: TypeEncoding | undefined
  #fields: ReadonlyMap<string, FieldShape> | undefined

  constructor(name: string, schema: TypeSchema, encoded: TypeEncoding | undefined, atomic?: boolean) {
    this.name = name
    this.atomic = atomic ?? schema['x-kubernetes-map-type'] === 'atomic'
    this.goType = encoded?.go ?? name.slice(name.lastIndexOf('.') + 1)
    this.#schema = schema
    this.#encoding = encoded
  }

  get fields(): ReadonlyMap<string, FieldShape> {
    return (this.#fields ??= this.#compile())
  }

  /** An empty `managedFields` is a request to drop all owners, so decoding must keep it. */
  #compile(): ReadonlyMap<string, FieldShape> {
    const properties = this.#schema.properties ?? {}
    const required = new Set(this.#schema.required)
    const fields = new Map<string, FieldShape>()
    const order = this.#encoding?.fields ?? Object.keys(properties).map((name) => [name, 'n', ''] as const)
    for (const [name, rule, goType] of order) {
      const property = properties[name]
      if (property === undefined) continue
      const strategy = property['x-kubernetes-patch-strategy']
      const mergeKey = property['x-kubernetes-patch-merge-key']
      fields.set(name, {
        name,
        shape: shapeOf(property, goType),
        required: required.has(name),
        emit: name === 'managedFields' ? 'set' : rules[rule],
        patchStrategy: strategy === undefined ? [] : (strategy.split(',') as FieldShape['patchStrategy']),
        ...(rule === 'a' && goType.startsWith('*') ? { nullable: true } : {}),
        ...(property.default === undefined ? {} : { default: property.default }),
        ...(mergeKey === undefined ? {} : { patchMergeKey: mergeKey }),
      })
    }
    return fields
  }
}

function shapeOf(schema: TypeSchema, goType: string): Shape {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref
  if (ref !== undefined) {
    const name = ref.slice(ref.lastIndexOf('/') + 1)
    const shape = builtinShape(name)
    const mapType = schema['x-kubernetes-map-type']
    // A field may override whether its type is atomic or granular.
    if (mapType !== undefined && shape.type === 'struct' && shape.atomic !== (mapType === 'atomic')) {
      return new BuiltinStruct(name, schemas().get(name) as TypeSchema, encoding().get(name), mapType === 'atomic')
    }
    return shape
  }
  switch (schema.type) {
    case 'array':
      return listShape(schema, goType)
    case 'object':
      return {
        type: 'map',
        values:
          schema.additionalProperties === undefined ? any : shapeOf(schema.additionalProperties, valueType(goType)),
        atomic: schema['x-kubernetes-map-type'] === 'atomic' || schema.additionalProperties === undefined,
        goType,
      }
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return scalarShape(schema, goType)
    default:
      return any
  }
}

function listShape(schema: TypeSchema, goType: string): ListShape {
  const listType = schema['x-kubernetes-list-type']
  const mergeKey = schema['x-kubernetes-patch-merge-key']
  const merges = schema['x-kubernetes-patch-strategy']?.split(',').includes('merge') ?? false
  const ownership = listType ?? (merges ? (mergeKey === undefined ? 'set' : 'map') : 'atomic')
  return {
    type: 'list',
    // A named list type does not include the type of its items; these have basic types.
    items: shapeOf(
      schema.items ?? {},
      /^\*?\[\]/.test(goType) ? goType.replace(/^\*?\[\]/, '') : (schema.items?.type ?? ''),
    ),
    ownership,
    keys: schema['x-kubernetes-list-map-keys'] ?? (ownership === 'map' && mergeKey !== undefined ? [mergeKey] : []),
    goType,
  }
}

function scalarShape(schema: TypeSchema, goType: string): ScalarShape {
  const type = schema.type as 'string' | 'integer' | 'number' | 'boolean'
  return {
    type: 'scalar',
    scalar: schema.format === 'byte' ? 'bytes' : type,
    goType: goType.replace(/^\*/, ''),
    ...(schema.format === undefined ? {} : { format: schema.format }),
  }
}

/** The value type of a Go map type: `map[string][]uint8` has `[]uint8`. */
function valueType(goType: string): string {
  return goType.replace(/^\*?map\[[^\]]*\]/, '')
}

/** The JSON that upstream's encoder writes for an unset field without omitempty. */
export function zeroValue(field: FieldShape): Json {
  if (field.nullable === true) return null
  const shape = field.shape
  switch (shape.type) {
    case 'struct': {
      const zero: { [key: string]: Json } = {}
      for (const inner of shape.fields.values()) if (inner.emit === 'always') zero[inner.name] = zeroValue(inner)
      return zero
    }
    case 'scalar':
      return zeroScalar(shape)
    default:
      return null
  }
}

function zeroScalar(shape: ScalarShape): Json {
  switch (shape.scalar) {
    case 'string':
      return ''
    case 'boolean':
      return false
    case 'integer':
    case 'number':
    case 'intOrString':
      return 0
    case 'quantity':
      return '0'
    case 'duration':
      return '0s'
    case 'time':
    case 'microTime':
    case 'bytes':
      return null
  }
}
