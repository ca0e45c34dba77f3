/** Merges the configuration that a mutation has made into an object, as server-side apply does, but without owners. */
import { isObject, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { fieldShape, type Shape } from '../../../shape/shape.ts'
import { mergeConfiguration } from '../../fields/merge.ts'
import { validateTyped } from '../../fields/validate.ts'
import { PatchValueError } from './patch-value.ts'

/** Throws a {@link PatchValueError}. */
export function applyConfiguration(shape: Shape, object: KubeObject, configuration: JsonObject): KubeObject {
  const { apiVersion, kind } = object
  const typed: JsonObject = { ...configuration, apiVersion: apiVersion as string, kind: kind as string }
  const problem = validateTyped(shape, typed)
  if (problem !== undefined) throw failed(`failed to convert patch object to typed object: ${problem}`)
  const atomics = atomicPaths(shape, typed, '')
  if (atomics.length > 0) {
    const why = `may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`
    throw failed(`invalid ApplyConfiguration: ${why}`)
  }
  return mergeConfiguration(shape, object, typed) as KubeObject
}

function failed(why: string): PatchValueError {
  return new PatchValueError(`error applying patch: ${why}`)
}

/**
 * What a configuration would replace as a whole: its author may not know that all that it does not repeat is lost.
 */
function atomicPaths(shape: Shape, value: Json, path: string): string[] {
  if (Array.isArray(value)) {
    if (shape.type === 'any') return [path]
    if (shape.type !== 'list') return []
    const below = value.flatMap((item, i) => atomicPaths(shape.items, item, `${path}[${i}]`))
    return shape.ownership === 'atomic' ? [path, ...below] : below
  }
  if (!isObject(value) || (shape.type !== 'struct' && shape.type !== 'map')) return []
  const own = shape.atomic ? [path] : []
  if (shape.type === 'map') return own
  const below = Object.entries(value).flatMap(([name, child]) => {
    const field = fieldShape(shape, name)
    return field === undefined ? [] : atomicPaths(field, child, `${path}.${name}`)
  })
  return [...own, ...below]
}
