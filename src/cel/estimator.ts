/**
 * Static cost estimation: bounds of an expression's cost, from its text and the limits in the schema.
 */
import {
  accumulator,
  type CallExpr,
  type Expr,
  type FoldExpr,
  type ListExpr,
  type MapExpr,
  type SelectExpr,
} from './ast.ts'
import { listCost, mapCost, structCost } from './call-costs.ts'
import { estimateCall, type CallSizes, type EntrySize } from './call-estimates.ts'
import { addEstimates, maxCost, multiplyEstimates, unionEstimates, type Estimate } from './costs.ts'
import { codePoints, type CelType, type CelValue, type CostNode } from './library.ts'

/** The size bounds of the value at a path below a variable; undefined if they are unknown. */
export type SizeLookup = (path: readonly string[]) => Estimate | undefined

export function estimateCost(expr: Expr, sizes: SizeLookup): Estimate {
  return new Estimator(sizes).cost(expr)
}

const nothing: Estimate = { min: 0, max: 0 }
const one: Estimate = { min: 1, max: 1 }
export const unknownSize: Estimate = { min: 0, max: maxCost }

function fixed(size: number): Estimate {
  return { min: size, max: size }
}

interface Local {
  readonly path: readonly string[]
  readonly size: Estimate | undefined
  readonly entries: EntrySize | undefined
}

class Estimator implements CallSizes {
  private readonly lookup: SizeLookup
  private readonly paths = new Map<Expr, readonly string[]>()
  private readonly sizes = new Map<Expr, Estimate>()
  private readonly entrySizes = new Map<Expr, EntrySize>()
  private readonly locals = new Map<string, Local[]>()

  constructor(lookup: SizeLookup) {
    this.lookup = lookup
  }

  cost(expr: Expr): Estimate {
    switch (expr.form) {
      case 'ident':
        this.paths.set(expr, this.local(expr.name)?.path ?? [expr.name])
        return one
      case 'select':
        return this.select(expr)
      case 'call':
        return this.call(expr)
      case 'list':
        return this.list(expr)
      case 'map':
        return this.map(expr)
      case 'struct':
        return addEstimates(this.sum(expr.fields.map((field) => field.value)), fixed(structCost))
      case 'fold':
        return isBinding(expr) ? this.binding(expr) : this.fold(expr)
      default:
        return nothing
    }
  }

  private sum(exprs: readonly Expr[]): Estimate {
    return exprs.reduce((sum, expr) => addEstimates(sum, this.cost(expr)), nothing)
  }

  private select(expr: SelectExpr): Estimate {
    if (expr.resolved !== undefined) {
      this.paths.set(expr, [expr.resolved])
      return one
    }
    const cost = this.cost(expr.operand)
    if (expr.testOnly) return cost
    this.paths.set(expr, [...this.path(expr.operand), expr.field])
    const { kind } = expr.operand.type as CelType
    return kind === 'map' || kind === 'object' || kind === 'param' ? addEstimates(cost, one) : cost
  }

  private call(expr: CallExpr): Estimate {
    if (expr.name === 'dyn') {
      const arg = expr.args[0] as Expr
      const cost = addEstimates(this.cost(arg), one)
      this.setSize(expr, this.size(arg))
      this.setEntries(expr, this.entries(arg))
      return cost
    }
    const costs: Estimate[] = []
    const args = expr.args.map((arg) => {
      costs.push(this.cost(arg))
      return this.node(arg)
    })
    const overloads = expr.overloads ?? []
    if (overloads.length === 0) return nothing
    const before = expr.target === undefined ? nothing : this.cost(expr.target)
    const target = expr.target === undefined ? undefined : this.node(expr.target)
    let range: Estimate = { min: maxCost, max: 0 }
    let result: Estimate | undefined
    for (const overload of overloads) {
      const estimate = estimateCall(expr, overload, target, args, costs, this)
      range = unionEstimates(range, estimate.cost)
      const { resultSize } = estimate
      if (resultSize !== undefined) result = result === undefined ? resultSize : unionEstimates(result, resultSize)
      const link = overload.id === 'index_list' ? '@items' : overload.id === 'index_map' ? '@values' : undefined
      if (link !== undefined) {
        const indexed = expr.args[0] as Expr
        result = this.entries(indexed)?.value
        this.paths.set(expr, [...this.path(indexed), link])
      }
      result ??= this.size(expr)
    }
    this.setSize(expr, result)
    return addEstimates(before, range)
  }

  private list(expr: ListExpr): Estimate {
    let cost = nothing
    let item: Estimate = { min: expr.items.length === 0 ? 0 : maxCost, max: 0 }
    for (const part of expr.items) {
      cost = addEstimates(cost, this.cost(part))
      item = unionEstimates(item, this.sizeOrUnknown(part))
    }
    this.setEntries(expr, { kind: 'list', key: one, value: item })
    return addEstimates(cost, fixed(listCost))
  }

  private map(expr: MapExpr): Estimate {
    let cost = nothing
    const empty: Estimate = { min: expr.entries.length === 0 ? 0 : maxCost, max: 0 }
    let key = empty
    let value = empty
    for (const entry of expr.entries) {
      cost = addEstimates(cost, this.cost(entry.key))
      cost = addEstimates(cost, this.cost(entry.value))
      key = unionEstimates(key, this.sizeOrUnknown(entry.key))
      value = unionEstimates(value, this.sizeOrUnknown(entry.value))
    }
    this.setEntries(expr, { kind: 'map', key, value })
    return addEstimates(cost, fixed(mapCost))
  }

