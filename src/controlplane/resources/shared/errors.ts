/** Small checks that many kinds share. Each appends to a list of field errors. */
import { fieldError, maxErrors, type FieldError } from '../../../api/field-error.ts'
import { goStructJson } from '../../../api/go-json.ts'
import { equalJson, isObject, setOwn, type Json, type JsonObject } from '../../../api/json.ts'
import { isImmutable, mustBeNonnegative, mustBePositive } from './formats.ts'

/** Adds an error several times, as upstream does. */
export function repeat(errors: FieldError[], error: FieldError, times: number): void {
  for (let i = 0; i < times && errors.length < maxErrors; i++) errors.push(error)
}

/** Adds one error for each message about the value. */
export function reject(
  errors: FieldError[],
  field: string,
  value: Json | undefined,
  messages: readonly string[],
): void {
  for (const message of messages) errors.push(fieldError.invalid(field, value, message))
}

/** An error that shows a struct with its fields in order, which for a decoded object is upstream's order. */
export function invalidStruct(field: string, value: Json | undefined, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${goStructJson(value ?? null)}`, detail }
}

export function notSupportedStruct(field: string, value: Json, supported: readonly string[]): FieldError {
  return {
    ...fieldError.notSupported(field, '', supported),
    summary: `Unsupported value: ${goStructJson(value)}`,
  }
}

export function duplicateStruct(field: string, value: Json): FieldError {
  return { ...fieldError.duplicate(field, ''), summary: `Duplicate value: ${goStructJson(value)}` }
}

export function checkNonnegative(errors: FieldError[], field: string, value: Json | undefined): void {
  if (typeof value === 'number' && value < 0) errors.push(fieldError.invalid(field, value, mustBeNonnegative))
}

export function checkPositive(errors: FieldError[], field: string, value: number): void {
  if (value <= 0) errors.push(fieldError.invalid(field, value, mustBePositive))
}

/** The value must be one of those supported; an empty one is reported as missing. */
export function checkOneOf(errors: FieldError[], field: string, value: string, supported: readonly string[]): void {
  if (value === '') errors.push(fieldError.required(field))
  else checkSupported(errors, field, value, supported)
}

export function checkSupported(errors: FieldError[], field: string, value: string, supported: readonly string[]): void {
  if (!supported.includes(value)) errors.push(fieldError.notSupported(field, value, supported))
}

/** Equality in which an empty list equals a missing one. The decoder has dropped empty maps already. */
export function sameMeaning(a: Json | undefined, b: Json | undefined): boolean {
  return equalJson(withoutEmptyLists(a ?? null), withoutEmptyLists(b ?? null))
}

function withoutEmptyLists(value: Json): Json {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(withoutEmptyLists)
  if (!isObject(value)) return value
  const kept: JsonObject = {}
  for (const [name, child] of Object.entries(value)) {
    const meant = withoutEmptyLists(child)
    if (meant !== null) setOwn(kept, name, meant)
  }
  return kept
}

/** A field that may not change. `show` returns what upstream prints for the new value, if that is not its JSON. */
export function checkImmutable(
  errors: FieldError[],
  field: string,
  value: Json | undefined,
  old: Json | undefined,
  show: (value: Json | undefined) => Json | undefined = (shown) => shown,
): void {
  if (!equalJson(value ?? null, old ?? null) && !sameMeaning(value, old))
    errors.push(invalidStruct(field, show(value), isImmutable))
}
