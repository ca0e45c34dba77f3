/**
 * Validation errors of a field, with the messages of kube-apiserver.
 * A list of them becomes the causes of a 422 Invalid response (see `status.ts`).
 */
import { goFieldValue } from './go-json.ts'
import type { Json } from './json.ts'

export type FieldErrorType =
  | 'Invalid'
  | 'Required'
  | 'Duplicate'
  | 'NotFound'
  | 'NotSupported'
  | 'Forbidden'
  | 'TooLong'
  | 'TooMany'
  | 'TypeInvalid'
  | 'Internal'

export interface FieldError {
  readonly type: FieldErrorType
  /** `spec.template.spec.containers[0].name`; `[]` for errors of the whole object. */
  readonly field: string
  /** The text before the detail: `Invalid value: "x"`. */
  readonly summary: string
  readonly detail: string
}

const reasons: Record<FieldErrorType, string> = {
  Invalid: 'FieldValueInvalid',
  Required: 'FieldValueRequired',
  Duplicate: 'FieldValueDuplicate',
  NotFound: 'FieldValueNotFound',
  NotSupported: 'FieldValueNotSupported',
  Forbidden: 'FieldValueForbidden',
  TooLong: 'FieldValueTooLong',
  TooMany: 'FieldValueTooMany',
  TypeInvalid: 'FieldValueTypeInvalid',
  Internal: 'InternalError',
}

/** The `reason` of the Status cause. */
export function causeReason(error: FieldError): string {
  return reasons[error.type]
}

/** The message of the Status cause: everything except the field's path. */
export function causeMessage(error: FieldError): string {
  return error.detail === '' ? error.summary : `${error.summary}: ${error.detail}`
}

/** `path: Type: detail`, one entry of the Status message. */
export function fieldErrorMessage(error: FieldError): string {
  return `${error.field}: ${causeMessage(error)}`
}

/**
 * A response does not show more errors (`status.ts`). Checks of many items stop when they have found more, so that an
 * object with a large number of errors costs no more than it shows.
 */
export const maxErrors = 30_000

/** A value in upstream's format: strings quoted, objects as compact JSON, undefined as `null`. */
export function formatValue(value: Json | undefined): string {
  return goFieldValue(value ?? null)
}

export const fieldError = {
  invalid: (field: string, value: Json | undefined, detail: string): FieldError => ({
    type: 'Invalid',
    field,
    summary: `Invalid value: ${formatValue(value)}`,
    detail,
  }),
  required: (field: string, detail = ''): FieldError => ({
    type: 'Required',
    field,
    summary: 'Required value',
    detail,
  }),
  duplicate: (field: string, value: Json): FieldError => ({
    type: 'Duplicate',
    field,
    summary: `Duplicate value: ${formatValue(value)}`,
    detail: '',
  }),
  notFound: (field: string, value: Json): FieldError => ({
    type: 'NotFound',
    field,
    summary: `Not found: ${formatValue(value)}`,
    detail: '',
  }),
  notSupported: (field: string, value: Json | undefined, supported: readonly string[]): FieldError => ({
    type: 'NotSupported',
    field,
    summary: `Unsupported value: ${formatValue(value)}`,
    detail: supported.length === 0 ? '' : `supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}`,
  }),
  forbidden: (field: string, detail: string): FieldError => ({
    type: 'Forbidden',
    field,
    summary: 'Forbidden',
    detail,
  }),
  tooLong: (field: string, maxBytes: number): FieldError => ({
    type: 'TooLong',
    field,
    summary: 'Too long',
    detail: `may not be more than ${maxBytes} bytes`,
  }),
  tooMany: (field: string, actual: number, max: number): FieldError => ({
    type: 'TooMany',
    field,
    summary: `Too many: ${actual}`,
    detail: `must have at most ${max} items`,
  }),
  typeInvalid: (field: string, value: Json | undefined, detail: string): FieldError => ({
    type: 'TypeInvalid',
    field,
    summary: `Invalid value: ${formatValue(value)}`,
    detail,
  }),
  internal: (field: string, detail: string): FieldError => ({
    type: 'Internal',
    field,
    summary: 'Internal error',
    detail,
  }),
}

/** `spec.ports[0]` and `name` give `spec.ports[0].name`; an empty parent gives `name`. */
export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

export function indexPath(path: string, i: number): string {
  return `${path}[${i}]`
}

export function keyPath(path: string, name: string): string {
  return `${path}[${name}]`
}
