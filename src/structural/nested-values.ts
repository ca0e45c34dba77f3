/** Reads values at paths of plain field names, with upstream's type errors. Used by the scale subresource. */
import { goType, goValue } from '../api/go-format.ts'
import { getOwn, isObject, type Json, type JsonObject } from '../api/json.ts'

/** Paths as written in a CRD, with a leading dot. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string | undefined
}

export function splitPath(path: string): string[] {
  return path.replace(/^\./, '').split('.')
}

/** A value along the path has the wrong type. The message is upstream's. */
export class AccessError extends Error {
  override name = 'AccessError'
}

/**
 * The value at a path of plain field names; undefined if it is absent. Throws {@link AccessError} if a value along the
 * path is not an object.
 */
function nested(object: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json = object
  for (const [i, name] of path.entries()) {
    if (value === null && i > 0) return undefined
    if (!isObject(value)) {
      const way = path
        .slice(0, i + 1)
        .map((part) => `.${part}`)
        .join('')
      throw new AccessError(
        `${way} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected map[string]interface{}`,
      )
    }
    const next: Json | undefined = getOwn(value, name)
    if (next === undefined) return undefined
    value = next
  }
  return value
}

function wrongType(path: readonly string[], value: Json, expected: string): AccessError {
  const way = path.map((part) => `.${part}`).join('')
  return new AccessError(
    `${way} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected ${expected}`,
  )
}

/** The integer at a path; undefined when it is absent. */
export function nestedInteger(object: JsonObject, path: readonly string[]): number | undefined {
  const value = nested(object, path)
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongType(path, value, 'int64')
  return value
}

/** The string at a path; undefined when it is absent. */
export function nestedText(object: JsonObject, path: readonly string[]): string | undefined {
  const value = nested(object, path)
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw wrongType(path, value, 'string')
  return value
}
