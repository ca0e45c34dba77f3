/**
 * Runs the rules of a schema on an object: walks the values, finds the old value of each and reports failures as field
 * errors.
 */
import type { FieldError } from '../../api/field-error.ts'
import { getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { limitSteps, StepLimitExceeded } from '../../api/step-limit.ts'
import { findField } from '../field-path.ts'
import { goFieldValue } from '../../api/go-json.ts'
import { Correlation } from '../correlation.ts'
import type { Schema, ValidationRule } from '../schema.ts'
import {
  maxObjectCost,
  RuleCompileError,
  RuleFailure,
  type CompiledRule,
  type RuleBudget,
  type RuleCompiler,
} from './rule-engine.ts'

export interface RuleCheck {
  readonly object: Json
  /** The object before the write; undefined on creation. */
  readonly old: Json | undefined
  readonly correlation: Correlation | undefined
  /** Called with failures that are tolerated because the value did not change. */
  readonly warn: (text: string) => void
  /** The path of the object; '' or absent for a whole object. */
  readonly path?: string
}

export type RuleChecker = (check: RuleCheck) => FieldError[]

/** Compiles all rules of a schema; undefined when it has none. */
export function compileRules(schema: Schema, compile: RuleCompiler, isResource = true): RuleChecker | undefined {
  const root = ruleNode(schema, compile, isResource)
  if (root === undefined) return undefined
  return ({ object, old, correlation, warn, path = '' }) => {
    const run: Run = { errors: [], budget: { remaining: maxObjectCost }, warn }
    try {
      limitSteps(() => visit(root, object, old, path, { current: correlation, parent: undefined }, run))
    } catch (error) {
      if (error instanceof StepLimitExceeded) {
        run.errors.push(failed('<nil>', schema, noRule, new RuleFailure('budget', '')))
      } else if (!(error instanceof Exhausted)) throw error
    }
    return run.errors
  }
}

const noRule: ValidationRule = {
  rule: '',
  message: '',
  messageExpression: '',
  reason: '',
  fieldPath: '',
  optionalOldSelf: undefined,
}

interface RuleNode {
  readonly schema: Schema
  readonly rules: readonly NodeRule[]
  /** True if any of the rules uses `oldSelf`: only then can messages use it. */
  readonly usesOldSelf: boolean
  readonly properties: ReadonlyMap<string, RuleNode>
  readonly items: RuleNode | undefined
  readonly additional: RuleNode | undefined
}

interface NodeRule {
  readonly rule: ValidationRule
  /** The error message if the rule does not compile. */
  readonly compiled: CompiledRule | string
  /** `fieldPath` in the notation of field errors; '' if there is none. */
  readonly below: string
}

function ruleNode(schema: Schema | undefined, compile: RuleCompiler, isResource: boolean): RuleNode | undefined {
  if (schema === undefined || !schema.below.rules) return undefined
  if (schema.type === '' && !schema.intOrString) return undefined
  const properties = new Map<string, RuleNode>()
  for (const [name, member] of schema.properties ?? []) {
    const node = ruleNode(member, compile, member.embeddedResource)
    if (node !== undefined) properties.set(name, node)
  }
  const rules = schema.rules
    .filter((rule) => rule.rule.trim() !== '')
    .map((rule) => ({ rule, compiled: compileOne(rule, schema, isResource, compile), below: belowOf(rule, schema) }))
  return {
    schema,
    rules,
    usesOldSelf: rules.some(({ compiled }) => typeof compiled !== 'string' && compiled.usesOldSelf),
    properties,
    items: ruleNode(schema.items, compile, schema.items?.embeddedResource ?? false),
    additional: ruleNode(
      schema.additionalProperties?.schema,
      compile,
      schema.additionalProperties?.schema?.embeddedResource ?? false,
    ),
  }
}

function compileOne(
  rule: ValidationRule,
  schema: Schema,
  isResource: boolean,
  compile: RuleCompiler,
): CompiledRule | string {
  try {
    return compile(rule, schema, isResource)
  } catch (error) {
    if (!(error instanceof RuleCompileError)) throw error
    return `rule compile error: ${error.message}`
  }
}

function belowOf(rule: ValidationRule, schema: Schema): string {
  if (rule.fieldPath === '') return ''
  const found = findField(rule.fieldPath, schema)
  return typeof found === 'string' ? '' : found.path
}

interface Run {
  readonly errors: FieldError[]
  readonly budget: RuleBudget
  readonly warn: (text: string) => void
}

/** The old value of a value or, if it has none, of its nearest ancestor that has one. */
interface Ratchet {
  readonly current: Correlation | undefined
  readonly parent: Correlation | undefined
}

/** The cost budget is exceeded: no more rules are run. */
class Exhausted extends Error {}

function visit(node: RuleNode, value: Json, old: Json | undefined, path: string, ratchet: Ratchet, run: Run): void {
  if (value === null) return
  for (const rule of node.rules) runRule(rule, node, value, old ?? undefined, path, ratchet, run)
  if (Array.isArray(value)) walkItems(node, value, old, path, ratchet, run)
  else if (isObject(value)) walkFields(node, value, old, path, ratchet, run)
}

function walkItems(
  node: RuleNode,
  items: Json[],
  old: Json | undefined,
  path: string,
  ratchet: Ratchet,
  run: Run,
): void {
  if (node.items === undefined) return
  const counterparts = new Correlation(items, old ?? null, node.schema)
  for (const [i, item] of items.entries()) {
    const next: Ratchet =
      ratchet.current === undefined ? ratchet : { current: ratchet.current.index(i), parent: ratchet.current }
    visit(node.items, item, counterparts.index(i)?.old, `${path}[${i}]`, next, run)
  }
}

function walkFields(
  node: RuleNode,
  value: JsonObject,
  old: Json | undefined,
  path: string,
  ratchet: Ratchet,
  run: Run,
): void {
  if (node.additional === undefined && node.properties.size === 0) return
  for (const name of Object.keys(value).sort()) {
    const property = node.properties.get(name)
    const member = property ?? node.additional
    if (member === undefined) continue
    const before = isObject(old) ? getOwn(old, name) : undefined
    const at = property === undefined ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    visit(member, value[name] as Json, before, at, below(ratchet, name), run)
  }
}

function below({ current, parent }: Ratchet, name: string): Ratchet {
  if (current === undefined) return { current, parent }
  if (parent === undefined && (name === 'apiVersion' || name === 'kind'))
    return { current: undefined, parent: undefined }
  return { current: current.key(name), parent: current }
}

function runRule(
  { rule, compiled, below: field }: NodeRule,
  { schema, usesOldSelf }: RuleNode,
  value: Json,
  old: Json | undefined,
  path: string,
  ratchet: Ratchet,
  run: Run,
): void {
  if (typeof compiled === 'string') {
    const summary = `Invalid value: ${goFieldValue(schema.type)}`
    run.errors.push({ type: 'Invalid', field: path === '' ? '<nil>' : path, summary, detail: compiled })
    return
  }
  if (compiled.usesOldSelf && old === undefined && rule.optionalOldSelf !== true) return
  const values = { self: value, oldSelf: old }
  const place = path === '' ? '<nil>' : path
  let holds: boolean
  try {
    holds = compiled.holds(values, run.budget)
  } catch (error) {
    if (!(error instanceof RuleFailure)) throw error
    run.errors.push(failed(place, schema, rule, error))
    if (error.kind === 'call' || error.kind === 'budget') throw new Exhausted()
    return
  }
  if (holds) return
  const at = field === '' ? place : path === '' ? field : `${path}.${field}`
  const report = (error: FieldError): void => {
    const tolerated = !compiled.usesOldSelf && (ratchet.current ?? ratchet.parent)?.equal() === true
    if (tolerated)
      run.warn(`${error.field}: ${error.detail === '' ? error.summary : `${error.summary}: ${error.detail}`}`)
    else run.errors.push(error)
  }
  let message: string | undefined
  try {
    message = compiled.message(usesOldSelf ? values : { self: value, oldSelf: undefined }, run.budget)
  } catch (error) {
    if (!(error instanceof RuleFailure)) throw error
    report(failed(at, schema, rule, error))
    throw new Exhausted()
  }
  report(refused(at, schema, value, rule, message ?? messageOf(rule)))
}

function ruleName(rule: ValidationRule): string {
  return rule.message === '' ? rule.rule.trim() : rule.message.trim()
}

function messageOf(rule: ValidationRule): string {
  return rule.message === '' ? `failed rule: ${ruleName(rule)}` : rule.message.trim()
}

function failed(field: string, schema: Schema, rule: ValidationRule, failure: RuleFailure): FieldError {
  const name = ruleName(rule)
  const words: Readonly<Record<RuleFailure['kind'], string>> = {
    overload:
      `'${failure.message}': call arguments did not match a supported operator, function or macro signature ` +
      `for rule: ${name}`,
    call:
      `'${failure.message}': no further validation rules will be run due to call cost exceeds limit for rule: ` + name,
    budget: 'validation failed due to running out of cost budget, no further validation rules will be run',
    message: failure.message,
    runtime: `${failure.message} evaluating rule: ${name}`,
  }
  return { type: 'Invalid', field, summary: `Invalid value: ${goFieldValue(schema.type)}`, detail: words[failure.kind] }
}

/** The error omits the value of objects and lists. */
function refused(field: string, schema: Schema, value: Json, rule: ValidationRule, detail: string): FieldError {
  const shown = schema.type === 'object' || schema.type === 'array' ? '' : `: ${goFieldValue(value)}`
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return { type: 'Forbidden', field, summary: 'Forbidden', detail }
    case 'FieldValueRequired':
      return { type: 'Required', field, summary: 'Required value', detail }
    case 'FieldValueDuplicate':
      return { type: 'Duplicate', field, summary: `Duplicate value${shown}`, detail: '' }
    default:
      return { type: 'Invalid', field, summary: `Invalid value${shown}`, detail }
  }
}
