/**
 * Label selectors written as objects, as in `spec.selector` of a Deployment: conversion to a {@link Selector}
 * and validation with upstream's messages.
 */
import { appendAll } from './append.ts'
import { childPath, fieldError, indexPath, maxErrors, type FieldError } from './field-error.ts'
import { goQuote } from './go-format.ts'
import {
  joinErrors,
  requirementErrors,
  type LabelRequirement,
  type Labels,
  type SelectorOperator,
} from './label-requirement.ts'
import { everything, nothing, selectorFromRequirements, type Selector } from './label-selector.ts'
import { checkLabelValue, checkQualifiedName } from './names.ts'
import { apiError } from './status.ts'

export interface LabelSelector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

export interface LabelSelectorRequirement {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | (string & {})
  readonly values?: readonly string[]
}

const operators: ReadonlyMap<string, SelectorOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

/**
 * The selector that the object describes: undefined matches nothing, an empty object matches everything.
 * Throws a 400 if it is invalid, which cannot happen for validated objects.
 */
export function labelSelectorFrom(selector: LabelSelector | null | undefined): Selector {
  if (selector === null || selector === undefined) return nothing
  const requirements: LabelRequirement[] = []
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push(checked({ key, operator: '=', values: [value] }))
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = operators.get(operator)
    if (known === undefined) {
      throw apiError.badRequest(`${goQuote(operator)} is not a valid label selector operator`)
    }
    requirements.push(checked({ key, operator: known, values: values ?? [] }))
  }
  return requirements.length === 0 ? everything : selectorFromRequirements(requirements)
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const errors = requirementErrors(requirement)
  if (errors.length > 0) throw apiError.badRequest(joinErrors(errors))
  return requirement
}

/** `path` is the selector's field: `spec.selector`. An undefined selector has no errors. */
export function validateLabelSelector(selector: LabelSelector | null | undefined, path: string): FieldError[] {
  if (selector === null || selector === undefined) return []
  const errors = validateLabels(selector.matchLabels, childPath(path, 'matchLabels'))
  selector.matchExpressions?.forEach((requirement, i) => {
    appendAll(errors, validateRequirement(requirement, indexPath(childPath(path, 'matchExpressions'), i)))
  })
  return errors
}

function validateRequirement(requirement: LabelSelectorRequirement, path: string): FieldError[] {
  const { key, operator, values = [] } = requirement
  const errors: FieldError[] = []
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'"
    if (values.length === 0) errors.push(fieldError.required(childPath(path, 'values'), detail))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
    if (values.length > 0) errors.push(fieldError.forbidden(childPath(path, 'values'), detail))
  } else {
    errors.push(fieldError.invalid(childPath(path, 'operator'), operator ?? '', 'not a valid selector operator'))
  }
  for (const detail of checkQualifiedName(key ?? '')) {
    errors.push(fieldError.invalid(childPath(path, 'key'), key ?? '', detail))
  }
  values.forEach((value, i) => {
    const at = indexPath(childPath(path, 'values'), i)
    for (const detail of checkLabelValue(value)) errors.push(fieldError.invalid(at, value, detail))
  })
  return errors
}

/** Validates label keys and values; all errors have `path` as their field, without the key. */
export function validateLabels(labels: Labels | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const key in labels) {
    if (errors.length > maxErrors) break
    const value = labels[key] as string
    for (const detail of checkQualifiedName(key)) errors.push(fieldError.invalid(path, key, detail))
    for (const detail of checkLabelValue(value)) errors.push(fieldError.invalid(path, value, detail))
  }
  return errors
}
