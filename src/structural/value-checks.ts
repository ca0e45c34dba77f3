/** Checks of single values: strings, numbers and enums. */
import { equalJson, type Json } from '../api/json.ts'
import { goFloat, goNumber, isInt64 } from '../api/go-format.ts'
import { found, type Findings } from './findings.ts'
import type { Schema } from './schema.ts'

/** Where the value stands, for those who complain of it. */
interface Place {
  where(): string
}

/** Only the first of length and pattern that fails is told; the format is told as well. */
export function checkString(schema: Schema, value: string, place: Place, out: Findings): void {
  const { maxLength, minLength, pattern } = schema
  if (maxLength !== undefined && !hasAtMost(value, maxLength)) {
    out.add(found.tooLong(place.where(), maxLength))
  } else if (minLength !== undefined && minLength > 0 && hasAtMost(value, minLength - 1)) {
    const path = place.where()
    out.add(found.invalid(path, value, `${path} in body should be at least ${goNumber(minLength)} chars long`))
  } else if (pattern !== undefined && !pattern.test(value)) {
    const path = place.where()
    out.add(found.invalid(path, value, `${path} in body should match '${pattern.source}'`))
  }
  if (schema.checkFormat !== undefined && !schema.checkFormat(value)) {
    out.add(found.wrongType(place.where(), schema.format, value))
  }
}

/** Counts characters, not UTF-16 units. */
function hasAtMost(text: string, max: number): boolean {
  if (text.length <= max) return true
  if (text.length > 2 * max) return false
  let count = 0
  for (const _ of text) if (++count > max) return false
  return true
}

/** Bounds are cut to whole numbers for whole values, as upstream compares in the type that the value has. */
export function checkNumber(schema: Schema, value: number, place: Place, out: Findings): void {
  if (schema.multipleOf !== undefined) checkMultiple(schema.multipleOf, value, place, out)
  const whole = isInt64(value)
  const { minimum, maximum } = schema
  if (minimum !== undefined) {
    const bound = whole ? Math.trunc(minimum) : minimum
    if (schema.exclusiveMinimum ? value <= bound : value < bound) {
      const words = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to'
      tell(`should be ${words} ${show(bound, whole)}`, value, place, out)
    }
  }
  if (maximum !== undefined) {
    const bound = whole ? Math.trunc(maximum) : maximum
    if (schema.exclusiveMaximum ? value >= bound : value > bound) {
      const words = schema.exclusiveMaximum ? 'less than' : 'less than or equal to'
      tell(`should be ${words} ${show(bound, whole)}`, value, place, out)
    }
  }
}

function checkMultiple(multipleOf: number, value: number, place: Place, out: Findings): void {
  const whole = isInt64(value)
  const factor = whole ? Math.trunc(multipleOf) : multipleOf
  if (factor <= 0) {
    const path = place.where()
    const detail = `factor MultipleOf declared for ${path} must be positive: ${show(factor, whole)}`
    out.add(found.invalid(path, factor, detail))
  } else if (whole ? value % factor !== 0 : !isWholeEnough(factor < 1 ? (1 / factor) * value : value / factor)) {
    tell(`should be a multiple of ${show(factor, whole)}`, value, place, out)
  }
}

/** Whether a float counts as a whole number: exactly, or with the small surplus that a division may leave. */
export function isWholeEnough(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const whole = Math.trunc(value)
  if (value === whole) return true
  return whole > 0 && (value - whole) / (value + whole) < 1e-9
}

function show(bound: number, whole: boolean): string {
  return whole ? goNumber(bound) : goFloat(bound)
}

function tell(words: string, value: number, place: Place, out: Findings): void {
  const path = place.where()
  out.add(found.invalid(path, value, `${path} in body ${words}`))
}

/** A fraction matches the whole number that it would be cut to, as in upstream; null never matches. */
export function matchesEnum(allowed: readonly Json[], value: Json): boolean {
  if (value === null) return false
  for (const item of allowed) {
    if (item === null) continue
    if (typeof value === 'number' && typeof item === 'number') {
      if (value === item || (isInt64(item) && Math.trunc(value) === item)) return true
    } else if (equalJson(value, item)) {
      return true
    }
  }
  return false
}
