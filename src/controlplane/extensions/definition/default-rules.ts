/**
 * Validation of defaults in a CRD: they must be valid, without unknown fields, and with valid metadata in embedded
 * objects.
 */
import { appendAll } from '../../../api/append.ts'
import type { FieldError } from '../../../api/field-error.ts'
import type { Json } from '../../../api/json.ts'
import { goFieldValue } from '../../../api/go-json.ts'
import { decodePart, EmbeddedError } from '../../../structural/decode.ts'
import { embeddedErrors } from '../../../structural/embedded.ts'
import { compileRules } from '../../../structural/rules/check-rules.ts'
import type { RuleCompiler } from '../../../structural/rules/rule-engine.ts'
import type { Schema } from '../../../structural/schema.ts'
import { validateValue } from '../../../structural/validate.ts'

/** Errors of all defaults of a structural schema. As upstream, skips defaults below additionalProperties. */
export function defaultErrors(path: string, schema: Schema, compileRule?: RuleCompiler): FieldError[] {
  const errors: FieldError[] = []
  check(schema, path, compileRule, errors)
  return errors
}

function check(schema: Schema, path: string, compileRule: RuleCompiler | undefined, errors: FieldError[]): void {
  if (!schema.below.defaults) return
  if (schema.default !== undefined) checkDefault(schema, schema.default, `${path}.default`, compileRule, errors)
  if (schema.items !== undefined) check(schema.items, `${path}.items`, compileRule, errors)
  for (const [name, member] of schema.properties ?? [])
    check(member, `${path}.properties[${name}]`, compileRule, errors)
}

function checkDefault(
  schema: Schema,
  value: Json,
  path: string,
  compileRule: RuleCompiler | undefined,
  errors: FieldError[],
): void {
  try {
    if (decodePart(value, schema, path).length > 0) {
      errors.push({
        type: 'Invalid',
        field: path,
        summary: `Invalid value: ${goFieldValue(value)}`,
        detail: 'must not have unknown fields',
      })
    }
  } catch (error) {
    if (!(error instanceof EmbeddedError)) throw error
    errors.push(error.error)
    return
  }
  const metadata = embeddedErrors(value, schema, path)
  const found = metadata.length > 0 ? metadata : validateValue(schema, value, { path, asDefault: true })
  const isSound = found.length === 0 && compileRule !== undefined
  appendAll(errors, isSound ? ruleErrorsOf(schema, value, path, compileRule) : found)
}

/** The validation rules must accept a default both as an unchanged and as a new value. */
function ruleErrorsOf(schema: Schema, value: Json, path: string, compileRule: RuleCompiler): FieldError[] {
  const rules = compileRules(schema, compileRule, schema.embeddedResource)
  if (rules === undefined) return []
  const check = { object: value, correlation: undefined, warn: () => {}, path }
  const kept = rules({ ...check, old: value })
  return kept.length > 0 ? kept : rules({ ...check, old: undefined })
}
