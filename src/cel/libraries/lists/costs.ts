/** Costs of traversing a list or a string. */
import { takeSteps } from '../../../api/step-limit.ts'
import { addEstimates, multiplyEstimates, scaleEstimate, stringTraversalFactor } from '../../costs.ts'
import { type CallEstimate, type CallNode, CelList, CelMap, type CelValue } from '../../library.ts'
import type { Costs } from '../declare.ts'

/** Every leaf once: strings and bytes count their bytes, everything else counts 1. */
export function traversalCost(value: CelValue): number {
  takeSteps(3)
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * stringTraversalFactor)
  if (value instanceof Uint8Array) return Math.floor(value.length * stringTraversalFactor)
  let cost = 0
  if (value instanceof CelList) {
    for (let i = 0; i < value.size; i++) cost += traversalCost(value.at(i))
    return cost
  }
  if (value instanceof CelMap) {
    for (const key of value.keys()) cost += traversalCost(key) + traversalCost(value.get(key) as CelValue)
    return cost
  }
  return 1
}

/** Costs of `min`, `sum`, `indexOf` and similar functions, on lists and strings. */
export const searchCosts: Costs = {
  cost: ([target]) => (target === undefined ? 0 : traversalCost(target)),
  estimate: estimateSearch,
}

function estimateSearch(call: CallNode): CallEstimate | undefined {
  const { target } = call
  if (target === undefined) return undefined
  const size = call.sizeOf(target)
  const element = call.elementOf(target)
  if (element === undefined) return { cost: scaleEstimate(size, stringTraversalFactor) }
  let each = { min: 1, max: 1 }
  if (element.type.kind === 'string' || element.type.kind === 'bytes') {
    each = addEstimates(each, scaleEstimate(call.sizeOf(element), stringTraversalFactor))
  }
  return { cost: multiplyEstimates(size, each) }
}

/** Cost of a call that creates a list: a base cost, plus `factor` for each of `size` steps. */
export function allocationCost(factor: number, size: number): number {
  return Math.floor(size * factor) + 11
}

/** Cost of a call that compares every item of a list with every other. */
export function selfComparisonCost(list: CelValue): number {
  if (!(list instanceof CelList)) return 1
  const { size } = list
  if (size === 0) return allocationCost(2, 0)
  const first = list.at(0)
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + stringTraversalFactor : 2
  return allocationCost(factor, size * size)
}
