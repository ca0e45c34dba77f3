/**
 * The syntax tree of an expression. The checker adds types and resolved functions to it, so a tree belongs to one
 * compilation.
 */
import type { CelType, CelValue, Overload } from './library.ts'

interface Node {
  /** The position that messages show. */
  readonly offset: number
  /** The nesting depth of the source text below this node, as upstream counts it. */
  readonly height: number
  /** Set by the checker. */
  type?: CelType
}

export interface LiteralExpr extends Node {
  readonly form: 'literal'
  readonly value: CelValue
}

export interface IdentExpr extends Node {
  readonly form: 'ident'
  name: string
}

export interface SelectExpr extends Node {
  readonly form: 'select'
  readonly operand: Expr
  readonly field: string
  /** `has(operand.field)`. */
  readonly testOnly: boolean
  /** Set by the checker if the whole expression is the name of a declaration. */
  resolved?: string
}

export interface CallExpr extends Node {
  readonly form: 'call'
  name: string
  /** Undefined for `name(args)`, and if the checker resolved a function with a dotted name. */
  target: Expr | undefined
  readonly args: readonly Expr[]
  /** The functions that match by static types; set by the checker. */
  overloads?: readonly Overload[]
}

export interface ListExpr extends Node {
  readonly form: 'list'
  readonly items: readonly Expr[]
  /** Positions of items that are marked with `?`. */
  readonly optional: ReadonlySet<number>
}

export interface MapEntry {
  readonly offset: number
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

export interface MapExpr extends Node {
  readonly form: 'map'
  readonly entries: readonly MapEntry[]
}

export interface StructField {
  readonly offset: number
  readonly name: string
  readonly value: Expr
  readonly optional: boolean
}

export interface StructExpr extends Node {
  readonly form: 'struct'
  name: string
  readonly fields: readonly StructField[]
}

/** The expansion of a macro: a loop with an accumulator. */
export interface FoldExpr extends Node {
  readonly form: 'fold'
  readonly range: Expr
  readonly variable: string
  /** The second variable of two-variable macros; otherwise undefined. */
  readonly variable2: string | undefined
  readonly accumulator: string
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** A part of the text that could not be parsed. */
export interface BrokenExpr extends Node {
  readonly form: 'broken'
}

export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | FoldExpr
  | BrokenExpr

export const noOptional: ReadonlySet<number> = new Set()

/** The name of the accumulator; it is not a valid identifier in an expression. */
export const accumulator = '@result'

/** `a.b.c` as one name; undefined for any other expression. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.form === 'ident') return expr.name
  if (expr.form !== 'select' || expr.testOnly) return undefined
  const prefix = qualifiedName(expr.operand)
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`
}

/** Visits an expression and all below it, parents first. */
export function visitExpr(expr: Expr, visit: (expr: Expr) => void): void {
  visit(expr)
  for (const child of childrenOf(expr)) visitExpr(child, visit)
}

/**
 * The number of nodes in an expression. Subtrees that a macro uses twice count twice, but are visited once.
 */
export function countParts(expr: Expr, known = new Map<Expr, number>()): number {
  let count = known.get(expr)
  if (count === undefined) {
    count = 1
    for (const child of childrenOf(expr)) count += countParts(child, known)
    known.set(expr, count)
  }
  return count
}

export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.form) {
    case 'select':
      return [expr.operand]
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case 'list':
      return expr.items
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value])
    case 'struct':
      return expr.fields.map((field) => field.value)
    case 'fold':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result]
    default:
      return []
  }
}
