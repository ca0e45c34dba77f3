/**
 * Quantities as CEL sees them. Upstream represents small ones as a 64-bit integer with a power of ten and others as big
 * decimals, and only the former can be integers: `quantity('1.5Ki').isInteger()` is false although 1536 is an integer.
 */
import { takeSteps } from '../../../api/step-limit.ts'
import { addQuantities, parseQuantity, type Quantity, subtractQuantities } from '../../../api/quantity.ts'
import { isInt64Range } from '../standard/go-numbers.ts'

export interface Amount {
  readonly quantity: Quantity
  /** Represented as a big decimal. */
  readonly big: boolean
}

const form = /^[+-]?0*([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE])i|[numkMGTPE]|[eE]([-+]?[0-9]+))?$/
const binarySuffixes = 'KMGTPE'

const maxInt64 = 2n ** 63n - 1n
/** Larger powers of ten are not computed: no double is that large. */
const maxPower = 500

/** Throws a QuantityError. */
export function parseAmount(text: string): Amount {
  takeSteps(40 + 2 * text.length)
  const quantity = parseQuantity(text)
  return isBig(text, quantity) ? { quantity: inBillionths(quantity), big: true } : { quantity, big: false }
}

/**
 * Big decimals are rounded to billionths and then have that scale; a truncated value does not.
 */
function inBillionths(quantity: Quantity): Quantity {
  const { unscaled, scale, format } = quantity
  const isCut = scale === 0 && format === 'binarySI' && (unscaled === maxInt64 || unscaled === -maxInt64)
  if (scale <= -9 || scale > maxPower || isCut) return quantity
  return { unscaled: unscaled * 10n ** BigInt(scale + 9), scale: -9, format }
}

function isBig(text: string, quantity: Quantity): boolean {
  const found = form.exec(text)
  const integer = found?.[1] || '0'
  const fraction = found?.[2] ?? ''
  const suffix = found?.[3]
  if (suffix !== undefined) {
    const exponent = 10 * (binarySuffixes.indexOf(suffix) + 1)
    return fraction !== '' || 14 - integer.length - Math.floor((exponent * 3) / 10) < 0
  }
  return integer.length + fraction.length > 18 || isRounded(quantity, fraction, found?.[4])
}

/** True if the text has digits beyond billionths. */
function isRounded({ scale, format }: Quantity, fraction: string, exponent: string | undefined): boolean {
  if (format === 'decimalExponent') return Number(exponent ?? 0) - fraction.length < -9
  return fraction.length > 9 && scale >= -9 && fraction.length > -scale
}

export function integerAmount(value: bigint): Amount {
  return { quantity: { unscaled: value, scale: 0, format: 'decimalExponent' }, big: false }
}

export function addCelAmounts(a: Amount, b: Amount): Amount {
  const quantity = addQuantities(a.quantity, b.quantity)
  return { quantity, big: a.big || b.big || overflows(a.quantity, b.quantity, quantity) }
}

export function subtractCelAmounts(a: Amount, b: Amount): Amount {
  const quantity = subtractQuantities(a.quantity, b.quantity)
  return { quantity, big: a.big || b.big || overflows(a.quantity, b.quantity, quantity) }
}

/** True if the operands at their common scale, or the sum, do not fit in 64 bits. */
function overflows(a: Quantity, b: Quantity, sum: Quantity): boolean {
  if (a.unscaled === 0n || b.unscaled === 0n) return false
  const scale = Math.min(a.scale, b.scale)
  return !isInt64Range(sum.unscaled) || !fits(a, scale) || !fits(b, scale)
}

function fits({ unscaled, scale }: Quantity, to: number): boolean {
  const power = scale - to
  return power < 20 && isInt64Range(unscaled * 10n ** BigInt(power))
}

/** Undefined if it is not an integer, or upstream does not recognize it as one. */
export function integerOf({ quantity: { unscaled, scale }, big }: Amount): bigint | undefined {
  if (big || scale < 0) return undefined
  if (scale === 0 || unscaled === 0n) return unscaled
  if (scale > 19) return undefined
  const value = unscaled * 10n ** BigInt(scale)
  return isInt64Range(value) ? value : undefined
}

/** The nearest double, except for the last bits: the power of ten is rounded before the multiplication. */
export function approximate({ quantity: { unscaled, scale } }: Amount): number {
  const base = Number(unscaled)
  return scale === 0 ? base : base * powerOfTen(scale)
}

/** The product of two factors, as Go computes it. */
function powerOfTen(exponent: number): number {
  if (exponent < -323) return 0
  if (exponent > 308) return Infinity
  const size = Math.abs(exponent)
  const small = Number(`1e${size % 32}`)
  const large = size - (size % 32)
  return exponent < 0 ? Number(`1e-${large}`) / small : Number(`1e${large}`) * small
}
