/**
 * cel-go's list functions, version 3: `slice`, `flatten`, `sort`, `distinct`, `reverse`, `lists.range`.
 */
import { takeSteps } from '../../../api/step-limit.ts'
import {
  addEstimates,
  type Estimate,
  maxCost,
  multiplyEstimates,
  scaleEstimate,
  stringTraversalFactor,
} from '../../costs.ts'
import {
  actualSize,
  boolType,
  bytesType,
  type CallEstimate,
  type CallNode,
  CelError,
  CelList,
  type CelResult,
  type CelType,
  CelTimestamp,
  CelDuration,
  CelUint,
  type CelValue,
  type CostNode,
  doubleType,
  durationType,
  dynType,
  intType,
  type LibraryMaker,
  listOf,
  listType,
  paramType,
  type Runtime,
  stringType,
  timestampType,
  uintType,
} from '../../library.ts'
import { type Costs, declare, method, overload } from '../declare.ts'
import { compareValues } from '../standard/ordering.ts'
import { typeNameOf } from '../standard/type-names.ts'
import { allocationCost, selfComparisonCost } from './costs.ts'

/** All comparable types, by their names in overload ids. */
const comparable: readonly [string, CelType][] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['google.protobuf.Duration', durationType],
  ['google.protobuf.Timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
]

function items(list: CelList, from = 0, to = list.size): CelValue[] {
  const found: CelValue[] = []
  takeSteps(4 * (to - from))
  for (let i = from; i < to; i++) found.push(list.at(i))
  return found
}

function slice(list: CelList, start: bigint, end: bigint): CelResult {
  const call = `cannot slice(${start}, ${end})`
  if (start < 0n || end < 0n) return new CelError(`${call}, negative indexes not supported`)
  if (start > end) return new CelError(`${call}, start index must be less than or equal to end index`)
  if (BigInt(list.size) < end) return new CelError(`${call}, list is length ${list.size}`)
  return listOf(items(list, Number(start), Number(end)))
}

/** Called with arguments of any type: checks them itself. */
function flatten(list: CelValue, depth?: CelValue): CelResult {
  if (!(list instanceof CelList) || (depth !== undefined && typeof depth !== 'bigint')) {
    const args = depth === undefined ? '' : typeNameOf(depth)
    return new CelError(`no such overload: ${typeNameOf(list)}.flatten(${args})`)
  }
  if (depth !== undefined && depth < 0n) return new CelError('level must be non-negative')
  const found: CelValue[] = []
  flattenInto(found, list, depth ?? 1n)
  return listOf(found)
}

function flattenInto(found: CelValue[], list: CelList, depth: bigint): void {
  takeSteps(5 + 5 * list.size)
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i)
    if (item instanceof CelList && depth > 0n) flattenInto(found, item, depth - 1n)
    else found.push(item)
  }
}

/** 0 to n-1; items are computed on access. */
class Range extends CelList {
  readonly size: number

  constructor(size: number) {
    super()
    this.size = size
  }

  at(index: number): CelValue {
    return BigInt(index)
  }
}

function isComparable(value: CelValue): boolean {
  if (value === null) return false
  if (typeof value !== 'object') return true
  return (
    value instanceof CelUint ||
    value instanceof Uint8Array ||
    value instanceof CelTimestamp ||
    value instanceof CelDuration
  )
}

function sortByKeys(list: CelList, keys: CelList): CelResult {
  if (list.size !== keys.size) {
    return new CelError(
      '@sortByAssociatedKeys() expected a list of the same size as the associated keys list, ' +
        `but got ${list.size} and ${keys.size} elements respectively`,
    )
  }
  if (list.size === 0) return list
  const first = keys.at(0)
  if (!isComparable(first)) return new CelError('list elements must be comparable')
  const type = typeNameOf(first)
  takeSteps(10 * keys.size)
  const order: number[] = []
  for (let i = 0; i < keys.size; i++) {
    if (typeNameOf(keys.at(i)) !== type) return new CelError('list elements must have the same type')
    order.push(i)
  }
  order.sort((a, b) => {
    const compared = compareValues(keys.at(a), keys.at(b))
    return compared instanceof CelError ? 0 : compared
  })
  return listOf(order.map((index) => list.at(index)))
}

