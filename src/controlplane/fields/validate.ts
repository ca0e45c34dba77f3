/** Checks that an applied configuration fits its shape, in upstream's words. */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { any, type ListShape, type ScalarShape, type Shape } from '../shape/shape.ts'
import { goNumber, goPlain, goSyntax, goType } from './go-text.ts'
import { valueText } from './path-element.ts'
import { childLookup, isAtomic, itemElement, TypedValueError } from './shape-walk.ts'

interface Problem {
  path: string
  readonly message: string
}

/**
 * What is wrong with the object, as one text; undefined when nothing is. Several problems stand in the order of the
 * document (upstream's order is that of Go's maps: random).
 */
export function validateTyped(shape: Shape, value: JsonObject): string | undefined {
  const problems: Problem[] = []
  checkMap(shape, value, problems)
  if (problems.length === 0) return undefined
  if (problems.length === 1) return problemText(problems[0] as Problem)
  return ['errors:', ...problems.map((problem) => `  ${problemText(problem)}`)].join('\n')
}

function problemText(problem: Problem): string {
  return problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`
}

function check(shape: Shape, value: Json, problems: Problem[]): void {
  if (value === null) return
  switch (shape.type) {
    case 'scalar':
      checkScalar(shape, value, problems)
      break
    case 'list':
      if (Array.isArray(value)) checkList(shape, value, problems)
      else problems.push({ path: '', message: `expected list, got &{${goPlain(value)}}` })
      break
    case 'struct':
    case 'map':
      if (isObject(value)) checkMap(shape, value, problems)
      else problems.push({ path: '', message: `expected map, got &{${goPlain(value)}}` })
      break
    case 'any':
      break
  }
}

function checkMap(shape: Shape, value: JsonObject, problems: Problem[]): void {
  if (shape.type === 'map' && shape.values === any) return
  const childFor = childLookup(shape)
  for (const key in value) {
    const child = childFor(key)
    if (child === undefined) {
      problems.push({ path: `.${key}`, message: 'field not declared in schema' })
      // The rest of this object is not looked at.
      return
    }
    const before = problems.length
    check(child.shape, value[key] as Json, problems)
    if (problems.length > before) prefix(problems, before, `.${key}`)
  }
}

function prefix(problems: Problem[], from: number, text: string): void {
  for (let i = from; i < problems.length; i++) {
    const problem = problems[i] as Problem
    problem.path = text + problem.path
  }
}

function checkList(shape: ListShape, items: Json[], problems: Problem[]): void {
  const keyed = !isAtomic(shape)
  const seen = keyed && items.length > 1 ? new Set<string>() : undefined
  for (const [i, item] of items.entries()) {
    if (keyed) {
      let element: string
      try {
        element = itemElement(shape, item)
      } catch (error) {
        if (!(error instanceof TypedValueError)) throw error
        problems.push({ path: '', message: `element ${i}: ${error.message}` })
        return
      }
      if (seen?.has(element)) problems.push({ path: '', message: `duplicate entries for key ${itemText(shape, item)}` })
      seen?.add(element)
    }
    const before = problems.length
    check(shape.items, item, problems)
    if (problems.length > before) prefix(problems, before, keyed ? itemText(shape, item) : `[${i}]`)
  }
}

/** `[name="c"]`, `[="x"]`: as conflicts show items, but with numbers as the configuration gives them. */
function itemText(shape: ListShape, item: Json): string {
  if (!isObject(item)) return `[=${valueText(item, goNumber)}]`
  const texts: string[] = []
  for (const name of shape.keys.toSorted()) {
    const fallback = shape.items.type === 'struct' ? shape.items.fields.get(name)?.default : undefined
    const value = Object.hasOwn(item, name) ? item[name] : (fallback ?? undefined)
    if (value !== undefined) texts.push(`${name}=${valueText(value, goNumber)}`)
  }
  return `[${texts.join(',')}]`
}

function checkScalar(shape: ScalarShape, value: Json, problems: Problem[]): void {
  const message = scalarProblem(shape, value)
  if (message !== undefined) problems.push({ path: '', message })
}

function scalarProblem(shape: ScalarShape, value: Json): string | undefined {
  switch (shape.scalar) {
    case 'integer':
    case 'number':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goPlain(value)}}`
    case 'intOrString':
      // Upstream's schema has no type here; what does not fit fails later, in the decoder.
      return undefined
    case 'string':
      if (shape.format !== undefined && shape.format !== '') return anyScalarProblem(value)
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
  return typeof value === 'object' ? `expected any scalar, got &{${goPlain(value)}}` : undefined
}
