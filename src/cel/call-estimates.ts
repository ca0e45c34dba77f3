/** Cost estimates of the operators and macros of the language. Libraries estimate their own functions. */
import type { CallExpr, Expr } from './ast.ts'
import { addEstimates, maxCost, scaleEstimate, stringTraversalFactor, unionEstimates, type Estimate } from './costs.ts'
import type { CallEstimate, CallNode, CelType, CostNode, Overload } from './library.ts'

/** Size estimates of the items of a list or the entries of a map. */
export interface EntrySize {
  readonly kind: 'list' | 'map'
  readonly key: Estimate
  readonly value: Estimate
}

/** What an estimate can query about the rest of the expression. */
export interface CallSizes {
  atPath(path: readonly string[]): Estimate | undefined
  entries(expr: Expr): EntrySize | undefined
  setEntries(expr: Expr, entries: EntrySize | undefined): void
}

const one: Estimate = { min: 1, max: 1 }
const unknown: Estimate = { min: 0, max: maxCost }

function sizeOrUnknown(node: CostNode): Estimate {
  return node.computedSize ?? unknown
}

export function estimateCall(
  expr: CallExpr,
  overload: Overload,
  target: CostNode | undefined,
  args: readonly CostNode[],
  costs: readonly Estimate[],
  sizes: CallSizes,
): CallEstimate {
  const before = costs.reduce(addEstimates, { min: 0, max: 0 })
  switch (overload.id) {
    case 'logical_or':
    case 'logical_and': {
      const [left, right] = costs as [Estimate, Estimate]
      return { cost: { min: left.min, max: addEstimates(left, right).max } }
    }
    case 'conditional':
      return conditional(expr, args, costs, sizes)
    case 'add_string':
    case 'add_bytes':
    case 'add_list':
      return addition(expr, overload.id, args, before, sizes)
  }
  const own = overload.estimate?.(callNode(target, args, sizes))
  return own === undefined ? { cost: addEstimates(one, before) } : { ...own, cost: addEstimates(own.cost, before) }
}

function callNode(target: CostNode | undefined, args: readonly CostNode[], sizes: CallSizes): CallNode {
  return {
    target,
    args,
    sizeOf: (node) => node.computedSize ?? (node.path === undefined ? undefined : sizes.atPath(node.path)) ?? unknown,
    elementOf: ({ type, path }) => {
      const element = elementType(type)
      if (element === undefined) return undefined
      const below = path === undefined ? undefined : [...path, '@items']
      return { type: element, path: below, literal: undefined, computedSize: undefined }
    },
  }
}

function elementType(type: CelType): CelType | undefined {
  switch (type.kind) {
    case 'list':
      return type.element
    case 'map':
      return type.key
    case 'opaque':
      return type.parameters[0]
    default:
      return undefined
  }
}

function conditional(
  expr: CallExpr,
  args: readonly CostNode[],
  costs: readonly Estimate[],
  sizes: CallSizes,
): CallEstimate {
  const [, ifTrue, ifFalse] = args as [CostNode, CostNode, CostNode]
  const [condition, trueCost, falseCost] = costs as [Estimate, Estimate, Estimate]
  const entries = unionEntries(sizes.entries(expr.args[1] as Expr), sizes.entries(expr.args[2] as Expr))
  sizes.setEntries(expr, entries)
  return {
    cost: addEstimates(condition, unionEstimates(trueCost, falseCost)),
    resultSize: unionEstimates(sizeOrUnknown(ifTrue), sizeOrUnknown(ifFalse)),
  }
}

function addition(
  expr: CallExpr,
  id: string,
  args: readonly CostNode[],
  before: Estimate,
  sizes: CallSizes,
): CallEstimate {
  const [left, right] = args as [CostNode, CostNode]
  const resultSize = addEstimates(sizeOrUnknown(left), sizeOrUnknown(right))
  sizes.setEntries(expr, unionEntries(sizes.entries(expr.args[0] as Expr), sizes.entries(expr.args[1] as Expr)))
  const cost = id === 'add_list' ? one : scaleEstimate(resultSize, stringTraversalFactor)
  return { cost: addEstimates(cost, before), resultSize }
}

function unionEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined
  return { kind: a.kind, key: unionEstimates(a.key, b.key), value: unionEstimates(a.value, b.value) }
}
