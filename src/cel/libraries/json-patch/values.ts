/**
 * The values that mutations of admission policies construct: `Object{}`, objects of any type name below it, such as
 * `Object.spec.template{}`, and `JSONPatch{}`, an operation of a JSON patch.
 */
import { takeSteps } from '../../../api/step-limit.ts'
import type { ConstructedType } from '../../environment.ts'
import {
  CelError,
  CelMap,
  CelUint,
  dynType,
  stringType,
  type CelType,
  type CelValue,
  type FieldType,
} from '../../library.ts'
import { equalValues } from '../../values.ts'

/** A constructed object with the fields that are set. */
export class ConstructedValue extends CelMap {
  override readonly objectName: string
  readonly fields: ReadonlyMap<string, CelValue>

  constructor(name: string, fields: ReadonlyMap<string, CelValue>) {
    super()
    this.objectName = name
    this.fields = fields
  }

  get size(): number {
    return this.fields.size
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined
  }

  keys(): CelValue[] {
    return [...this.fields.keys()]
  }

  override equals(other: CelMap): boolean {
    if (other.objectName !== this.objectName || other.size !== this.size) return false
    takeSteps(5 * this.size)
    for (const [name, value] of this.fields) {
      const found = other.get(name)
      if (found === undefined || equalValues(value, found) !== true) return false
    }
    return true
  }
}

/** Every field exists and has any type. */
class AnyFields extends Map<string, FieldType> {
  override get(): FieldType {
    return { type: dynType }
  }
}

const anyFields = new AnyFields()
const text: FieldType = { type: stringType }
const operationFields: ReadonlyMap<string, FieldType> = new Map([
  ['op', text],
  ['from', text],
  ['path', text],
  ['value', { type: dynType }],
])

export const jsonPatchType: CelType & { kind: 'object' } = {
  kind: 'object',
  name: 'JSONPatch',
  fields: operationFields,
}

export function patchType(name: string): ConstructedType | undefined {
  if (name === jsonPatchType.name) return { type: jsonPatchType, make: operation }
  if (name !== 'Object' && !name.startsWith('Object.')) return undefined
  return {
    type: { kind: 'object', name, fields: anyFields },
    make: (fields) => new ConstructedValue(name, fields),
  }
}

/** Fields of type string may have been given a value of type `dyn`. */
function operation(fields: ReadonlyMap<string, CelValue>): ConstructedValue | CelError {
  for (const [name, value] of fields) {
    if (name === 'value' || typeof value === 'string') continue
    return new CelError(`unexpected type ${goType(value)} for JSONPatchType '${name}' field`)
  }
  return new ConstructedValue(jsonPatchType.name, fields)
}

/** The Go type that upstream holds a value in. */
function goType(value: CelValue): string {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return 'float64'
  if (value === null) return 'structpb.NullValue'
  if (value instanceof CelUint) return 'uint64'
  if (value instanceof Uint8Array) return '[]uint8'
  return value instanceof CelMap ? 'map[string]interface {}' : '[]interface {}'
}
