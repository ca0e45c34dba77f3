/**
 * The operators as functions, with the parser's names. Lazy operators (`&&`, `||`, `?:`) and those that are part of an
 * attribute chain (`[...]`, `.?`) are declared only for the type check; the planner implements them.
 */
import {
  boolType,
  bytesType,
  CelError,
  CelList,
  CelMap,
  type CelResult,
  type CelType,
  type CelValue,
  doubleType,
  durationType,
  dynType,
  type FunctionDeclaration,
  intType,
  type LibraryMaker,
  listType,
  mapType,
  optionalType,
  type Overload,
  paramType,
  type Runtime,
  stringType,
  timestampType,
  uintType,
} from '../../library.ts'
import { type Costs, declare, overload } from '../declare.ts'
import { add, divide, modulo, multiply, negate, noSuchOverload, subtract } from './arithmetic.ts'
import {
  comparisonCosts,
  concatenationCosts,
  equalityCosts,
  listConcatenationCosts,
  membershipCosts,
} from './operator-costs.ts'
import { compareValues, type Order } from './ordering.ts'

const planned = (): CelResult => noSuchOverload

type Binary = (a: CelValue, b: CelValue) => CelResult

function binary(id: string, a: CelType, b: CelType, result: CelType, run: Binary, costs?: Costs): Overload {
  return overload(id, [a, b], result, run, costs)
}

const same = (id: string, type: CelType, run: Binary, costs?: Costs) => binary(id, type, type, type, run, costs)

const a = paramType('A')
const b = paramType('B')
const listOfA = listType(a)
const mapOfAB = mapType(a, b)

const logic: readonly FunctionDeclaration[] = [
  declare('_?_:_', overload('conditional', [boolType, a, a], a, planned)),
  declare('_&&_', binary('logical_and', boolType, boolType, boolType, planned)),
  declare('_||_', binary('logical_or', boolType, boolType, boolType, planned)),
  declare(
    '!_',
    overload('logical_not', [boolType], boolType, (value: CelValue) =>
      typeof value === 'boolean' ? !value : noSuchOverload,
    ),
  ),
  declare(
    '@not_strictly_false',
    overload('not_strictly_false', [boolType], boolType, (value: CelValue) =>
      typeof value === 'boolean' ? value : true,
    ),
  ),
]

const arithmetic: readonly FunctionDeclaration[] = [
  declare(
    '_+_',
    same('add_bytes', bytesType, add, concatenationCosts),
    same('add_double', doubleType, add),
    same('add_duration_duration', durationType, add),
    binary('add_duration_timestamp', durationType, timestampType, timestampType, add),
    binary('add_timestamp_duration', timestampType, durationType, timestampType, add),
    same('add_int64', intType, add),
    same('add_list', listOfA, add, listConcatenationCosts),
    same('add_string', stringType, add, concatenationCosts),
    same('add_uint64', uintType, add),
  ),
  declare(
    '_/_',
    same('divide_double', doubleType, divide),
    same('divide_int64', intType, divide),
    same('divide_uint64', uintType, divide),
  ),
  declare('_%_', same('modulo_int64', intType, modulo), same('modulo_uint64', uintType, modulo)),
  declare(
    '_*_',
    same('multiply_double', doubleType, multiply),
    same('multiply_int64', intType, multiply),
    same('multiply_uint64', uintType, multiply),
  ),
  declare(
    '-_',
    overload('negate_double', [doubleType], doubleType, negate),
    overload('negate_int64', [intType], intType, negate),
  ),
  declare(
    '_-_',
    same('subtract_double', doubleType, subtract),
    same('subtract_duration_duration', durationType, subtract),
    same('subtract_int64', intType, subtract),
    binary('subtract_timestamp_duration', timestampType, durationType, timestampType, subtract),
    binary('subtract_timestamp_timestamp', timestampType, timestampType, durationType, subtract),
    same('subtract_uint64', uintType, subtract),
  ),
]

