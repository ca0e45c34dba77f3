/** Findings of schema validation: errors with upstream's messages, without duplicates, and the number of matches. */
import { takeSteps } from '../api/step-limit.ts'
import type { FieldError, FieldErrorType } from '../api/field-error.ts'
import type { Json } from '../api/json.ts'
import { goNumber, goQuote } from '../api/go-format.ts'
import { goFieldValue } from '../api/go-json.ts'

export interface Finding {
  readonly type: FieldErrorType
  /** Relative to the validated value, as in `spec.ports[0]`; '' for the value itself. Undefined: no path. */
  readonly path: string | undefined
  readonly summary: string
  readonly detail: string
  /** Identifies equal findings: the same check in two branches of a schema is reported once. */
  readonly id: string
}

export class Findings {
  readonly list: Finding[] = []
  /** Number of checks that passed. Of several failed alternatives, the one with the most matches is reported. */
  matches = 0
  private seen: Set<string> | undefined

  get valid(): boolean {
    return this.list.length === 0
  }

  add(finding: Finding): void {
    takeSteps(100 + finding.id.length)
    this.seen ??= new Set()
    if (this.seen.has(finding.id)) return
    this.seen.add(finding.id)
    this.list.push(finding)
  }

  merge(other: Findings): void {
    takeSteps(10 * other.list.length)
    for (const finding of other.list) this.add(finding)
    this.matches += other.matches
  }
}

function finding(type: FieldErrorType, path: string | undefined, summary: string, detail: string, id: string): Finding {
  return { type, path, summary, detail, id }
}

function invalid(path: string | undefined, value: Json, detail: string): Finding {
  return finding('Invalid', path, `Invalid value: ${goFieldValue(value)}`, detail, detail)
}

export const found = {
  invalid,
  wrongType(path: string, expected: string, actual: string): Finding {
    const detail = `${path} in body must be of type ${expected}: ${goQuote(actual)}`
    return finding('TypeInvalid', path, `Invalid value: ${goQuote(actual)}`, detail, detail)
  },
  required: (path: string): Finding => finding('Required', path, 'Required value', '', `${path} in body is required`),
  notOneOf(path: string, value: Json, allowed: readonly Json[]): Finding {
    takeSteps(20 * allowed.length)
    const shown = allowed.map((item) => goQuote(typeof item === 'string' ? item : goFieldValue(item)))
    return finding(
      'NotSupported',
      path,
      `Unsupported value: ${goFieldValue(value)}`,
      `supported values: ${shown.join(', ')}`,
      `${path} in body should be one of ${shown.join(' ')}`,
    )
  },
  tooLong(path: string, max: number): Finding {
    const detail =
      max < 0 ? 'value is too long' : `may not be more than ${goNumber(max)} ${max === 1 ? 'byte' : 'bytes'}`
    return finding('TooLong', path, 'Too long', detail, `${path} in body should be at most ${max} chars long`)
  },
  tooMany(path: string, actual: number, max: number, of: 'items' | 'properties'): Finding {
    const detail = max < 0 ? 'has too many items' : `must have at most ${goNumber(max)} ${max === 1 ? 'item' : 'items'}`
    return finding('TooMany', path, `Too many: ${actual}`, detail, `${path} in body should have at most ${max} ${of}`)
  },
  tooCostly: (detail: string): Finding => invalid(undefined, '', detail),
  /** Failed alternatives are reported for the whole object, not for a field. */
  composite: (detail: string): Finding => invalid(undefined, '', detail),
}

/** The finding as a field error below `parent`. Without a path, its field is the parent, or `<nil>` at the root. */
export function asFieldError(it: Finding, parent: string): FieldError {
  const path = (it.path ?? '').replace(/^\./, '')
  const field = parent === '' ? path : path === '' ? parent : `${parent}.${path}`
  return { type: it.type, field: field === '' ? '<nil>' : field, summary: it.summary, detail: it.detail }
}
