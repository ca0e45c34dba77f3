/** Validation rules in CEL: implements {@link RuleCompiler}. */
import { trim } from '../../cel/libraries/strings/text.ts'
import { goQuote } from '../../api/go-format.ts'
import { boolType, CelError, CelOptional, type CelResult, type CelType } from '../../cel/library.ts'
import {
  compileExpression,
  kubernetesEnvironment,
  PlanError,
  type Expression,
  type Program,
} from '../../cel/expression.ts'
import type { Schema, ValidationRule } from '../schema.ts'
import { declarationOf, maxCardinality, sizeAt, withResourceFields, type Declaration } from './declarations.ts'
import {
  RuleCompileError,
  RuleFailure,
  type CompiledRule,
  type RuleBudget,
  type RuleCompiler,
  type RuleValues,
} from './rule-engine.ts'
import { viewOf } from './views.ts'

/** The cost limit of one evaluation. */
const maxCallCost = 1_000_000
const maxMessageBytes = 5 * 1024

/** The prefix of object type names. Upstream uses a new one for every rule, so that rules cannot rely on it. */
const typeName = 'selfType1'

export const compileCelRule: RuleCompiler = (rule, schema, isResource) => {
  const declaration = declarationOf(schema, isResource)
  if (declaration === undefined) {
    throw new RuleCompileError('type', 'unable to convert structural schema to CEL declarations')
  }
  const variables = variablesOf(declaration, rule.optionalOldSelf === true)
  const { expression, program } = compilePart('rule', rule.rule, variables, boolType)
  const sizes = (path: readonly string[]) => sizeAt(declaration, path)
  const given = isResource ? withResourceFields(schema) : schema
  return {
    usesOldSelf: expression.uses('oldSelf'),
    cost: { rule: expression.estimate(sizes).max, cardinality: maxCardinality(declaration.minSize) },
    ...messagePart(rule, variables, given, sizes),
    holds: (values, budget) => runRule(program, valuesOf(values, given, rule.optionalOldSelf === true), budget),
  }
}

/** The types of objects, which list all their fields: many rules may share one. */
const types = new WeakMap<Declaration, CelType>()

function variablesOf(declaration: Declaration, isOptional: boolean): ReadonlyMap<string, CelType> {
  let self = types.get(declaration)
  if (self === undefined) types.set(declaration, (self = declaration.type(typeName)))
  const old: CelType = isOptional ? { kind: 'opaque', name: 'optional_type', parameters: [self] } : self
  return new Map([
    ['self', self],
    ['oldSelf', old],
  ])
}

function compilePart(
  of: 'rule' | 'messageExpression',
  text: string,
  variables: ReadonlyMap<string, CelType>,
  type: CelType,
): { expression: Expression; program: Program } {
  const expression = compileExpression(text, variables, kubernetesEnvironment())
  const prefix = of === 'rule' ? '' : 'messageExpression '
  if (typeof expression === 'string') throw new RuleCompileError(of, `${prefix}compilation failed: ${expression}`)
  if (expression.type.kind !== type.kind) {
    const words =
      of === 'rule' ? 'cel expression must evaluate to a bool' : 'messageExpression must evaluate to a string'
    throw new RuleCompileError(of, words)
  }
  try {
    return { expression, program: expression.program() }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    const what = of === 'rule' ? 'program instantiation' : 'messageExpression instantiation'
    throw new RuleCompileError(of, `${what} failed: ${error.message}`)
  }
}

type MessagePart = Pick<CompiledRule, 'message' | 'messageProblem' | 'messageCost'>

function messagePart(
  rule: ValidationRule,
  variables: ReadonlyMap<string, CelType>,
  schema: Schema,
  sizes: Parameters<Expression['estimate']>[0],
): MessagePart {
  if (rule.messageExpression === '') return { message: () => undefined }
  try {
    const text = rule.messageExpression
    const { expression, program } = compilePart('messageExpression', text, variables, { kind: 'string' })
    return {
      messageCost: expression.estimate(sizes).max,
      message: (values, budget) => runMessage(program, text, valuesOf(values, schema, false), budget),
    }
  } catch (error) {
    if (!(error instanceof RuleCompileError)) throw error
    return { message: () => undefined, messageProblem: error.message }
  }
}

const noOldSelf = new CelError('no such attribute(s): oldSelf')
const noneOptional = new CelOptional(undefined)

function valuesOf({ self, oldSelf }: RuleValues, schema: Schema, isOptional: boolean): CelResult[] {
  const old = oldSelf === undefined ? noOldSelf : viewOf(oldSelf, schema)
  if (!isOptional) return [viewOf(self, schema), old]
  return [
    viewOf(self, schema),
    oldSelf === undefined ? noneOptional : old instanceof CelError ? old : new CelOptional(old),
  ]
}

function runRule(program: Program, values: CelResult[], budget: RuleBudget): boolean {
  const { result, cost, exceeded } = program(values, maxCallCost)
  if (cost > budget.remaining) throw new RuleFailure('budget', '')
  budget.remaining -= cost
  if (!(result instanceof CelError)) return result === true
  if (exceeded) throw new RuleFailure('call', result.message)
  throw new RuleFailure(result.message.startsWith('no such overload') ? 'overload' : 'runtime', result.message)
}

/** Undefined: use the rule's static message. Throws if the object's rules exceed their total cost budget. */
function runMessage(program: Program, source: string, values: CelResult[], budget: RuleBudget): string | undefined {
  const { result, cost, exceeded } = program(values, maxCallCost)
  const words = 'no further validation rules will be run'
  if (cost > budget.remaining) {
    throw new RuleFailure('message', `messageExpression evaluation failed due to running out of cost budget, ${words}`)
  }
  if (exceeded) {
    const about = `due to call cost exceeds limit for messageExpression: ${goQuote(source)}`
    throw new RuleFailure('message', `${words} ${about}`)
  }
  budget.remaining -= cost
  if (typeof result !== 'string') return undefined
  const text = trim(result)
  return text === '' || /[\n\r]/.test(text) || Buffer.byteLength(text) > maxMessageBytes ? undefined : text
}
