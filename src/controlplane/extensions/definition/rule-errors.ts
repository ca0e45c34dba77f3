/** Validation rules in a CRD must compile where they stand, and may only look at an old value that can be found again. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { getOwn, isObject, type JsonObject } from '../../../api/json.ts'
import { goQuote } from '../../../api/go-format.ts'
import { asObject, flagOf, maybeText, objectOf, objectsOf } from '../reading.ts'
import { RuleCompileError, type CompiledRule, type RuleCompiler } from '../rules/rule-engine.ts'
import { compileSchema, type Schema, type ValidationRule } from '../structural/schema.ts'
import { ruleText } from './internal-text.ts'

/** Errors of all rules of a schema that is otherwise valid. */
export function ruleErrors(path: string, source: JsonObject, compile: RuleCompiler): FieldError[] {
  const errors: FieldError[] = []
  const schema = compileSchema(source)
  if (schema.below.rules) check({ source, schema, isResource: true, lost: undefined }, path, compile, errors)
  return errors
}

interface Place {
  readonly source: JsonObject
  readonly schema: Schema
  readonly isResource: boolean
  /** The list above whose items have no counterparts in the old object. */
  readonly lost: string | undefined
}

function check({ source, schema, isResource, lost }: Place, path: string, compile: RuleCompiler, errors: FieldError[]): void {
  const members = objectOf(source, 'properties')
  for (const [name, member] of schema.properties ?? []) {
    descend(asObject(members[name]), member, lost, `${path}.properties[${name}]`, compile, errors)
  }
  const additional = getOwn(source, 'additionalProperties')
  if (isObject(additional)) {
    descend(additional, schema.additionalProperties?.schema, lost, `${path}.additionalProperties`, compile, errors)
  }
  const items = getOwn(source, 'items')
  const lostBelow = lost ?? (maybeText(source, 'x-kubernetes-list-type') === 'map' ? undefined : path)
  if (isObject(items)) descend(items, schema.items, lostBelow, `${path}.items`, compile, errors)
  objectsOf(source, 'x-kubernetes-validations').forEach((rule, i) => {
    const field = `${path}.x-kubernetes-validations[${i}]`
    checkRule(rule, schema.rules[i] as ValidationRule, { source, schema, isResource, lost }, field, compile, errors)
  })
}

function descend(
  source: JsonObject, schema: Schema | undefined, lost: string | undefined, path: string, compile: RuleCompiler,
  errors: FieldError[],
): void {
  if (schema === undefined || !schema.below.rules) return
  check({ source, schema, isResource: flagOf(source, 'x-kubernetes-embedded-resource'), lost }, path, compile, errors)
}

function checkRule(
  given: JsonObject, rule: ValidationRule, { schema, isResource, lost }: Place, field: string, compile: RuleCompiler,
  errors: FieldError[],
): void {
  let compiled: CompiledRule
  try {
    compiled = compile(rule, schema, isResource)
  } catch (error) {
    if (!(error instanceof RuleCompileError)) throw error
    errors.push(invalid(`${field}.${error.of}`, ruleText(given), error.message))
    return
  }
  if (compiled.usesOldSelf && lost !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${lost}`
    errors.push(invalid(`${field}.rule`, goQuote(rule.rule), detail))
  } else if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule'
    errors.push(fieldError.invalid(`${field}.optionalOldSelf`, rule.optionalOldSelf, detail))
  }
}

function invalid(field: string, shown: string, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${shown}`, detail }
}
