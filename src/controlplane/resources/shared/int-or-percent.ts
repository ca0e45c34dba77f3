/** Values that are a number or a percentage: `3` or `25%`. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { Json } from '../../../api/json.ts'
import { checkNonnegative, reject } from './errors.ts'
import { percent } from './formats.ts'
import { int } from './values.ts'

export function checkIntOrPercent(errors: FieldError[], field: string, value: Json | undefined): void {
  if (typeof value === 'string') reject(errors, field, value, percent(value))
  else checkNonnegative(errors, field, value)
}

function percentValue(value: Json | undefined): number | undefined {
  return typeof value === 'string' && percent(value).length === 0 ? Number(value.slice(0, -1)) : undefined
}

/** The number itself, or the percentage; 0 for text that is neither. */
export function intOrPercent(value: Json | undefined): number {
  if (typeof value !== 'string') return int(value)
  return percentValue(value) ?? (/^[+-]?\d+$/.test(value) ? Number(value) : 0)
}

export function checkAtMostAll(errors: FieldError[], field: string, value: Json | undefined): void {
  if ((percentValue(value) ?? 0) > 100) {
    errors.push(fieldError.invalid(field, value, 'must not be greater than 100%'))
  }
}
