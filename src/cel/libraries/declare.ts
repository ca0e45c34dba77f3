/** How libraries declare their functions, and the costs that many of them share. */
import { scaleCost, scaleEstimate, stringTraversalFactor } from '../costs.ts'
import {
  actualSize,
  type CallEstimate,
  type CallNode,
  type CelResult,
  type CelType,
  type CelValue,
  type CostNode,
  type FunctionDeclaration,
  type Overload,
} from '../library.ts'

/** What a call costs, and what it does before it is ever made. */
export type Costs = Pick<Overload, 'cost' | 'unsureCost' | 'estimate' | 'prepare'>

/** Its arguments are of the declared types: the evaluator has seen to it. */
type Call = (...args: never[]) => CelResult

/** `name(a, b)`. */
export function overload(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call: Call,
  costs: Costs = {},
): Overload {
  return { id, args, result, call: call as (...args: CelValue[]) => CelResult, ...costs }
}

/** `a.name(b)`: the first argument is the target. */
export function method(id: string, args: readonly CelType[], result: CelType, call: Call, costs: Costs = {}): Overload {
  return { ...overload(id, args, result, call, costs), member: true }
}

export function declare(name: string, ...overloads: Overload[]): FunctionDeclaration {
  return { name, overloads }
}

/** The target of a member call, else the first argument. */
export function subject({ target, args }: CallNode): CostNode | undefined {
  return target ?? args[0]
}

/** Reads its first argument once, or `times` as often; nothing is known of the result's size. */
export function traversal(times = 1): Costs {
  return {
    cost: (args) => Math.ceil(actualSize(args[0] as CelValue) * times * stringTraversalFactor),
    estimate: (call) => traversalEstimate(call, times),
  }
}

function traversalEstimate(call: CallNode, times: number): CallEstimate | undefined {
  const node = subject(call)
  if (node === undefined) return undefined
  return { cost: scaleEstimate(call.sizeOf(node), times * stringTraversalFactor) }
}

/** As {@link traversal}, and the result is as large as the first argument. */
export const traversalOfSameSize: Costs = {
  cost: (args) => scaleCost(actualSize(args[0] as CelValue), stringTraversalFactor),
  estimate: (call) => {
    const node = subject(call)
    if (node === undefined) return undefined
    const size = call.sizeOf(node)
    return { cost: scaleEstimate(size, stringTraversalFactor), resultSize: size }
  },
}
