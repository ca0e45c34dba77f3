/** Kubernetes' list functions: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`. */
import {
  boolType,
  bytesType,
  CelDuration,
  CelError,
  type CelList,
  type CelResult,
  type CelType,
  CelUint,
  type CelValue,
  doubleType,
  durationType,
  type FunctionDeclaration,
  intType,
  type LibraryMaker,
  listType,
  paramType,
  type Runtime,
  stringType,
  timestampType,
  uintType,
} from '../../library.ts'
import { declare, method } from '../declare.ts'
import { compareValues } from '../standard/ordering.ts'
import { searchCosts } from './costs.ts'

const comparable: readonly [string, CelType][] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
]

const summable: readonly [string, CelType, CelValue][] = [
  ['int', intType, 0n],
  ['uint', uintType, new CelUint(0n)],
  ['double', doubleType, 0],
  ['duration', durationType, new CelDuration(0n)],
]

function isSorted(list: CelList): boolean {
  for (let i = 1; i < list.size; i++) {
    if (compareValues(list.at(i - 1), list.at(i)) === 1) return false
  }
  return true
}

function sum(runtime: Runtime, zero: CelValue): (list: CelList) => CelResult {
  return (list) => {
    let total = zero
    for (let i = 0; i < list.size; i++) {
      const next = runtime.add(total, list.at(i))
      if (next instanceof CelError) return next
      total = next
    }
    return total
  }
}

/**
 * The first of the greatest items (with -1, of the least). An item that cannot be compared never replaces another.
 */
function extreme(name: string, better: 1 | -1): (list: CelList) => CelResult {
  const empty = new CelError(`${name} called on empty list`)
  return (list) => {
    if (list.size === 0) return empty
    let best = list.at(0)
    for (let i = 1; i < list.size; i++) {
      const item = list.at(i)
      if (compareValues(best, item) === better) best = item
    }
    return best
  }
}

function perComparable(
  name: string,
  overloadId: (type: string) => string,
  result: (type: CelType) => CelType,
  call: (list: CelList) => CelResult,
): FunctionDeclaration {
  return declare(
    name,
    ...comparable.map(([type, element]) =>
      method(overloadId(type), [listType(element)], result(element), call, searchCosts),
    ),
  )
}

export const kubernetesListsLibrary: LibraryMaker = (runtime) => {
  const item = paramType('A')
  const indexOf = (list: CelList, value: CelValue): bigint => {
    for (let i = 0; i < list.size; i++) if (runtime.equal(list.at(i), value)) return BigInt(i)
    return -1n
  }
  const lastIndexOf = (list: CelList, value: CelValue): bigint => {
    for (let i = list.size - 1; i >= 0; i--) if (runtime.equal(list.at(i), value)) return BigInt(i)
    return -1n
  }
  return {
    name: 'kubernetes.lists',
    functions: [
      perComparable(
        'isSorted',
        (type) => `list_${type}_is_sorted_bool`,
        () => boolType,
        isSorted,
      ),
      declare(
        'sum',
        ...summable.map(([type, element, zero]) =>
          method(`list_${type}_sum_${type}`, [listType(element)], element, sum(runtime, zero), searchCosts),
        ),
      ),
      perComparable(
        'max',
        (type) => `list_${type}_max_${type}`,
        (type) => type,
        extreme('max', -1),
      ),
      perComparable(
        'min',
        (type) => `list_${type}_min_${type}`,
        (type) => type,
        extreme('min', 1),
      ),
      declare('indexOf', method('list_a_index_of_int', [listType(item), item], intType, indexOf, searchCosts)),
      declare(
        'lastIndexOf',
        method('list_a_last_index_of_int', [listType(item), item], intType, lastIndexOf, searchCosts),
      ),
    ],
  }
}
