/**
 * Validation of labels and label selectors in specs, on decoded objects: a thin layer over
 * `api/label-selector-object.ts`.
 */
import { appendAll } from '../../../api/append.ts'
import type { FieldError } from '../../../api/field-error.ts'
import {
  labelSelectorFrom,
  validateLabels,
  validateLabelSelector,
  type LabelSelector,
} from '../../../api/label-selector-object.ts'
import type { Labels, Selector } from '../../../api/label-selector.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import { reject } from './errors.ts'
import { struct } from './values.ts'

export function checkLabelKey(errors: FieldError[], field: string, key: string): void {
  reject(errors, field, key, checkQualifiedName(key))
}

/** A map of labels; all errors have the path of the map. */
export function checkLabels(errors: FieldError[], field: string, labels: unknown): void {
  const given = struct(labels)
  if (given !== undefined) appendAll(errors, validateLabels(given as Labels, field))
}

export function checkLabelSelector(errors: FieldError[], field: string, selector: unknown): void {
  const given = asSelector(selector)
  if (given !== undefined) appendAll(errors, validateLabelSelector(given, field))
}

function asSelector(value: unknown): LabelSelector | undefined {
  return struct(value)
}

/** The selector, which matches nothing if it is absent. Undefined if it is invalid. */
export function tryLabelSelector(selector: unknown): Selector | undefined {
  try {
    return labelSelectorFrom(asSelector(selector))
  } catch {
    return undefined
  }
}

export function labelMap(value: unknown): Labels | undefined {
  return struct(value) as Labels | undefined
}
