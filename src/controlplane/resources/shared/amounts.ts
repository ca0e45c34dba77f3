/** Arithmetic on resource lists (quantities by resource name) for limits, requests and quotas. */
import {
  addQuantities,
  compareQuantities,
  integerValue,
  parseQuantity,
  quantityText,
  subtractQuantities,
  type Quantity,
} from '../../../api/quantity.ts'
import { setOwn, type JsonObject } from '../../../api/json.ts'
import { entries, text } from './values.ts'

export type ResourceAmounts = Map<string, Quantity>

export const zero: Quantity = { unscaled: 0n, scale: 0, format: 'decimalSI' }

/** A whole number, as counts of objects are. */
export function count(value: number): Quantity {
  return { unscaled: BigInt(value), scale: 0, format: 'decimalSI' }
}

/** The quantities of a decoded resource list, in the order of their names. */
export function readAmounts(list: unknown): ResourceAmounts {
  const amounts: ResourceAmounts = new Map()
  for (const [name, value] of entries(list)) amounts.set(name, parseQuantity(text(value)))
  return amounts
}

export function writeAmounts(amounts: ResourceAmounts): JsonObject {
  const list: JsonObject = {}
  for (const name of [...amounts.keys()].sort()) setOwn(list, name, quantityText(amounts.get(name) as Quantity))
  return list
}

/** Adds `more` to `sums`, in place. */
export function addAmounts(sums: ResourceAmounts, more: ResourceAmounts): void {
  for (const [name, amount] of more) {
    const sum = sums.get(name)
    sums.set(name, sum === undefined ? amount : addQuantities(sum, amount))
  }
}

/** Sets each entry of `highest` to the maximum of both, in place. */
export function raiseAmounts(highest: ResourceAmounts, more: ResourceAmounts): void {
  for (const [name, amount] of more) {
    const present = highest.get(name)
    if (present === undefined || compareQuantities(amount, present) > 0) highest.set(name, amount)
  }
}

/** `a` − `b`, but at least zero. */
export function growth(a: ResourceAmounts, b: ResourceAmounts): ResourceAmounts {
  const result: ResourceAmounts = new Map()
  for (const [name, amount] of a) {
    const before = b.get(name)
    const difference = before === undefined ? amount : subtractQuantities(amount, before)
    result.set(name, difference.unscaled > 0n ? difference : zero)
  }
  for (const name of b.keys()) if (!result.has(name)) result.set(name, zero)
  return result
}

export function pickAmounts(amounts: ResourceAmounts, isPicked: (name: string) => boolean): ResourceAmounts {
  const picked: ResourceAmounts = new Map()
  for (const [name, amount] of amounts) if (isPicked(name)) picked.set(name, amount)
  return picked
}

/** `cpu=1,memory=2Gi`, sorted by name. */
export function amountsText(amounts: ResourceAmounts): string {
  return [...amounts.keys()]
    .sort()
    .map((name) => `${name}=${quantityText(amounts.get(name) as Quantity)}`)
    .join(',')
}

export function equalAmounts(a: ResourceAmounts, b: ResourceAmounts): boolean {
  if (a.size !== b.size) return false
  for (const [name, amount] of a) {
    const other = b.get(name)
    if (other === undefined || compareQuantities(amount, other) !== 0) return false
  }
  return true
}

/** Rounded to an integer, away from zero. */
export function wholeAmount(amount: Quantity): Quantity {
  return amount.scale >= 0 ? amount : { unscaled: integerValue(amount), scale: 0, format: amount.format }
}
