/**
 * The interface of engines that evaluate `x-kubernetes-validations`. It hides the language (CEL), so that paths,
 * messages, old values and ratcheting do not depend on how expressions are evaluated.
 */
import type { Json } from '../../api/json.ts'
import type { Schema, ValidationRule } from '../schema.ts'

/** `oldSelf` is undefined if there is no old value. */
export interface RuleValues {
  readonly self: Json
  readonly oldSelf: Json | undefined
}

/** The remaining cost budget for all rules of one object, in CEL cost units. Engines subtract from it. */
export interface RuleBudget {
  remaining: number
}

/** Upstream's budget for all rules of one object. */
export const maxObjectCost = 10_000_000

export interface CompiledRule {
  /** True if the rule uses `oldSelf`; then it runs only where there is an old value. */
  readonly usesOldSelf: boolean
  /** The maximum cost of one evaluation, and the number of evaluations if no list or map above has a limit. */
  readonly cost?: { readonly rule: number; readonly cardinality: number }
  readonly messageCost?: number
  /** Why the messageExpression is invalid; the rule works without it. */
  readonly messageProblem?: string
  /** Throws a {@link RuleFailure} if the evaluation fails or exceeds its cost limit. */
  holds(values: RuleValues, budget: RuleBudget): boolean
  /**
   * The result of messageExpression; undefined if there is none or its evaluation fails.
   * Throws a {@link RuleFailure} if it exceeds its cost limit.
   */
  message(values: RuleValues, budget: RuleBudget): string | undefined
}

/**
 * Compiles a rule for the schema node that declares it. `isResource`: `self` also has apiVersion, kind and metadata.
 * Throws a {@link RuleCompileError} if the expression is invalid.
 */
export type RuleCompiler = (rule: ValidationRule, schema: Schema, isResource: boolean) => CompiledRule

export class RuleCompileError extends Error {
  override name = 'RuleCompileError'
  /** Which expression is invalid; `type`: the schema itself has no CEL type. */
  readonly of: 'rule' | 'messageExpression' | 'type'

  constructor(of: 'rule' | 'messageExpression' | 'type', message: string) {
    super(message)
    this.of = of
  }
}

/** `overload`: no function for these types; `call`, `budget`, `message`: cost exceeded; `runtime`: any other error. */
export type RuleFailureKind = 'overload' | 'call' | 'budget' | 'message' | 'runtime'

export class RuleFailure extends Error {
  override name = 'RuleFailure'
  readonly kind: RuleFailureKind

  constructor(kind: RuleFailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}
