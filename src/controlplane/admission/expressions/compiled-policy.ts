/** The expressions of a validating policy, compiled, and what they say about a request. */
import type { JsonObject } from '../../../api/json.ts'
import { StepLimitExceeded } from '../../../api/step-limit.ts'
import { trim } from '../../../cel/libraries/strings/text.ts'
import { typeNameOf } from '../../../cel/libraries/standard/type-names.ts'
import { dynType, type FieldType } from '../../../cel/library.ts'
import {
  compileAdmissionExpression,
  variableType,
  type CompiledExpression,
  type DeclaredNames,
} from '../../resources/shared/admission-expression.ts'
import { items, text } from '../../resources/shared/values.ts'
import {
  activationOf,
  allHold,
  evaluate,
  maxPolicyCost,
  OutOfBudget,
  type CostBudget,
  type Inputs,
  type EvaluatedExpression,
} from './activation.ts'

const maxMessageBytes = 5 * 1024

interface Validation {
  readonly expression: CompiledExpression
  readonly messageExpression: CompiledExpression | undefined
  readonly message: string
  readonly reason: string
}

interface AuditAnnotation {
  readonly key: string
  readonly expression: CompiledExpression
}

export interface SharedExpressions {
  readonly names: DeclaredNames
  readonly variables: ReadonlyMap<string, CompiledExpression>
  readonly conditions: readonly CompiledExpression[]
}

export interface CompiledPolicy extends SharedExpressions {
  readonly failsClosed: boolean
  readonly validations: readonly Validation[]
  readonly annotations: readonly AuditAnnotation[]
}

/** A failed validation, or an error that counts as one. */
export interface Failure {
  /** The place of the validation in the policy. */
  readonly index: number
  readonly message: string
  /** '' for an error. */
  readonly reason: string
}

export interface PolicyResult {
  readonly failures: readonly Failure[]
  readonly annotations: readonly { readonly key: string; readonly value: string }[]
  /** Errors of audit annotations: they deny the request, whatever the actions of the binding. */
  readonly annotationErrors: readonly string[]
}

/** The variables and conditions of a policy, and what other expressions of it can use. */
export function compileShared(spec: JsonObject): SharedExpressions {
  const types = new Map<string, FieldType>()
  const names: DeclaredNames = { params: spec.paramKind !== undefined, authorizer: true, variables: types }
  const variables = new Map<string, CompiledExpression>()
  for (const variable of items(spec.variables)) {
    const compiled = compileAdmissionExpression(text(variable.expression), 'any', names)
    types.set(text(variable.name), { type: 'problem' in compiled ? dynType : variableType(compiled.type) })
    variables.set(text(variable.name), compiled)
  }
  const conditions = items(spec.matchConditions).map(({ expression }) => {
    return compileAdmissionExpression(text(expression), 'bool', names)
  })
  return { names, variables, conditions }
}

export function compilePolicy(spec: JsonObject): CompiledPolicy {
  const { names, variables, conditions } = compileShared(spec)
  const messageNames: DeclaredNames = { ...names, authorizer: false }
  return {
    failsClosed: spec.failurePolicy !== 'Ignore',
    names,
    variables,
    conditions,
    validations: items(spec.validations).map(({ expression, messageExpression, message, reason }) => ({
      expression: compileAdmissionExpression(text(expression), 'bool', names),
      messageExpression:
        text(messageExpression) === ''
          ? undefined
          : compileAdmissionExpression(text(messageExpression), 'string', messageNames),
      message: trim(text(message)),
      reason: text(reason) || 'Invalid',
    })),
    annotations: items(spec.auditAnnotations).map(({ key, valueExpression }) => ({
      key: text(key),
      expression: compileAdmissionExpression(text(valueExpression), 'string or null', names),
    })),
  }
}

const nothing: PolicyResult = { failures: [], annotations: [], annotationErrors: [] }

