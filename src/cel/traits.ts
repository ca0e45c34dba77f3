/** The types that an operator accepts as its left operand. Others are rejected before it runs, with its name. */
import { CelDuration, CelError, CelList, CelMap, CelTimestamp, CelUint, type CelValue } from './library.ts'

function isNumber(value: CelValue): boolean {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof CelUint
}

function isTime(value: CelValue): boolean {
  return value instanceof CelDuration || value instanceof CelTimestamp
}

function isText(value: CelValue): boolean {
  return typeof value === 'string' || value instanceof Uint8Array
}

const isSummand = (value: CelValue) => isNumber(value) || isText(value) || isTime(value) || value instanceof CelList
const isComparable = (value: CelValue) =>
  isNumber(value) || isText(value) || isTime(value) || typeof value === 'boolean'
const isList = (value: CelValue) => value instanceof CelList
const isSized = (value: CelValue) => isText(value) || value instanceof CelList || value instanceof CelMap

const traits: ReadonlyMap<string, (value: CelValue) => boolean> = new Map<string, (value: CelValue) => boolean>([
  ['_+_', isSummand],
  ['_-_', (value) => isNumber(value) || isTime(value)],
  ['_*_', isNumber],
  ['_/_', isNumber],
  ['_%_', (value) => isNumber(value) && typeof value !== 'number'],
  [
    '-_',
    (value) =>
      typeof value === 'bigint' ||
      typeof value === 'number' ||
      typeof value === 'boolean' ||
      value instanceof CelDuration,
  ],
  ['_<_', isComparable],
  ['_<=_', isComparable],
  ['_>_', isComparable],
  ['_>=_', isComparable],
  ['size', isSized],
  ['sort', isList],
  ['@sortByAssociatedKeys', isList],
])

/** Functions that accept any value and check types themselves. */
const unguarded = new Set(['!_', '@in', 'type', 'dyn', '_==_', '_!=_', 'flatten'])

/** Functions of two strings; their error for other types does not name the function. */
const ofTexts = new Set(['contains', 'startsWith', 'endsWith', 'matches'])

export function isUnguarded(name: string): boolean {
  return unguarded.has(name) || ofTexts.has(name) || traits.has(name)
}

/** The error of an operator that does not accept its operands. */
export function refusedBy(name: string, value: CelValue, second?: CelValue): CelError | undefined {
  const takes = traits.get(name)
  if (takes === undefined || takes(value)) {
    const refuses = ofTexts.has(name) && (typeof value !== 'string' || typeof second !== 'string')
    return refuses ? new CelError('no such overload') : undefined
  }
  const receives = typeof value === 'string' || isTime(value)
  return new CelError(receives ? 'no such overload' : `no such overload: ${name}`)
}
