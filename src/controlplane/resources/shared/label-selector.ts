/**
 * Labels and label selectors inside specs, on decoded objects: a thin layer over
 * `api/label-selector-object.ts`.
 */
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

/** A map of labels; all errors name the map itself. */
export function checkLabels(errors: FieldError[], field: string, labels: unknown): void {
  const given = struct(labels)
  if (given !== undefined) errors.push(...validateLabels(given as Labels, field))
}

export function checkLabelSelector(errors: FieldError[], field: string, selector: unknown): void {
  const given = asSelector(selector)
  if (given !== undefined) errors.push(...validateLabelSelector(given, field))
}

function asSelector(value: unknown): LabelSelector | undefined {
  return struct(value)
}

/** What a selector matches: nothing when there is none. Undefined when it is not valid. */
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
