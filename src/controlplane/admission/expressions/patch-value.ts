/** The JSON of values that mutations make, and the check of the type names in them. */
import { setOwn, type Json, type JsonObject } from '../../../api/json.ts'
import { ConstructedValue } from '../../../cel/libraries/json-patch/values.ts'
import { toText } from '../../../cel/libraries/standard/conversions.ts'
import { typeNameOf } from '../../../cel/libraries/standard/type-names.ts'
import { CelDuration, CelList, CelMap, CelTimestamp, CelUint, type CelValue } from '../../../cel/library.ts'

/** A value that has no JSON, or objects with wrong type names. */
export class PatchValueError extends Error {
  override readonly name = 'PatchValueError'
}

/** Throws a {@link PatchValueError}. */
export function patchJson(value: CelValue): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number') {
    return value
  }
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof CelUint) return Number(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof CelTimestamp || value instanceof CelDuration) return toText(value) as string
  if (value instanceof CelList) return Array.from({ length: value.size }, (_, i) => patchJson(value.at(i)))
  if (value instanceof CelMap) return objectJson(value)
  throw new PatchValueError(`unsupported type: ${typeNameOf(value)}`)
}

function objectJson(map: CelMap): JsonObject {
  const object: JsonObject = {}
  for (const key of map.keys()) {
    if (typeof key !== 'string') {
      throw new PatchValueError(`map key of type ${typeNameOf(key)}, not string`)
    }
    setOwn(object, key, patchJson(map.get(key) as CelValue))
  }
  return object
}

/**
 * Objects below a field have the type name of the object and the name of the field: `Object.spec` below `spec` of
 * `Object`. Lists and maps between them have no names. Throws a {@link PatchValueError}.
 */
export function checkTypeNames(value: ConstructedValue): void {
  const problems = typeNameProblems(value, value.objectName)
  if (problems.length > 0) throw new PatchValueError(`type mismatch: ${problems.join('\n')}`)
}

function typeNameProblems(value: CelValue, expected: string): string[] {
  if (value instanceof ConstructedValue) {
    const name = value.objectName
    const below = [...value.fields].flatMap(([field, child]) => typeNameProblems(child, `${expected}.${field}`))
    if (name === expected) return below
    const why = `expected ${JSON.stringify(expected)}, which matches field name path from root Object type`
    return [`unexpected type name ${JSON.stringify(name)}, ${why}`, ...below]
  }
  if (value instanceof CelList) {
    return Array.from({ length: value.size }, (_, i) => typeNameProblems(value.at(i), expected)).flat()
  }
  if (value instanceof CelMap) {
    return value.keys().flatMap((key) => typeNameProblems(value.get(key) as CelValue, expected))
  }
  return []
}
