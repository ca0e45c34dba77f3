/** Evaluates a JSONPath. Missing keys have no result; a value of the wrong type is an error. */
import { getOwn, isObject, type Json } from '../../../api/json.ts'
import { isInt64 } from '../../../api/go-format.ts'
import { JsonPathError, type PathNode } from './parse.ts'

/** The maximum number of visited values; recursive descents over a large object can multiply. */
const maxResults = 100_000

/** All values that the path selects. Throws {@link JsonPathError} if the type of a value does not fit the path. */
export function evaluateJsonPath(path: readonly PathNode[], root: Json): Json[] {
  return walk(path, [root])
}

function walk(path: readonly PathNode[], from: Json[]): Json[] {
  let values = from
  for (const node of path) {
    values = step(node, values)
    if (values.length > maxResults) throw new JsonPathError('too many results')
  }
  return values
}

function step(node: PathNode, values: Json[]): Json[] {
  switch (node.type) {
    case 'field':
      return fields(node.name, values)
    case 'wildcard':
      return values.flatMap(children)
    case 'recursive':
      return descend(values)
    case 'slice':
      return slices(node, values)
    case 'filter':
      return filtered(node, values)
    case 'union':
      return node.members.flatMap((member) => walk(member, values))
    case 'literal':
      return values.map(() => node.value)
    case 'word':
      throw new JsonPathError(`unrecognized identifier ${node.word}`)
  }
}

function fields(name: string, values: readonly Json[]): Json[] {
  const results: Json[] = []
  for (const value of values) {
    const field = isObject(value) ? getOwn(value, name) : undefined
    if (field !== undefined) results.push(field)
  }
  return results
}

function children(value: Json): Json[] {
  if (Array.isArray(value)) return value
  return isObject(value)
    ? Object.keys(value)
        .sort()
        .map((name) => value[name] as Json)
    : []
}

/** Every value that has children, in pre-order. */
function descend(values: readonly Json[]): Json[] {
  const results: Json[] = []
  const pending = [...values].reverse()
  while (pending.length > 0) {
    const value = pending.pop() as Json
    const below = children(value)
    if (below.length === 0) continue
    results.push(value)
    if (results.length > maxResults) throw new JsonPathError('too many results')
    for (let i = below.length - 1; i >= 0; i--) pending.push(below[i] as Json)
  }
  return results
}

function slices(node: PathNode & { type: 'slice' }, values: readonly Json[]): Json[] {
  const results: Json[] = []
  for (const value of values) {
    if (value === null) continue
    if (!Array.isArray(value)) throw new JsonPathError('value is not array or slice')
    const length = value.length
    const start = fromEnd(node.start ?? 0, length)
    let end = node.end ?? (node.single ? (node.start ?? 0) + 1 : length)
    if (end < 0 || (end === 0 && node.single)) end += length
    if (end === start) return results
    if (start < 0 || start >= length || end < 0 || end > length || start > end) {
      throw new JsonPathError(`array index out of bounds: index ${start}, length ${length}`)
    }
    const by = node.step ?? 1
    if (by <= 0) throw new JsonPathError('step must be > 0')
    for (let i = start; i < end; i += by) results.push(value[i] as Json)
  }
  return results
}

function fromEnd(index: number, length: number): number {
  return index < 0 ? index + length : index
}

function filtered(node: PathNode & { type: 'filter' }, values: readonly Json[]): Json[] {
  const results: Json[] = []
  for (const value of values) {
    if (!Array.isArray(value)) throw new JsonPathError('value is not array or slice and cannot be filtered')
    for (const item of value) if (passes(node, item)) results.push(item)
  }
  return results
}

function passes(node: PathNode & { type: 'filter' }, item: Json): boolean {
  const left = walk(node.left, [item])
  if (node.operator === 'exists') return left.length > 0
  if (left.length === 0) return false
  if (left.length > 1) throw new JsonPathError('can only compare one element at a time')
  const right = walk(node.right, [item])
  if (right.length === 0) return false
  if (right.length > 1) throw new JsonPathError('can only compare one element at a time')
  return compare(node.operator, left[0] as Json, right[0] as Json)
}

/** Only scalars of the same type can be compared; integers and floats are different types. */
function compare(operator: string, left: Json, right: Json): boolean {
  const kind = kindOf(left)
  if (kind === undefined || kind !== kindOf(right)) throw new JsonPathError('incompatible types for comparison')
  if (operator === '==') return left === right
  if (operator === '!=') return left !== right
  if (kind === 'boolean') throw new JsonPathError('invalid type for comparison')
  const [a, b] = [left as string | number, right as string | number]
  switch (operator) {
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`)
  }
}

function kindOf(value: Json): string | undefined {
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number'
  return value === null || typeof value === 'object' ? undefined : typeof value
}
