/** How libraries declare their functions, and cost functions that many of them share. */
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

/** The cost of a call, and its check when a program is created. */
export type Costs = Pick<Overload, 'cost' | 'unsureCost' | 'estimate' | 'prepare'>

/** The evaluator guarantees that arguments have the declared types. */
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

/** The target of a member call, otherwise the first argument. */
export function subject({ target, args }: CallNode): CostNode | undefined {
  return target ?? args[0]
}

/** Traverses the first argument `times` times; the size of the result is unknown. */
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

/** Like {@link traversal}; the result has the size of the first argument. */
export const traversalOfSameSize: Costs = {
  cost: (args) => scaleCost(actualSize(args[0] as CelValue), stringTraversalFactor),
  estimate: (call) => {
    const node = subject(call)
    if (node === undefined) return undefined
    const size = call.sizeOf(node)
    return { cost: scaleEstimate(size, stringTraversalFactor), resultSize: size }
  },
}