/** The result for one request and one object of parameters. */
export function runPolicy(policy: CompiledPolicy, inputs: Inputs): PolicyResult {
  try {
    const { conditions, variables } = policy
    if (conditions.length > 0) {
      if (!allHold(conditions, activationOf(inputs, variables, 'namespaceObject'))) return nothing
    }
  } catch (error) {
    return failedPolicy(policy, (error as Error).message)
  }
  try {
    return { failures: failuresOf(policy, inputs), ...annotationsOf(policy, inputs) }
  } catch (error) {
    if (error instanceof OutOfBudget) return failedPolicy(policy, error.message)
    if (error instanceof StepLimitExceeded) return failedPolicy(policy, new OutOfBudget().message)
    throw error
  }
}

/** No validation was completed. */
function failedPolicy({ failsClosed }: CompiledPolicy, message: string): PolicyResult {
  if (!failsClosed) return nothing
  return { failures: [{ index: 0, message, reason: '' }], annotations: [], annotationErrors: [] }
}

function failuresOf({ validations, variables, failsClosed }: CompiledPolicy, inputs: Inputs): Failure[] {
  const budget: CostBudget = { remaining: maxPolicyCost }
  const activation = activationOf(inputs, variables)
  const outcomes = validations.map(({ expression }) => evaluate(expression, activation, budget))
  const messages = messagesOf(validations, variables, inputs, budget)
  const failures: Failure[] = []
  for (const [index, outcome] of outcomes.entries()) {
    const error = 'error' in outcome ? outcome.error : typeof messages === 'string' ? messages : undefined
    if (error !== undefined) {
      if (failsClosed) failures.push({ index, message: error, reason: '' })
    } else if (!('value' in outcome) || outcome.value !== true) {
      const validation = validations[index] as Validation
      const message = messageOf(validation, (messages as readonly (EvaluatedExpression | undefined)[])[index])
      failures.push({ index, message, reason: validation.reason })
    }
  }
  return failures
}

/** The results of all message expressions, or the error of every validation if they exceed the budget. */
function messagesOf(
  validations: readonly Validation[],
  variables: CompiledPolicy['variables'],
  inputs: Inputs,
  budget: CostBudget,
): readonly (EvaluatedExpression | undefined)[] | string {
  const activation = activationOf(inputs, variables, 'authorizer')
  try {
    return validations.map(({ messageExpression }) => {
      return messageExpression === undefined ? undefined : evaluate(messageExpression, activation, budget)
    })
  } catch (error) {
    if (error instanceof OutOfBudget) return `failed messageExpression: ${error.message}`
    throw error
  }
}

function messageOf({ expression, message }: Validation, outcome: EvaluatedExpression | undefined): string {
  if (outcome !== undefined && 'value' in outcome && typeof outcome.value === 'string') {
    const given = trim(outcome.value)
    if (given !== '' && !given.includes('\n') && Buffer.byteLength(given) <= maxMessageBytes) return given
  }
  return message === '' ? `failed expression: ${trim(expression.source)}` : message
}

function annotationsOf(
  { annotations, variables, failsClosed }: CompiledPolicy,
  inputs: Inputs,
): Pick<PolicyResult, 'annotations' | 'annotationErrors'> {
  const budget: CostBudget = { remaining: maxPolicyCost }
  const activation = activationOf(inputs, variables, 'authorizer')
  const found: { key: string; value: string }[] = []
  const errors: string[] = []
  const outcomes = annotations.map(({ expression }) => evaluate(expression, activation, budget))
  for (const [i, outcome] of outcomes.entries()) {
    const { key, expression } = annotations[i] as AuditAnnotation
    if ('error' in outcome) {
      if (failsClosed) errors.push(outcome.error)
    } else if (typeof outcome.value === 'string') {
      const value = trim(outcome.value)
      if (value !== '') found.push({ key, value })
    } else if (outcome.value !== null) {
      errors.push(
        `valueExpression '${expression.source}' resulted in unsupported return type: ${typeNameOf(outcome.value)}. ` +
          'Return type must be either string or null.',
      )
    }
  }
  return { annotations: found, annotationErrors: errors }
}
