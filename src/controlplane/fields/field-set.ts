/**
 * FieldSet: a set of field paths, in the form of FieldsV1.
 *
 * A set is a tree of plain objects: each key is a path element, its value the node below. An empty node (`{}`) is a
 * member; a node with children is a member only if it has the key `.`. The root stands for the whole object, which
 * nobody owns: `{}` as a root is the empty set. So an entry of a stored object can be used without parsing, unchanged
 * parts are shared between sets, and serialisation is free.
 *
 * Sets are canonical (text of elements, order of keys, no empty branches) and must never be modified.
 */
import { equalJson, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { canonicalElement, compareElements, elementText, PathElementError, type NumberText } from './path-element.ts'

export type FieldSet = JsonObject

/** A member with no members below. Shared and frozen; other empty objects are equivalent. */
export const leaf: FieldSet = Object.freeze({})

/** As a root, the same empty object is the empty set. */
export const emptySet: FieldSet = leaf

function child(node: FieldSet, element: string): FieldSet | undefined {
  return node[element] as FieldSet | undefined
}

export function isEmpty(node: FieldSet): boolean {
  if (node === leaf) return true
  for (const _ in node) return false
  return true
}

/** For a node below the root: whether its own path is in the set. */
export function isMember(node: FieldSet): boolean {
  return node['.'] !== undefined || isEmpty(node)
}

/** The node with its own path added. */
export function withMember(node: FieldSet | undefined): FieldSet {
  if (node === undefined || isMember(node)) return node ?? leaf
  const result: FieldSet = { '.': leaf }
  for (const key in node) result[key] = node[key] as Json
  return result
}

/** The node without its own path; undefined if nothing is left. */
function withoutMember(node: FieldSet): FieldSet | undefined {
  if (node['.'] === undefined) return isEmpty(node) ? undefined : node
  const result: FieldSet = {}
  for (const key in node) if (key !== '.') result[key] = node[key] as Json
  return isEmpty(result) ? undefined : result
}

/** The node with its keys in upstream's order; itself if they are in order. */
export function inOrder(node: FieldSet): FieldSet {
  let last = ''
  let sorted = true
  for (const key in node) {
    if (last !== '' && last !== '.' && (key === '.' || compareElements(last, key) > 0)) {
      sorted = false
      break
    }
    last = key
  }
  if (sorted) return node
  const keys = Object.keys(node)
    .filter((key) => key !== '.')
    .sort(compareElements)
  const result: FieldSet = {}
  if (node['.'] !== undefined) result['.'] = leaf
  for (const key of keys) result[key] = node[key] as Json
  return result
}

/** Paths in either set. Returns `a` itself if `b` adds nothing. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a
  if (isEmpty(a)) return b
  let result: FieldSet | undefined
  let grown = false
  for (const key in b) {
    const ours = child(a, key)
    const theirs = child(b, key) as FieldSet
    if (ours === undefined) {
      result ??= { ...a }
      result[key] = theirs
      grown = true
    } else if (key !== '.') {
      const both = unionNode(ours, theirs)
      if (both !== ours) {
        result ??= { ...a }
        result[key] = both
      }
    }
  }
  if (result === undefined) return a
  return grown ? inOrder(result) : result
}

function unionNode(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  if (isEmpty(a)) return withMember(b)
  if (isEmpty(b)) return withMember(a)
  return union(a, b)
}

/**
 * Rebuilds a node from the results of `keep` for each child; itself if nothing changed, undefined if nothing is left.
 */
function filterNode(
  node: FieldSet,
  keep: (below: FieldSet, element: string) => FieldSet | undefined,
  dropMember: boolean,
): FieldSet | undefined {
  let result: FieldSet | undefined
  for (const key in node) {
    if (key === '.') {
      if (dropMember) result = {}
      continue
    }
    const below = child(node, key) as FieldSet
    const kept = keep(below, key)
    if (kept !== below) result ??= copyUpTo(node, key)
    if (result !== undefined && kept !== undefined) result[key] = kept
  }
  if (result === undefined) return node
  if (isEmpty(result)) return undefined
  if (result['.'] === undefined) return result
  for (const key in result) if (key !== '.') return result
  return leaf
}

/** Paths of `a` that are not in `b`. Paths below a path of `b` stay. Returns `a` itself if nothing is removed. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a) || isEmpty(b)) return a
  return filterNode(a, (below, key) => differenceNode(below, child(b, key)), false) ?? emptySet
}

function differenceNode(a: FieldSet, b: FieldSet | undefined): FieldSet | undefined {
  if (b === undefined) return a
  const taken = isMember(b)
  if (isEmpty(a)) return taken ? undefined : a
  if (isEmpty(b)) return withoutMember(a)
  return filterNode(a, (below, key) => differenceNode(below, child(b, key)), taken)
}

/** Paths of `a` that are neither in `b` nor below a path of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a) || isEmpty(b)) return a
  return filterNode(a, (below, key) => recursiveDifferenceNode(below, child(b, key)), false) ?? emptySet
}

function recursiveDifferenceNode(a: FieldSet, b: FieldSet | undefined): FieldSet | undefined {
  if (b === undefined) return a
  if (isMember(b)) return undefined
  if (isEmpty(a)) return a
  return filterNode(a, (below, key) => recursiveDifferenceNode(below, child(b, key)), false)
}

/** Paths in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  const result: FieldSet = {}
  for (const key in a) {
    const theirs = child(b, key)
    if (theirs === undefined || key === '.') continue
    const both = intersectionNode(child(a, key) as FieldSet, theirs)
    if (both !== undefined) result[key] = both
  }
  return result
}

function intersectionNode(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (a === b) return a
  const member = isMember(a) && isMember(b)
  const below = intersection(a, b)
  if (isEmpty(below)) return member ? leaf : undefined
  return member ? withMember(below) : below
}

/** Paths with no other path of the set below them. */
export function leaves(set: FieldSet): FieldSet {
  return filterNode(set, leavesNode, false) ?? emptySet
}

function leavesNode(node: FieldSet): FieldSet | undefined {
  return isEmpty(node) ? node : filterNode(node, leavesNode, true)
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  return equalJson(a, b)
}

/** Whether the path, given by its elements, is in the set. */
export function has(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = path.length === 0 ? undefined : set
  for (const element of path) {
    if (node === undefined) return false
    node = child(node, element)
  }
  return node !== undefined && isMember(node)
}

/** The paths as text, in upstream's order: at each level the members, then the paths below them. */
export function pathsOf(set: FieldSet, numberText?: NumberText): string[] {
  const found: string[] = []
  collect(set, '', found, numberText)
  return found
}

function collect(node: FieldSet, path: string, found: string[], numberText?: NumberText): void {
  for (const key in node) {
    if (key !== '.' && isMember(child(node, key) as FieldSet)) found.push(path + elementText(key, numberText))
  }
  for (const key in node) {
    if (key === '.') continue
    collect(child(node, key) as FieldSet, path + elementText(key, numberText), found, numberText)
  }
}

/** A set of the given paths of field names. */
export function setOfFields(paths: readonly (readonly string[])[]): FieldSet {
  let set = emptySet
  for (const path of paths) {
    let branch: FieldSet = leaf
    for (let i = path.length - 1; i >= 0; i--) branch = { [`f:${path[i] as string}`]: branch }
    set = union(set, branch)
  }
  return set
}

/**
 * Parses FieldsV1. Returns the object itself if it is canonical. Elements of unknown types are dropped; throws {@link
 * PathElementError} for malformed ones.
 */
export function parseFieldSet(fields: JsonObject): FieldSet {
  return withoutMember(parseNode(fields)) ?? emptySet
}

function parseNode(given: Json): FieldSet {
  if (given === null) return leaf
  if (!isObject(given)) throw new PathElementError('expect { or n')
  let result: FieldSet | undefined
  let kept = 0
  for (const key of Object.keys(given)) {
    if (key === '.') {
      if (!isObject(given[key]) || !isEmpty(given[key])) result ??= copyUpTo(given, key)
      if (result !== undefined) result[key] = leaf
      continue
    }
    const element = canonicalElement(key)
    const value = given[key] as Json
    const below = element === undefined ? undefined : parseNode(value)
    if (result === undefined && (element !== key || below !== value)) result = copyUpTo(given, key)
    if (element === undefined || below === undefined) continue
    kept++
    if (result !== undefined) result[element] = below
  }
  if (kept === 0) return isEmpty(given) ? given : leaf
  return inOrder(result ?? given)
}

/** The entries of a node before a key. */
function copyUpTo(node: JsonObject, end: string): FieldSet {
  const result: FieldSet = {}
  for (const key in node) {
    if (key === end) break
    result[key] = key === '.' ? leaf : (node[key] as Json)
  }
  return result
}
