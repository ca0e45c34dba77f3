/** What a strategic merge needs to know about a field: its patch strategy and its shape. */
import type { FieldShape, Shape, StructShape } from '../../shape/shape.ts'
import { strategicError } from './strategic-errors.ts'

export interface MergeField {
  readonly shape: Shape
  readonly strategy: 'merge' | 'replace' | ''
  /** '' if the list has none. */
  readonly mergeKey: string
}

export interface MergeListField extends MergeField {
  readonly items: Shape
}

/** The field of a shape. Throws a 500 if there is no such field, as upstream does. */
export function mergeField(shape: Shape, name: string): MergeField {
  const field = fieldOf(shape, name)
  const strategy = field.patchStrategy.find((part) => part !== 'retainKeys') ?? ''
  return { shape: field.shape, strategy, mergeKey: field.patchMergeKey ?? '' }
}

export function mergeListField(shape: Shape, name: string): MergeListField {
  const field = mergeField(shape, name)
  if (field.shape.type !== 'list') throw strategicError.notAListField()
  return { ...field, items: field.shape.items }
}

function fieldOf(shape: Shape, name: string): FieldShape {
  if (shape.type === 'any' || (shape.type === 'map' && shape.goType === 'runtime.RawExtension'))
    throw strategicError.unknownField('RawExtension', name)
  if (shape.type !== 'struct') throw strategicError.notAStruct(kindOf(shape))
  const field = shape.fields.get(name) ?? fieldIgnoringCase(shape, name)
  if (field === undefined) throw strategicError.unknownField(typeName(shape), name)
  return field
}

function fieldIgnoringCase(shape: StructShape, name: string): FieldShape | undefined {
  const folded = name.toLowerCase()
  for (const [key, field] of shape.fields) if (key.toLowerCase() === folded) return field
  return undefined
}

function typeName(shape: StructShape): string {
  return shape.goType ?? shape.name.slice(shape.name.lastIndexOf('.') + 1)
}

/** The Go kind of values of this shape. */
export function kindOf(shape: Shape): string {
  switch (shape.type) {
    case 'map':
      return 'map'
    case 'list':
      return 'slice'
    case 'scalar':
      if (shape.scalar === 'integer') return shape.format ?? 'int64'
      return shape.scalar === 'boolean' ? 'bool' : 'string'
    default:
      return 'struct'
  }
}