  private fold(expr: FoldExpr): Estimate {
    let cost = addEstimates(this.cost(expr.range), this.cost(expr.init))
    this.pushLocal(expr.accumulator, expr.init)
    if (expr.variable2 === undefined) {
      this.pushIteration(expr.variable, expr.range, 'single')
    } else {
      this.pushIteration(expr.variable, expr.range, 'key')
      this.pushIteration(expr.variable2, expr.range, 'value')
    }
    const condition = this.cost(expr.condition)
    const round = addEstimates(this.cost(expr.step), condition)
    this.pop(expr.variable)
    if (expr.variable2 !== undefined) this.pop(expr.variable2)
    cost = addEstimates(cost, this.cost(expr.result))
    this.pop(expr.accumulator)
    const rounds = this.sizeOrUnknown(expr.range)
    if (expr.init.form === 'literal') this.setSize(expr, this.size(expr.init))
    if (expr.init.form === 'list' || expr.init.form === 'map') {
      this.setSize(expr, rounds)
      this.setEntries(expr, this.entries(expr.step))
    }
    return addEstimates(cost, multiplyEstimates(rounds, round))
  }

  private binding(expr: FoldExpr): Estimate {
    const cost = addEstimates(this.cost(expr.range), this.cost(expr.init))
    this.pushLocal(expr.accumulator, expr.init)
    const total = addEstimates(cost, this.cost(expr.result))
    this.pop(expr.accumulator)
    this.setSize(expr, this.size(expr.result))
    this.setEntries(expr, this.entries(expr.result))
    return total
  }

  private local(name: string): Local | undefined {
    return this.locals.get(name)?.at(-1)
  }

  private push(name: string, local: Local): void {
    const known = this.locals.get(name)
    if (known === undefined) this.locals.set(name, [local])
    else known.push(local)
  }

  private pop(name: string): void {
    this.locals.get(name)?.pop()
  }

  private pushLocal(name: string, expr: Expr): void {
    this.push(name, { path: this.path(expr), entries: this.entries(expr), size: this.size(expr) })
  }

  private pushIteration(name: string, range: Expr, what: 'single' | 'key' | 'value'): void {
    const entries = this.entries(range)
    const isList = (entries?.kind ?? (range.type as CelType).kind) === 'list'
    const isValue = what === 'value' || (what === 'single' && isList)
    const link = isValue ? (isList ? '@items' : '@values') : isList ? '@indices' : '@keys'
    const size = isValue ? entries?.value : entries?.key
    this.push(name, { path: [...this.path(range), link], size, entries: undefined })
  }

  private path(expr: Expr): readonly string[] {
    return (expr.form === 'ident' ? this.local(expr.name)?.path : undefined) ?? this.paths.get(expr) ?? []
  }

  private node(expr: Expr): CostNode {
    const path = this.path(expr)
    return {
      type: expr.type as CelType,
      path: path.length === 0 || path[0] === accumulator ? undefined : path,
      literal: expr.form === 'literal' ? expr.value : undefined,
      computedSize: this.size(expr),
    }
  }

  private setSize(expr: Expr, size: Estimate | undefined): void {
    if (size !== undefined) this.sizes.set(expr, size)
  }

  setEntries(expr: Expr, entries: EntrySize | undefined): void {
    if (entries !== undefined) this.entrySizes.set(expr, entries)
  }

  entries(expr: Expr): EntrySize | undefined {
    return this.entrySizes.get(expr) ?? (expr.form === 'ident' ? this.local(expr.name)?.entries : undefined)
  }

  private size(expr: Expr): Estimate | undefined {
    const known = this.sizes.get(expr) ?? writtenSize(expr)
    if (known !== undefined) return known
    const found = this.atPath(this.path(expr))
    if (found !== undefined) {
      this.sizes.set(expr, found)
      return found
    }
    if (isScalar(expr.type as CelType)) return one
    return expr.form === 'ident' ? this.local(expr.name)?.size : undefined
  }

  private sizeOrUnknown(expr: Expr): Estimate {
    return this.size(expr) ?? unknownSize
  }

  atPath(path: readonly string[]): Estimate | undefined {
    return path.length === 0 ? undefined : this.lookup(path)
  }
}

function isBinding(expr: FoldExpr): boolean {
  return (
    expr.range.form === 'list' &&
    expr.range.items.length === 0 &&
    expr.condition.form === 'literal' &&
    expr.condition.value === false &&
    expr.accumulator !== '__result__'
  )
}

function writtenSize(expr: Expr): Estimate | undefined {
  switch (expr.form) {
    case 'literal':
      return fixed(literalSize(expr.value))
    case 'list':
      return fixed(expr.items.length)
    case 'map':
      return fixed(expr.entries.length)
    default:
      return undefined
  }
}

function literalSize(value: CelValue): number {
  if (typeof value === 'string') return codePoints(value)
  return value instanceof Uint8Array ? value.length : 1
}

/** True if all values of a type have the same size. */
function isScalar(type: CelType): boolean {
  switch (type.kind) {
    case 'bool':
    case 'double':
    case 'duration':
    case 'int':
    case 'timestamp':
    case 'uint':
      return true
    case 'opaque':
      return type.name === 'optional_type' && isScalar(type.parameters[0] as CelType)
    default:
      return false
  }
}
