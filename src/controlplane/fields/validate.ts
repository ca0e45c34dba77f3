/** Validates an applied configuration against its shape, in upstream's words. */
import { getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { knownPart } from '../../api/known-part.ts'
import type { TrackContext } from './context.ts'
import { fieldShape, type ScalarShape, type Shape } from '../../shape/shape.ts'
import { goNumber, goSyntax, goType, goValue } from '../../api/go-format.ts'
import { keysText, valueText } from './path-element.ts'
import { ListTree, treeOf } from './field-tree.ts'
import { TypedValueError } from './typed-value-error.ts'

interface Problem {
  path: string
  readonly message: string
}

/**
 * The problems of the object as one text; undefined if there are none. Several problems are in the order of the
 * document (upstream's order is random, that of Go's maps).
 */
export function validateTyped(shape: Shape, value: JsonObject, allowDuplicates = false): string | undefined {
  const problems: Problem[] = []
  checkMap(shape, value, problems, undefined)
  return summary(allowDuplicates ? problems.filter(({ message }) => !message.startsWith(duplicate)) : problems)
}

/**
 * Same as {@link validateTyped} with duplicates allowed, for a whole object. Its metadata has been decoded. Other parts
 * that are known to fit are skipped, and so is what a part shares with that of `live`, if that is known to fit.
 */
export function validateParts(
  { shape, parts, liveParts }: Pick<TrackContext, 'shape' | 'parts' | 'liveParts'>,
  object: JsonObject,
  live: JsonObject | undefined,
): string | undefined {
  for (const name in object) {
    const part = object[name] as Json
    const known = knownPart(part, parts, liveParts)
    if (name === 'metadata' || known?.shape === shape) continue
    const field = fieldShape(shape, name)
    const before = live?.[name]
    const beforeFits = knownPart(before, liveParts)?.shape === shape
    const problems: Problem[] = []
    if (field !== undefined) check(field, part, problems, beforeFits ? before : undefined)
    if (field === undefined || problems.length > 0) return validateTyped(shape, object, true)
    if (known !== undefined) known.shape = shape
  }
  return undefined
}

const duplicate = 'duplicate entries for key '

function summary(problems: readonly Problem[]): string | undefined {
  if (problems.length === 0) return undefined
  if (problems.length === 1) return problemText(problems[0] as Problem)
  return ['errors:', ...problems.map((problem) => `  ${problemText(problem)}`)].join('\n')
}

function problemText(problem: Problem): string {
  return problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`
}

/** Skips what the value shares with `known`, a valid value at the same position. */
function check(shape: Shape, value: Json, problems: Problem[], known: Json | undefined): void {
  if (value === null || value === known) return
  switch (shape.type) {
    case 'scalar': {
      const message = scalarProblem(shape, value)
      if (message !== undefined) problems.push({ path: '', message })
      break
    }
    case 'list':
      if (Array.isArray(value))
        checkList(shape.items, keyedTree(shape), value, problems, Array.isArray(known) ? known : undefined)
      else problems.push({ path: '', message: `expected list, got &{${goValue(value)}}` })
      break
    case 'struct':
    case 'map':
      // Upstream's schema allows anything here; the validation of the kind decides.
      if (shape.goType === 'runtime.RawExtension') break
      if (isObject(value)) checkMap(shape, value, problems, isObject(known) ? known : undefined)
      else problems.push({ path: '', message: `expected map, got &{${goValue(value)}}` })
      break
    case 'any':
      break
  }
}

function checkMap(shape: Shape, value: JsonObject, problems: Problem[], known: JsonObject | undefined): void {
  for (const key in value) {
    const field = fieldShape(shape, key)
    if (field === undefined) {
      problems.push({ path: `.${key}`, message: 'field not declared in schema' })
      // The rest of this object is skipped.
      return
    }
    const before = problems.length
    check(field, value[key] as Json, problems, known && getOwn(known, key))
    if (problems.length > before) prefix(problems, before, `.${key}`)
  }
}

function prefix(problems: Problem[], from: number, text: string): void {
  for (let i = from; i < problems.length; i++) {
    const problem = problems[i] as Problem
    problem.path = text + problem.path
  }
}

/** The tree of a list that is a set or a map; undefined if it is atomic. */
function keyedTree(shape: Shape): ListTree | undefined {
  const tree = treeOf(shape)
  return tree instanceof ListTree ? tree : undefined
}

function checkList(
  items: Shape,
  tree: ListTree | undefined,
  values: Json[],
  problems: Problem[],
  known: readonly Json[] | undefined,
): void {
  const seen = tree !== undefined && values.length > 1 ? new Set<string>() : undefined
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as Json
    if (tree !== undefined) {
      const element = elementOf(tree, value, i, problems)
      if (element === undefined) return
      if (seen?.has(element)) {
        problems.push({ path: '', message: duplicate + itemText(tree, value) })
      }
      seen?.add(element)
    }
    const before = problems.length
    check(items, value, problems, known?.[i])
    if (problems.length === before) continue
    prefix(problems, before, tree === undefined ? `[${i}]` : itemText(tree, value))
  }
}

function elementOf(tree: ListTree, value: Json, index: number, problems: Problem[]): string | undefined {
  try {
    return tree.element(value)
  } catch (error) {
    if (!(error instanceof TypedValueError)) throw error
    problems.push({ path: '', message: `element ${index}: ${error.message}` })
    return undefined
  }
}

/** `[name="c"]`, `[="x"]`: as conflicts show items, but with numbers as the configuration has them. */
function itemText(tree: ListTree, item: Json): string {
  if (!isObject(item)) return `[=${valueText(item, goNumber)}]`
  return `[${keysText(tree.keysOf(item), goNumber)}]`
}

function scalarProblem(shape: ScalarShape, value: Json): string | undefined {
  switch (shape.scalar) {
    case 'integer':
    case 'number':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goValue(value)}}`
    case 'intOrString':
      // Upstream's schema has no type here; invalid values fail later, in the decoder.
      return undefined
    case 'string':
      if (shape.format !== undefined && shape.format !== '' && shape.format !== 'byte') return anyScalarProblem(value)
      return stringProblem(value)
    case 'bytes':
    case 'duration':
      return stringProblem(value)
    case 'time':
    case 'microTime':
    case 'quantity':
      return anyScalarProblem(value)
  }
}

function stringProblem(value: Json): string | undefined {
  if (typeof value === 'string') return undefined
  return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`
}

function anyScalarProblem(value: Json): string | undefined {
  return typeof value === 'object' ? `expected any scalar, got &{${goValue(value)}}` : undefined
}
