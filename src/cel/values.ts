/** Operations on values: equality, membership, map keys, and lists and maps that grow in place. */
import { takeSteps } from '../api/step-limit.ts'
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  listOf,
  type CelResult,
  type CelValue,
} from './library.ts'
import { noSuchOverload } from './libraries/standard/arithmetic.ts'

/** `a == b`. Values of different types are unequal, except for numbers, which compare by value. */
export function equalValues(a: CelValue, b: CelValue): boolean | CelError {
  takeSteps(typeof a === 'string' ? 5 + (a.length >> 6) : 5)
  if (a === b) return !(typeof a === 'number' && Number.isNaN(a))
  if (a === null || b === null) return false
  if (typeof a === 'string' || typeof a === 'boolean') return false
  if (typeof a === 'bigint' || typeof a === 'number') return equalNumbers(a, b)
  if (a instanceof CelList) return b instanceof CelList ? (a.equals(b) ?? equalLists(a, b)) : false
  if (a instanceof CelMap) return b instanceof CelMap ? (a.equals(b) ?? equalMaps(a, b)) : false
  if (a instanceof CelUint) return equalNumbers(a.value, b)
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b)
  if (a instanceof CelObject) return b instanceof CelObject ? equalObjects(a, b) : noSuchOverload
  return false
}

/** Integers compare exactly; if one is a double, the other is converted to a double. */
function equalNumbers(a: bigint | number, b: CelValue): boolean {
  const other = b instanceof CelUint ? b.value : b
  if (typeof other !== 'bigint' && typeof other !== 'number') return false
  if (typeof a === typeof other) return a === other
  return Number(a) === Number(other)
}

function equalOptionals(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return equalValues(a.value, b.value) === true
}

function equalObjects(a: CelObject, b: CelObject): boolean | CelError {
  if (a.type.name !== b.type.name) return noSuchOverload
  const result = a.equals(b)
  return typeof result === 'boolean' || result instanceof CelError ? result : false
}

export function equalLists(a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false
  for (let i = 0; i < a.size; i++) if (equalValues(a.at(i), b.at(i)) !== true) return false
  return true
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false
  for (const key of a.keys()) {
    const other = b.get(key)
    if (other === undefined || equalValues(a.get(key) as CelValue, other) !== true) return false
  }
  return true
}

/** `item in list`, `key in map`. */
export function contains(item: CelValue, container: CelValue): CelResult {
  if (container instanceof CelList) {
    for (let i = 0; i < container.size; i++) if (equalValues(item, container.at(i)) === true) return true
    return false
  }
  return container instanceof CelMap ? container.get(item) !== undefined : noSuchOverload
}

/** The identity of a map key: equal numbers of different types are the same key. */
export function mapKeyOf(value: CelValue): string | number | boolean | undefined {
  switch (typeof value) {
    case 'string':
      return `s${value}`
    case 'boolean':
      return value
    case 'bigint':
      return `n${value}`
    case 'number':
      return Number.isInteger(value) ? `n${BigInt(value)}` : value
    default:
      return value instanceof CelUint ? `n${value.value}` : undefined
  }
}

/** A map literal, or the result of a macro. */
export class EntryMap extends CelMap {
  private readonly entries = new Map<string | number | boolean | undefined, readonly [CelValue, CelValue]>()

  get size(): number {
    return this.entries.size
  }

  get(key: CelValue): CelValue | undefined {
    return this.entries.get(mapKeyOf(key))?.[1]
  }

  keys(): CelValue[] {
    return [...this.entries.values()].map(([key]) => key)
  }

  set(key: CelValue, value: CelValue): void {
    this.entries.set(mapKeyOf(key), [key, value])
  }

  delete(key: CelValue): void {
    this.entries.delete(mapKeyOf(key))
  }
}

/** The result of a running loop: items are appended without a copy. */
export class GrowingList extends CelList {
  private readonly items: CelValue[] = []

  get size(): number {
    return this.items.length
  }

  at(index: number): CelValue {
    return this.items[index] as CelValue
  }

  override concat(other: CelList): CelResult {
    takeSteps(2 * other.size)
    for (let i = 0; i < other.size; i++) this.items.push(other.at(i))
    return this
  }

  /** The final list, after the loop. */
  finish(): CelList {
    return listOf(this.items)
  }
}
