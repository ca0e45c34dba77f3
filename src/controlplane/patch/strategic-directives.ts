/** The directives of strategic merge patches for one object: `$patch` and `$retainKeys`. */
import { getOwn, isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import { strategicError } from './strategic-errors.ts'

export const orderPrefix = '$setElementOrder'
export const deletePrefix = '$deleteFromPrimitiveList'

/** `LIST` of `PREFIX/LIST`; undefined if the directive does not have that form. */
export function listNamed(directive: string, prefix: string): string | undefined {
  return directive.startsWith(`${prefix}/`) ? directive.slice(prefix.length + 1) : undefined
}

/** `$patch` on an object: `replace` returns the patch itself, `delete` an empty object. */
export function replaceObject(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {}
  if (directive !== 'replace') throw strategicError.unknownDirective(directive, patch)
  delete patch['$patch']
  return patch
}

/** A copy of the original, reduced to the keys of `$retainKeys` if the patch has this directive. */
export function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  const listed = getOwn(patch, '$retainKeys')
  if (listed === undefined) return { ...original }
  delete patch['$retainKeys']
  if (!Array.isArray(listed)) throw strategicError.badRetainKeys()
  const retained = new Set(listed)
  for (const key of Object.keys(patch)) {
    const isDirective = key.startsWith(deletePrefix) || key.startsWith(orderPrefix)
    if (patch[key] !== null && !isDirective && !retained.has(key)) throw strategicError.badRetainKeys()
  }
  const kept: JsonObject = {}
  for (const key of Object.keys(original)) if (retained.has(key)) setOwn(kept, key, original[key] as Json)
  return kept
}

/** Removes null fields, in place. */
export function dropNulls(value: Json): void {
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item)
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete value[key]
      else dropNulls(value[key] as Json)
    }
  }
}

/** Drops every object with `$patch`, since it has no counterpart. Undefined if that is the value itself. */
export function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) {
    const kept: Json[] = []
    for (const item of value) {
      const clean = withoutDirectives(item)
      if (clean !== undefined) kept.push(clean)
    }
    return kept
  }
  if (!isObject(value)) return value
  if (Object.hasOwn(value, '$patch')) return undefined
  for (const key of Object.keys(value)) {
    const clean = withoutDirectives(value[key] as Json)
    if (clean === undefined) delete value[key]
    else setOwn(value, key, clean)
  }
  return value
}