/** Ordered types, by the suffixes of their overload ids. */
const ordered: readonly (readonly [string, CelType, CelType, Costs?])[] = [
  ['bool', boolType, boolType],
  ['int64', intType, intType],
  ['int64_double', intType, doubleType],
  ['int64_uint64', intType, uintType],
  ['uint64', uintType, uintType],
  ['uint64_double', uintType, doubleType],
  ['uint64_int64', uintType, intType],
  ['double', doubleType, doubleType],
  ['double_int64', doubleType, intType],
  ['double_uint64', doubleType, uintType],
  ['string', stringType, stringType, comparisonCosts],
  ['bytes', bytesType, bytesType, comparisonCosts],
  ['timestamp', timestampType, timestampType],
  ['duration', durationType, durationType],
]

function relation(name: string, id: string, holds: (order: Order) => boolean): FunctionDeclaration {
  const run = (x: CelValue, y: CelValue): CelResult => {
    const order = compareValues(x, y)
    return order instanceof CelError ? order : holds(order)
  }
  return declare(
    name,
    ...ordered.map(([end, left, right, costs]) => binary(`${id}_${end}`, left, right, boolType, run, costs)),
  )
}

const relations: readonly FunctionDeclaration[] = [
  relation('_<_', 'less', (order) => order < 0),
  relation('_<=_', 'less_equals', (order) => order <= 0),
  relation('_>_', 'greater', (order) => order > 0),
  relation('_>=_', 'greater_equals', (order) => order >= 0),
]

const k = paramType('K')
const v = paramType('V')
const optionalV = optionalType(v)
const listOfV = listType(v)
const mapOfKV = mapType(k, v)

const indexing: readonly FunctionDeclaration[] = [
  declare(
    '_[_]',
    binary('index_list', listOfA, intType, a, planned),
    binary('index_map', mapOfAB, a, b, planned),
    binary('optional_list_index_int', optionalType(listOfV), intType, optionalV, planned),
    binary('optional_map_index_value', optionalType(mapOfKV), k, optionalV, planned),
  ),
  declare('_?._', binary('select_optional_field', dynType, stringType, optionalV, planned)),
  declare(
    '_[?_]',
    binary('list_optindex_optional_int', listOfV, intType, optionalV, planned),
    binary('optional_list_optindex_optional_int', optionalType(listOfV), intType, optionalV, planned),
    binary('map_optindex_optional_value', mapOfKV, k, optionalV, planned),
    binary('optional_map_optindex_optional_value', optionalType(mapOfKV), k, optionalV, planned),
  ),
]

function membership(runtime: Runtime): FunctionDeclaration {
  const run = (item: CelValue, container: CelValue): CelResult => {
    if (container instanceof CelMap) return container.get(item) !== undefined
    if (!(container instanceof CelList)) return noSuchOverload
    for (let i = 0; i < container.size; i++) if (runtime.equal(item, container.at(i))) return true
    return false
  }
  return declare(
    '@in',
    binary('in_list', a, listOfA, boolType, run, membershipCosts),
    binary('in_map', a, mapOfAB, boolType, run),
  )
}

function differ(runtime: Runtime): Binary {
  return (x, y) => {
    const equal = runtime.equals(x, y)
    return equal instanceof CelError ? equal : !equal
  }
}

function equality(runtime: Runtime): readonly FunctionDeclaration[] {
  return [
    declare(
      '_==_',
      binary('equals', a, a, boolType, (x, y) => runtime.equals(x, y), equalityCosts),
    ),
    declare('_!=_', binary('not_equals', a, a, boolType, differ(runtime), comparisonCosts)),
  ]
}

export const operatorsLibrary: LibraryMaker = (runtime) => ({
  name: 'operators',
  functions: [...logic, ...equality(runtime), ...arithmetic, ...relations, ...indexing, membership(runtime)],
})
