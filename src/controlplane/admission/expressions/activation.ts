/** The values of the variables of admission expressions, and their evaluation within a cost budget. */
import type { FrozenJson } from '../../../api/json.ts'
import { EvaluationFailed } from '../../../cel/evaluation-run.ts'
import { jsonValue } from '../../../cel/json-value.ts'
import { CelError, CelMap, type CelResult, type CelValue } from '../../../cel/library.ts'
import {
  AuthorizerValue,
  ResourceCheckValue,
  type AccessDecision,
  type UserAccess,
} from '../../../cel/libraries/authorization/values.ts'
import type { Activation, CompiledExpression } from '../../resources/shared/admission-expression.ts'
import type { AdmissionRequest } from '../../registry/admission.ts'
import type { RequestInfo, RequestVerb } from '../../registry/request-info.ts'
import type { UserInfo } from '../../contract/resource.ts'
import { namespaceOf } from '../webhooks/review.ts'

/** The cost limit of one evaluation. */
const maxCallCost = 1_000_000
/** The cost limit of all match conditions of a webhook or policy. */
export const maxConditionsCost = 2_500_000
/** The cost limit of all validations of a policy with their messages, and of all its audit annotations. */
export const maxPolicyCost = 10_000_000

export interface Inputs {
  readonly request: FrozenJson
  readonly object: FrozenJson | undefined
  readonly oldObject: FrozenJson | undefined
  /** Absent: null. */
  readonly namespaceObject?: FrozenJson | undefined
  readonly params?: FrozenJson | undefined
  /** Absent: expressions that use the authorizer fail. */
  readonly authorizer?: { readonly whole: AuthorizerValue; readonly requestResource: ResourceCheckValue } | undefined
}

const missing = (name: string) => new CelError(`no such attribute(s): ${name}`)

const noVariables: ReadonlyMap<string, CompiledExpression> = new Map()

/** `variables`: those of a policy. `hidden`: an input that the expressions do not see. */
export function activationOf(
  inputs: Inputs,
  variables = noVariables,
  hidden?: 'namespaceObject' | 'authorizer',
): Activation {
  const authorizer = hidden === 'authorizer' ? undefined : inputs.authorizer
  const activation: Activation = {
    object: jsonValue(inputs.object),
    oldObject: jsonValue(inputs.oldObject),
    namespaceObject: hidden === 'namespaceObject' ? null : jsonValue(inputs.namespaceObject),
    request: jsonValue(inputs.request),
    params: jsonValue(inputs.params),
    authorizer: authorizer?.whole ?? missing('authorizer'),
    'authorizer.requestResource': authorizer?.requestResource ?? missing('authorizer.requestResource'),
    variables: null,
  }
  activation.variables = new LazyVariables(variables, activation)
  return activation
}

/** The variables of a policy: each is evaluated when it is used first. */
class LazyVariables extends CelMap {
  readonly #expressions: ReadonlyMap<string, CompiledExpression>
  readonly #activation: Activation
  readonly #known = new Map<string, CelResult>()
  #cost = 0

  constructor(expressions: ReadonlyMap<string, CompiledExpression>, activation: Activation) {
    super()
    this.#expressions = expressions
    this.#activation = activation
  }

  get size(): number {
    return this.#expressions.size
  }

  /** The cost of evaluations since the last call. */
  takeCost(): number {
    const cost = this.#cost
    this.#cost = 0
    return cost
  }

  override find(key: CelValue): CelResult | undefined {
    const expression = typeof key === 'string' ? this.#expressions.get(key) : undefined
    if (typeof key !== 'string' || expression === undefined) return undefined
    let value = this.#known.get(key)
    if (value === undefined) this.#known.set(key, (value = this.#evaluate(key, expression)))
    return value
  }

  #evaluate(name: string, expression: CompiledExpression): CelResult {
    if ('problem' in expression) {
      return new CelError(`composited variable ${JSON.stringify(name)} fails to compile: ${expression.problem}`)
    }
    const { result, cost } = expression.run(this.#activation, maxCallCost)
    this.#cost += cost
    if (!(result instanceof CelError)) return result
    return new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${result.message}`)
  }

  get(key: CelValue): CelValue | undefined {
    const value = this.find(key)
    if (value instanceof CelError) throw new EvaluationFailed(value)
    return value
  }

  keys(): CelValue[] {
    return [...this.#expressions.keys()]
  }
}

/** The expressions of a request cost more than their budget. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget'

  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run')
  }
}

export interface CostBudget {
  remaining: number
}

/** The value of an expression, or why there is none. */
export type EvaluatedExpression = { readonly value: CelValue } | { readonly error: string }

/** Throws {@link OutOfBudget}. */
export function evaluate(
  expression: CompiledExpression,
  activation: Activation,
  budget: CostBudget,
): EvaluatedExpression {
  if ('problem' in expression) return { error: `compilation error: ${expression.problem}` }
  const { result, cost } = expression.run(activation, maxCallCost)
  const { variables } = activation
  const total = cost + (variables instanceof LazyVariables ? variables.takeCost() : 0)
  if (total > budget.remaining) throw new OutOfBudget()
  budget.remaining -= total
  if (!(result instanceof CelError)) return { value: result }
  return { error: `expression '${expression.source}' resulted in error: ${result.message}` }
}

/**
 * True if all conditions hold. One false condition decides, whatever the errors of others; otherwise errors are thrown.
 */
export function allHold(conditions: readonly CompiledExpression[], activation: Activation): boolean {
  const budget: CostBudget = { remaining: maxConditionsCost }
  // All are evaluated before one decides: the budget may be exceeded behind a false condition.
  const outcomes = conditions.map((condition) => evaluate(condition, activation, budget))
  const problems = new Set<string>()
  for (const outcome of outcomes) {
    if ('error' in outcome) problems.add(outcome.error)
    else if (outcome.value === false) return false
  }
  if (problems.size > 0) throw new Error(problems.size === 1 ? [...problems][0] : `[${[...problems].join(', ')}]`)
  return true
}

/** Whether the user may do this, and why. */
export type Decide = (user: UserInfo, request: RequestInfo) => AccessDecision

/** What the user of the request may do. */
export function authorizerOf(request: AdmissionRequest, decide: Decide): Inputs['authorizer'] {
  const access = accessOf(request.context.user, decide)
  const { resource, subresource, name } = request
  return {
    whole: new AuthorizerValue(access),
    requestResource: new ResourceCheckValue(access, {
      group: resource.group,
      resource: resource.plural,
      subresource,
      namespace: request.namespace === '' ? namespaceOf(request) : request.namespace,
      name,
    }),
  }
}

function accessOf(user: UserInfo, decide: Decide): UserAccess {
  return {
    path: (path, verb) => decide(user, { isResource: false, verb, path }),
    resource: ({ group, resource, subresource, namespace, name }, verb) =>
      decide(user, {
        isResource: true,
        verb: verb as RequestVerb,
        group,
        version: '*',
        namespace,
        resource,
        subresource,
        name,
        rest: '',
        form: 'plain',
      }),
    serviceAccount: (namespace, name) =>
      accessOf(
        {
          name: `system:serviceaccount:${namespace}:${name}`,
          uid: '',
          groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
        },
        decide,
      ),
  }
}
