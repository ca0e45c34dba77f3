/**
 * Validation of a whole custom resource: schema, scale subresource, embedded resources, list types and CEL rules, in
 * upstream's order. Used by the server and by the schemas of operators.
 */
import { appendAll } from '../api/append.ts'
import type { FieldError } from '../api/field-error.ts'
import { goNumber } from '../api/go-format.ts'
import type { JsonObject } from '../api/json.ts'
import { Correlation } from './correlation.ts'
import { embeddedErrors } from './embedded.ts'
import { listTypeErrors } from './list-types.ts'
import { AccessError, nestedInteger, nestedText, splitPath, type ScalePaths } from './nested-values.ts'
import type { RuleChecker } from './rules/check-rules.ts'
import type { Schema } from './schema.ts'
import { validateValue } from './validate.ts'

/** A compiled schema with its other checks. */
export interface CheckedSchema {
  readonly schema: Schema
  readonly scale: ScalePaths | undefined
  /** Undefined if the schema has no CEL rules. */
  readonly rules: RuleChecker | undefined
}

/** Errors of a create (`old` is undefined) or an update. `warn` receives warnings of rules. */
export function objectErrors(
  checked: CheckedSchema,
  object: JsonObject,
  old: JsonObject | undefined,
  warn: (text: string) => void,
): FieldError[] {
  const { schema, scale } = checked
  const errors =
    old === undefined
      ? validateValue(schema, object)
      : validateValue(schema, object, { correlation: new Correlation(object, old, schema) })
  appendAll(errors, scaleErrors(object, scale, true))
  appendAll(errors, embeddedErrors(object, schema))
  const repeats = listTypeErrors(object, schema)
  appendAll(errors, old === undefined ? repeats : newRepeats(repeats, old, schema))
  return withRules(errors, checked, object, old, warn)
}

/** Duplicates are tolerated on an update if the old object already had some. */
export function newRepeats(repeats: FieldError[], old: JsonObject, schema: Schema): FieldError[] {
  return repeats.length === 0 || listTypeErrors(old, schema).length > 0 ? [] : repeats
}

const blocking = new Set(['NotSupported', 'Required', 'TooLong', 'TooMany', 'TypeInvalid'])

const unchecked: FieldError = {
  type: 'Invalid',
  field: '<nil>',
  summary: 'Invalid value: null',
  detail:
    'some validation rules were not checked because the object was invalid; ' +
    'correct the existing errors to complete validation',
}

/**
 * CEL rules are skipped if the object fails schema validation, and the response says so. `old` is undefined on create.
 */
export function withRules(
  errors: FieldError[],
  { schema, rules }: Pick<CheckedSchema, 'schema' | 'rules'>,
  object: JsonObject,
  old: JsonObject | undefined,
  warn: (text: string) => void,
): FieldError[] {
  if (!schema.below.rules) return errors
  if (errors.some((error) => blocking.has(error.type))) errors.push(unchecked)
  else if (rules !== undefined) {
    const correlation = old && new Correlation(object, old, schema)
    appendAll(errors, rules({ object, old, correlation, warn }))
  }
  return errors
}

const maxReplicas = 2147483647

export function scaleErrors(object: JsonObject, scale: ScalePaths | undefined, withSpec: boolean): FieldError[] {
  if (scale === undefined) return []
  const errors: FieldError[] = []
  if (withSpec) checkReplicas(object, scale.specReplicasPath, errors)
  checkReplicas(object, scale.statusReplicasPath, errors)
  const { labelSelectorPath } = scale
  if (labelSelectorPath !== undefined) {
    try {
      nestedText(object, splitPath(labelSelectorPath))
    } catch (error) {
      if (!(error instanceof AccessError)) throw error
      errors.push(invalid(labelSelectorPath, '""', error.message))
    }
  }
  return errors
}

function checkReplicas(object: JsonObject, path: string, errors: FieldError[]): void {
  let replicas: number
  try {
    replicas = nestedInteger(object, splitPath(path)) ?? 0
  } catch (error) {
    if (!(error instanceof AccessError)) throw error
    errors.push(invalid(path, '0', error.message))
    return
  }
  if (replicas < 0) {
    errors.push(invalid(path, goNumber(replicas), 'should be a non-negative integer'))
  } else if (replicas > maxReplicas) {
    errors.push(invalid(path, goNumber(replicas), `should be less than or equal to ${maxReplicas}`))
  }
}

function invalid(field: string, shown: string, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${shown}`, detail }
}
