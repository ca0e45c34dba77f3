/**
 * Merges an applied configuration into the live object.
 *
 * Nothing is removed, and the configuration wins. Neither input is modified. Unchanged parts are shared with the live
 * object, and the live object itself is returned if the configuration changes nothing. The configuration fits the
 * shape: no list in it has duplicate items.
 */
import { equalJson, getOwn, isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../../shape/shape.ts'
import { isHollow, rootTree, type ListTree, type MapTree, type FieldTree } from './field-tree.ts'

export function mergeConfiguration(shape: Shape, live: JsonObject, config: JsonObject): JsonObject {
  return mergeMaps(rootTree(shape), live, config)
}

function mergeValues(tree: FieldTree, live: Json | undefined, config: Json): Json {
  if (live === undefined) return config
  if (live === config) return live
  if (tree.type === 'leaf') return either(live, config)
  if (tree.type === 'list') return mergeLists(tree, live, config)
  if (isHollow(live) && isHollow(config)) return either(live, config)
  if (isObject(live) && isObject(config)) return mergeMaps(tree, live, config)
  // null does not clear a map that has fields: only a prune removes.
  if (config === null && isObject(live)) return live
  return either(live, config)
}

function either(live: Json, config: Json): Json {
  return equalJson(live, config) ? live : config
}

function mergeMaps(tree: MapTree, live: JsonObject, config: JsonObject): JsonObject {
  let merged: JsonObject | undefined
  for (const key in config) {
    const given = config[key] as Json
    const old = getOwn(live, key)
    if (given === old) continue
    const child = tree.child(key)
    if (child === undefined) continue
    const value = mergeValues(child.tree, old, given)
    if (value === old) continue
    merged ??= { ...live }
    setOwn(merged, key, value)
  }
  return merged ?? live
}

/** Up to this length a linear search is faster than a map. */
const fewItems = 16

/** Whether both have the same few unique items in the same order, as most configurations do. */
function areSameFew(old: readonly string[], given: readonly string[]): boolean {
  if (old.length !== given.length || old.length > fewItems) return false
  return given.every((element, i) => element === old[i] && given.indexOf(element) === i)
}

function mergePairs(tree: ListTree, old: Json[], given: readonly Json[]): Json[] {
  let merged: Json[] | undefined
  for (let i = 0; i < old.length; i++) {
    const value = mergeValues(tree.items, old[i], given[i] as Json)
    if (value !== old[i]) (merged ??= [...old])[i] = value
  }
  return merged ?? old
}

/**
 * Merges the items of both, in the order of the configuration; live items that it does not have keep their position
 * between those that it has.
 */
function mergeLists(tree: ListTree, live: Json, config: Json): Json {
  const old = Array.isArray(live) ? live : []
  const given = Array.isArray(config) ? config : []
  if (given.length === 0) return old.length === 0 ? either(live, config) : live
  if (equalJson(live, config)) return live
  const oldElements = old.map((item) => tree.element(item))
  const elements = given.map((item) => tree.element(item))
  if (areSameFew(oldElements, elements)) return mergePairs(tree, old, given)
  const oldByElement = new Map<string, Json>()
  oldElements.forEach((element, i) => {
    // A duplicate key has no single item to merge with.
    oldByElement.set(element, oldByElement.has(element) ? null : (old[i] as Json))
  })
  const positions = new Map(elements.map((element, i) => [element, i]))
  const shared = elements.filter((element) => oldByElement.has(element))
  const merged: Json[] = []
  let nextShared = 0
  let left = 0
  let right = 0
  const takeRight = (): void => {
    const element = elements[right] as string
    const before = oldByElement.get(element)
    merged.push(mergeValues(tree.items, before, given[right] as Json))
    if (shared[nextShared] === element) nextShared++
    right++
  }
  while (left < old.length || right < given.length) {
    const element = oldElements[left]
    if (element === undefined) {
      takeRight()
      continue
    }
    const position = positions.get(element)
    if (position === undefined) {
      // Only in the live list.
      merged.push(old[left] as Json)
      left++
    } else if (position < right) {
      // Merged already. If no shared item is left, the next item of the configuration takes this position.
      left++
      if (nextShared === shared.length && right < given.length) takeRight()
    } else if (position === right) {
      takeRight()
      left++
    } else if (nextShared < shared.length && shared[nextShared] !== element) {
      // Shared, but the configuration has another shared item first.
      left++
    } else {
      takeRight()
    }
  }
  if (merged.length === old.length && merged.every((item, i) => item === old[i])) return live
  return merged
}
