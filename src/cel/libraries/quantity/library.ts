/** Kubernetes' quantity library: `quantity`, `isQuantity`, sums, comparisons and conversions to numbers. */
import { compareQuantities, QuantityError } from '../../../api/quantity.ts'
import {
  boolType,
  CelError,
  CelObject,
  type CelResult,
  type CelType,
  doubleType,
  intType,
  type Library,
  objectType,
  stringType,
} from '../../library.ts'
import { declare, method, overload, traversal } from '../declare.ts'
import {
  addCelAmounts,
  type Amount,
  approximate,
  integerAmount,
  integerOf,
  parseAmount,
  subtractCelAmounts,
} from './amount.ts'

export const quantityType = objectType('kubernetes.Quantity') as CelType & { kind: 'object' }
const noSuchOverload = new CelError('no such overload')
const noInteger = new CelError('cannot convert value to integer')

/** A mutable reference to an amount. Several values may share it. */
interface Place {
  amount: Amount
}

/**
 * A quantity, including upstream's bugs, which are visible if one value is used twice (such as a loop variable): a sum
 * also modifies a big decimal on its left, and a comparison with a big decimal turns the left side into one.
 */
export class QuantityValue extends CelObject {
  readonly type = quantityType
  readonly place: Place
  /** The result of a sum. Upstream's equality does not recognize it on the right-hand side. */
  readonly computed: boolean

  constructor(place: Place, computed = false) {
    super()
    this.place = place
    this.computed = computed
  }

  get amount(): Amount {
    return this.place.amount
  }

  equals(other: CelObject): CelResult {
    if (!(other instanceof QuantityValue) || other.computed) return noSuchOverload
    return compareQuantities(this.amount.quantity, other.amount.quantity) === 0
  }
}

function toQuantity(text: string): QuantityValue | CelError {
  try {
    return new QuantityValue({ amount: parseAmount(text) })
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message)
    throw error
  }
}

function compare(a: QuantityValue, b: QuantityValue): number {
  if (b.amount.big && !a.amount.big) a.place.amount = { ...a.amount, big: true }
  return compareQuantities(a.amount.quantity, b.amount.quantity)
}

function sign({
  amount: {
    quantity: { unscaled },
  },
}: QuantityValue): bigint {
  return unscaled === 0n ? 0n : unscaled < 0n ? -1n : 1n
}

type Sum = (a: Amount, b: Amount) => Amount
const ofTwo =
  (sum: Sum) =>
  (a: QuantityValue, b: QuantityValue): CelResult =>
    summed(a, sum(a.amount, b.amount))
const withInt =
  (sum: Sum) =>
  (a: QuantityValue, b: bigint): CelResult =>
    summed(a, sum(a.amount, integerAmount(b)))

function summed(a: QuantityValue, amount: Amount): QuantityValue {
  if (!a.amount.big) return new QuantityValue({ amount }, true)
  a.place.amount = amount
  return new QuantityValue(a.place, true)
}

const pair = [quantityType, quantityType]
const single = [quantityType]

export const quantityLibrary: Library = {
  name: 'kubernetes.quantity',
  functions: [
    declare('quantity', overload('string_to_quantity', [stringType], quantityType, toQuantity, traversal())),
    declare(
      'isQuantity',
      overload(
        'is_quantity_string',
        [stringType],
        boolType,
        (text: string) => toQuantity(text) instanceof QuantityValue,
        traversal(),
      ),
    ),
    declare('sign', overload('quantity_sign', single, intType, sign)),
    declare(
      'isGreaterThan',
      method('quantity_is_greater_than', pair, boolType, (a: QuantityValue, b: QuantityValue) => compare(a, b) > 0),
    ),
    declare(
      'isLessThan',
      method('quantity_is_less_than', pair, boolType, (a: QuantityValue, b: QuantityValue) => compare(a, b) < 0),
    ),
    declare(
      'compareTo',
      method('quantity_compare_to', pair, intType, (a: QuantityValue, b: QuantityValue) => BigInt(compare(a, b))),
    ),
    declare(
      'asApproximateFloat',
      method('quantity_get_float', single, doubleType, (a: QuantityValue) => approximate(a.amount)),
    ),
    declare(
      'asInteger',
      method('quantity_get_int', single, intType, (a: QuantityValue) => integerOf(a.amount) ?? noInteger),
    ),
    declare(
      'isInteger',
      method('quantity_is_integer', single, boolType, (a: QuantityValue) => integerOf(a.amount) !== undefined),
    ),
    declare(
      'add',
      method('quantity_add', pair, quantityType, ofTwo(addCelAmounts)),
      method('quantity_add_int', [quantityType, intType], quantityType, withInt(addCelAmounts)),
    ),
    declare(
      'sub',
      method('quantity_sub', pair, quantityType, ofTwo(subtractCelAmounts)),
      method('quantity_sub_int', [quantityType, intType], quantityType, withInt(subtractCelAmounts)),
    ),
  ],
}
