/** Costs of the operators that depend on the size of their operands. */
import { addEstimates, type Estimate, scaleCost, scaleEstimate, stringTraversalFactor } from '../../costs.ts'
import {
  actualSize,
  type CallEstimate,
  type CallNode,
  CelObject,
  CelOptional,
  type CelType,
  type CelValue,
} from '../../library.ts'
import type { Costs } from '../declare.ts'

/** An optional has the size of its value. */
function operandSize(value: CelValue | undefined): number {
  let inner = value
  while (inner instanceof CelOptional) inner = inner.value
  return inner === undefined ? 1 : actualSize(inner)
}

/** Compares up to the length of the shorter operand. */
export const comparisonCosts: Costs = {
  cost: ([a, b]) => scaleCost(Math.min(operandSize(a), operandSize(b)), stringTraversalFactor),
  estimate: (call) => {
    const [a, b] = call.args
    if (a === undefined || b === undefined) return undefined
    const max = Math.min(call.sizeOf(a).max, call.sizeOf(b).max)
    return { cost: scaleEstimate({ min: max > 0 ? 1 : 0, max }, stringTraversalFactor) }
  },
}

/** Like {@link comparisonCosts}, except for values of Kubernetes' libraries, whose equality is cheap. */
export const equalityCosts: Costs = {
  cost: (args, result) => (args[0] instanceof CelObject ? 1 : (comparisonCosts.cost?.(args, result) ?? 1)),
  estimate: (call) => estimateObjects(call) ?? comparisonCosts.estimate?.(call),
}

const one: Estimate = { min: 1, max: 1 }
/** The maximum length of a format's name. */
const maxFormatSize = 64
const quick: ReadonlySet<string> = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'])

function estimateObjects({ args: [a, b] }: CallNode): CallEstimate | undefined {
  const name = a && b && sharedName(a.type, b.type)
  if (name === undefined) return undefined
  if (quick.has(name)) return { cost: one }
  if (name === 'kubernetes.NamedFormat') {
    return { cost: scaleEstimate({ min: 1, max: maxFormatSize }, stringTraversalFactor) }
  }
  if (name !== 'kubernetes.URL') return undefined
  const max = b?.computedSize?.max ?? 1
  return { cost: scaleEstimate({ min: 1, max }, stringTraversalFactor) }
}

function sharedName(a: CelType, b: CelType): string | undefined {
  if ((a.kind !== 'object' && a.kind !== 'opaque') || a.kind !== b.kind) return undefined
  return a.name === b.name ? a.name : undefined
}

function estimateSum(call: CallNode): Estimate | undefined {
  const [a, b] = call.args
  return a && b && addEstimates(call.sizeOf(a), call.sizeOf(b))
}

/** Copies both operands. */
export const concatenationCosts: Costs = {
  cost: ([a, b]) => scaleCost(operandSize(a) + operandSize(b), stringTraversalFactor),
  estimate: (call) => {
    const size = estimateSum(call)
    return size && { cost: scaleEstimate(size, stringTraversalFactor), resultSize: size }
  },
}

/** Concatenates lists without traversing them; only the size of the result is estimated. */
export const listConcatenationCosts: Costs = {
  estimate: (call) => {
    const size = estimateSum(call)
    return size && { cost: one, resultSize: size }
  },
}

/** Traverses every item. */
export const membershipCosts: Costs = {
  cost: ([, list]) => operandSize(list),
  estimate: (call) => {
    const [, list] = call.args
    return list && { cost: call.sizeOf(list) }
  },
}