function distinct(runtime: Runtime): (list: CelList) => CelResult {
  return (list) => {
    const found: CelValue[] = []
    for (let i = 0; i < list.size; i++) {
      const item = list.at(i)
      if (!found.some((other) => runtime.equal(item, other))) found.push(item)
    }
    return list.size === 0 ? list : listOf(found)
  }
}

function estimateAllocation(factor: number, size: Estimate): CallEstimate {
  return { cost: addEstimates(scaleEstimate(size, factor), { min: 11, max: 11 }), resultSize: size }
}

function literalSize(node: CostNode | undefined, otherwise: number): number {
  if (typeof node?.literal !== 'bigint') return otherwise
  return node.literal < 0n ? 0 : Number(node.literal)
}

function fixed(size: number): Estimate {
  return { min: size, max: size }
}

const outputCosts = (estimate: (call: CallNode) => CallEstimate | undefined): Costs => ({
  cost: (_args, result) => allocationCost(1, actualSize(result)),
  estimate,
})

const sliceCosts = outputCosts((call) => {
  if (call.target === undefined) return undefined
  const start = literalSize(call.args[0], 0)
  const end = literalSize(call.args[1], call.sizeOf(call.target).max)
  return estimateAllocation(1, fixed(end >= start ? end - start : maxCost + end - start))
})

const flattenCosts: Costs = {
  cost: ([list, depth]) => {
    const factor = typeof depth === 'bigint' ? Number(depth) : 1
    return allocationCost(factor, actualSize(list as CelValue))
  },
  estimate: (call) => {
    if (call.target === undefined) return undefined
    const depth = call.args.length === 0 ? 1 : literalSize(call.args[0], maxCost)
    return estimateAllocation(depth, call.sizeOf(call.target))
  },
}

function comparisonEstimate(call: CallNode, node: CostNode | undefined, factor: number): CallEstimate | undefined {
  if (node === undefined) return undefined
  const size = call.sizeOf(node)
  return estimateAllocation(factor, multiplyEstimates(size, size))
}

function sortFactor(key: CelType): number {
  return key.kind === 'string' || key.kind === 'bytes' ? 2 + stringTraversalFactor : 2
}

/** `on`: the index of the argument that has the sort keys; the target is 0. */
function sortCosts(on: 0 | 1, key: CelType): Costs {
  return {
    cost: (args) => selfComparisonCost(args[on] as CelValue),
    estimate: (call) => comparisonEstimate(call, on === 0 ? call.target : call.args[0], sortFactor(key)),
  }
}

export const extendedListsLibrary: LibraryMaker = (runtime) => {
  const list = listType(paramType('T'))
  const lists = listType(list)
  const anyList = listType(dynType)
  return {
    name: 'cel.lib.ext.lists',
    functions: [
      declare('slice', method('list_slice', [list, intType, intType], list, slice, sliceCosts)),
      declare(
        'flatten',
        method('list_flatten', [lists], list, flatten, flattenCosts),
        method('list_flatten_int', [anyList, intType], anyList, flatten, flattenCosts),
      ),
      declare(
        'sort',
        ...comparable.map(([name, key]) =>
          method(
            `list_${name}_sort`,
            [listType(key)],
            listType(key),
            (keys: CelList) => sortByKeys(keys, keys),
            sortCosts(0, key),
          ),
        ),
      ),
      declare(
        '@sortByAssociatedKeys',
        ...comparable.map(([name, key]) =>
          method(`list_${name}_sortByAssociatedKeys`, [list, listType(key)], list, sortByKeys, sortCosts(1, key)),
        ),
      ),
      declare(
        'lists.range',
        overload(
          'lists_range',
          [intType],
          listType(intType),
          (size: bigint) => new Range(size < 0n ? 0 : Number(size)),
          outputCosts((call) => estimateAllocation(1, fixed(literalSize(call.args[0], maxCost)))),
        ),
      ),
      declare(
        'reverse',
        method(
          'list_reverse',
          [list],
          list,
          (all: CelList) => listOf(items(all).reverse()),
          outputCosts((call) => call.target && estimateAllocation(1, call.sizeOf(call.target))),
        ),
      ),
      declare(
        'distinct',
        method('list_distinct', [list], list, distinct(runtime), {
          cost: ([all]) => selfComparisonCost(all as CelValue),
          estimate: (call) => comparisonEstimate(call, call.target, 2),
        }),
      ),
    ],
  }
}
