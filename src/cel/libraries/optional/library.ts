/**
 * Optional values: `optional.of`, `orValue`, `first`, `last` and others. `optMap` and `optFlatMap` are macros, and `?.`
 * and `[?]` are syntax, so they are part of the language. `or` and `orValue` are lazy, so the planner handles them; the
 * functions here serve calls whose arguments are already evaluated.
 */
import {
  boolType,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  type CelResult,
  CelTimestamp,
  CelUint,
  type CelValue,
  type Library,
  listOf,
  listType,
  optionalType,
  paramType,
} from '../../library.ts'
import { declare, method, overload } from '../declare.ts'
import { toText } from '../standard/conversions.ts'

export const none = new CelOptional(undefined)
const dereferenced = new CelError('optional.none() dereference')
/** Go's zero time: midnight of the first day of year 1. */
const zeroTime = -62135596800n * 1_000_000_000n

/**
 * True if it is the zero value of its type. Objects, and values inside the validated object, never are.
 */
export function isZeroValue(value: CelValue): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true
  if (typeof value !== 'object') return false
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0 && !value.isData
  if (value instanceof CelUint) return value.value === 0n
  if (value instanceof Uint8Array) return value.length === 0
  if (value instanceof CelDuration) return value.nanos === 0n
  return value instanceof CelTimestamp && value.nanos === zeroTime
}

function item(list: CelList, index: number): CelOptional {
  return list.size === 0 ? none : new CelOptional(list.at(index))
}

function unwrap(list: CelList): CelResult {
  const found: CelValue[] = []
  for (let i = 0; i < list.size; i++) {
    const value = list.at(i)
    if (!(value instanceof CelOptional)) {
      const shown = toText(value)
      return new CelError(`value ${shown instanceof CelError ? '' : String(shown)} is not optional`)
    }
    if (value.value !== undefined) found.push(value.value)
  }
  return listOf(found)
}

const value = paramType('V')
const optional = optionalType(value)
const list = listType(value)
const optionals = listType(optional)

export const optionalLibrary: Library = {
  name: 'cel.lib.optional',
  types: [optional],
  functions: [
    declare(
      'optional.of',
      overload('optional_of', [value], optional, (of: CelValue) => new CelOptional(of)),
    ),
    declare(
      'optional.ofNonZeroValue',
      overload('optional_ofNonZeroValue', [value], optional, (of: CelValue) =>
        isZeroValue(of) ? none : new CelOptional(of),
      ),
    ),
    declare(
      'optional.none',
      overload('optional_none', [], optional, () => none),
    ),
    declare(
      'value',
      method('optional_value', [optional], value, (of: CelOptional) =>
        of.value === undefined ? dereferenced : of.value,
      ),
    ),
    declare(
      'hasValue',
      method('optional_hasValue', [optional], boolType, (of: CelOptional) => of.value !== undefined),
    ),
    declare(
      'or',
      method('optional_or_optional', [optional, optional], optional, (a: CelOptional, b: CelOptional) =>
        a.value === undefined ? b : a,
      ),
    ),
    declare(
      'orValue',
      method('optional_orValue_value', [optional, value], value, (a: CelOptional, b: CelValue) =>
        a.value === undefined ? b : a.value,
      ),
    ),
    declare(
      'last',
      method('list_last', [list], optional, (all: CelList) => item(all, all.size - 1)),
    ),
    declare(
      'first',
      method('list_first', [list], optional, (all: CelList) => item(all, 0)),
    ),
    declare('optional.unwrap', overload('optional_unwrap', [optionals], list, unwrap)),
    declare('unwrapOpt', method('optional_unwrapOpt', [optionals], list, unwrap)),
  ],
}
