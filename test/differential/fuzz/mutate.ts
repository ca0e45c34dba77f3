/** Mutations of a valid object: removes fields and changes values, to valid and to invalid ones. */
import { isObject } from '../../../src/api/json.ts'
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Choices } from './choices.ts'

export type Path = readonly (string | number)[]

/** Fields that are not mutated: they select the kind. */
const identity = new Set(['apiVersion', 'kind'])

/** All paths below the root, except those that select the kind. */
export function pathsOf(value: Json, at: Path = []): Path[] {
  const found: Path[] = []
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) found.push([...at, i], ...pathsOf(item, [...at, i]))
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      if (at.length === 0 && identity.has(key)) continue
      if (at.length === 1 && at[0] === 'metadata' && key === 'name') continue
      if (at.length > 0 || key !== 'metadata') found.push([...at, key])
      found.push(...pathsOf(child, [...at, key]))
    }
  }
  return found
}

export function valueAt(value: Json, path: Path): Json | undefined {
  let found: Json | undefined = value
  for (const key of path) found = typeof found === 'object' && found !== null ? (found as JsonObject)[key] : undefined
  return found
}

/** A copy with this value changed; undefined removes it. */
export function withValue(value: Json, path: Path, change: Json | undefined): Json {
  const [key, ...rest] = path
  if (key === undefined) return change ?? null
  if (Array.isArray(value)) {
    if (rest.length === 0 && change === undefined) return value.filter((_, i) => i !== key)
    return value.map((item, i) => (i === key ? withValue(item, rest, change) : item))
  }
  const copy: JsonObject = { ...(isObject(value) ? value : {}) }
  if (rest.length === 0 && change === undefined) delete copy[key]
  else copy[key] = withValue(copy[key] ?? {}, rest, change)
  return copy
}

/** The object with some fields removed or changed. */
export function mutated(object: JsonObject, count: number, choices: Choices): JsonObject {
  let result: Json = object
  for (let i = 0; i < count; i++) {
    const paths = pathsOf(result)
    if (paths.length === 0) break
    const path = choices.pick(paths)
    result = withValue(
      result,
      path,
      choices.chance(0.45) ? undefined : otherValue(valueAt(result, path) ?? null, choices),
    )
  }
  return result as JsonObject
}

const texts = ['', 'x', 'other', 'Not Valid!', '-', 'a.b', 'example.com/x', '10', '5%', '1Gi', 'x'.repeat(64)]
const numbers = [0, 1, 2, -1, 80, 65_536, 1.5, 2_147_483_648]

export function otherValue(value: Json, choices: Choices): Json {
  if (choices.chance(0.06)) return choices.pick<Json>(['text', 7, true, [], {}, null, ['x'], { x: 'y' }])
  if (typeof value === 'string')
    return choices.chance(0.5) ? `${value}${choices.pick(['x', '-2', '0'])}` : choices.pick(texts)
  if (typeof value === 'number') return choices.chance(0.5) ? value + 1 : choices.pick(numbers)
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return otherList(value, choices)
  if (isObject(value)) return otherMap(value, choices)
  return choices.pick(texts)
}

function otherList(list: readonly Json[], choices: Choices): Json {
  const item = list.length === 0 ? 'x' : choices.pick(list)
  return choices.weighted<() => Json>([
    [3, () => list.slice(1)],
    [2, () => [...list, otherValue(item, choices)]],
    [2, () => list.toReversed()],
    [1, () => [...list, item]],
    [1, () => []],
  ])()
}

function otherMap(map: JsonObject, choices: Choices): Json {
  const keys = Object.keys(map)
  return choices.weighted<() => Json>([
    [3, () => ({ ...map, [choices.pick(['a', 'b', 'example.com/k'])]: choices.pick<Json>(['1', '2', '']) })],
    [2, () => (keys.length === 0 ? {} : withValue(map, [choices.pick(keys)], undefined))],
    [1, () => ({})],
  ])()
}

/** A merge patch that sets one value. */
export function patchAt(path: Path, value: Json): JsonObject {
  let patch: Json = value
  for (const key of path.toReversed()) {
    // A merge patch replaces lists as a whole.
    patch = typeof key === 'number' ? [patch] : { [key]: patch }
  }
  return patch as JsonObject
}
