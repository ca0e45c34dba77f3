/** Checks of single values: strings, numbers and enums. */
import { equalJson, type Json } from '../api/json.ts'
import { goFloat, goNumber, isInt64 } from '../api/go-format.ts'
import { TextTooLongError } from '../api/regex.ts'
import { found, type Findings } from './findings.ts'
import type { Pattern } from './patterns.ts'
import type { Schema } from './schema.ts'

/** The path of the value, for findings. */
interface Place {
  where(): string
}

/** Reports only the first failure of length and pattern, plus a failure of the format. */
export function checkString(schema: Schema, value: string, place: Place, out: Findings): void {
  const { maxLength, minLength, pattern } = schema
  if (maxLength !== undefined && !hasAtMost(value, maxLength)) {
    out.add(found.tooLong(place.where(), maxLength))
  } else if (minLength !== undefined && minLength > 0 && hasAtMost(value, minLength - 1)) {
    const path = place.where()
    out.add(found.invalid(path, value, `${path} in body should be at least ${goNumber(minLength)} chars long`))
  } else if (pattern !== undefined) {
    checkPattern(pattern, value, place, out)
  }
  if (schema.checkFormat !== undefined && !schema.checkFormat(value)) {
    out.add(found.wrongType(place.where(), schema.format, value))
  }
}

function checkPattern(pattern: Pattern, value: string, place: Place, out: Findings): void {
  try {
    if (pattern.test(value)) return
    const path = place.where()
    out.add(found.invalid(path, value, `${path} in body should match '${pattern.source}'`))
  } catch (error) {
    if (!(error instanceof TextTooLongError)) throw error
    const path = place.where()
    out.add(found.invalid(path, value.length, `${path} in body is too long to be matched with '${pattern.source}'`))
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

/** For integers, bounds become integers of 64 bits, because upstream compares in the type of the value. */
export function checkNumber(schema: Schema, value: number, place: Place, out: Findings): void {
  if (schema.multipleOf !== undefined) checkMultiple(schema.multipleOf, value, place, out)
  const whole = isInt64(value)
  const { minimum, maximum } = schema
  if (minimum !== undefined) {
    const bound = whole ? toInt64(minimum) : minimum
    if (schema.exclusiveMinimum ? value <= bound : value < bound) {
      const words = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to'
      report(`should be ${words} ${show(bound, whole)}`, value, place, out)
    }
  }
  if (maximum !== undefined) {
    const bound = whole ? toInt64(maximum) : maximum
    if (schema.exclusiveMaximum ? value >= bound : value > bound) {
      const words = schema.exclusiveMaximum ? 'less than' : 'less than or equal to'
      report(`should be ${words} ${show(bound, whole)}`, value, place, out)
    }
  }
}

function checkMultiple(multipleOf: number, value: number, place: Place, out: Findings): void {
  const whole = isInt64(value)
  const factor = whole ? toInt64(multipleOf) : multipleOf
  if (factor <= 0) {
    const path = place.where()
    const detail = `factor MultipleOf declared for ${path} must be positive: ${show(factor, whole)}`
    out.add(found.invalid(path, factor, detail))
  } else if (whole ? value % factor !== 0 : !isWholeEnough(factor < 1 ? (1 / factor) * value : value / factor)) {
    report(`should be a multiple of ${show(factor, whole)}`, value, place, out)
  }
}

/** As Go converts a float on amd64: what does not fit becomes the lowest integer, also a `maximum` of 2^63. */
function toInt64(bound: number): number {
  const fits = bound >= -(2 ** 63) && bound < 2 ** 63
  return fits ? Math.trunc(bound) : -(2 ** 63)
}

/** True if a float counts as an integer: exactly, or within the rounding error of a division. */
export function isWholeEnough(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const whole = Math.trunc(value)
  if (value === whole) return true
  return whole > 0 && (value - whole) / (value + whole) < 1e-9
}

function show(bound: number, whole: boolean): string {
  return whole ? String(BigInt(bound)) : goFloat(bound)
}

function report(words: string, value: number, place: Place, out: Findings): void {
  const path = place.where()
  out.add(found.invalid(path, value, `${path} in body ${words}`))
}

/** A fraction matches the integer that it truncates to, as upstream does; null never matches. */
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
