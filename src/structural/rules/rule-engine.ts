/**
 * Rule engine: what checks the rules of `x-kubernetes-validations`. The language (CEL) is behind this interface, so
 * that schemas, paths, messages, old values and tolerance of old errors are the same whatever evaluates the
 * expressions.
 */
import type { Json } from '../../api/json.ts'
import type { Schema, ValidationRule } from '../schema.ts'

/** `oldSelf` is undefined when there is no old value to compare with. */
export interface RuleValues {
  readonly self: Json
  readonly oldSelf: Json | undefined
}

/** What all rules of one object may still cost, in CEL's units; engines take from it as they go. */
export interface RuleBudget {
  remaining: number
}

/** Upstream's budget for all rules of one object. */
export const objectBudget = 10_000_000

export interface CompiledRule {
  /** Whether the rule compares with the old value; then it only runs where there is one. */
  readonly usesOldSelf: boolean
  /** What running it once may cost at most, and how often it can run where nothing above it has a limit. */
  readonly cost?: { readonly rule: number; readonly cardinality: number }
  readonly messageCost?: number
  /** Why the messageExpression is none; the rule works without it. */
  readonly messageProblem?: string
  /** Throws a {@link RuleFailure} when the expression fails or costs too much. */
  holds(values: RuleValues, budget: RuleBudget): boolean
  /**
   * The text of the rule's messageExpression; undefined when it has none, or when that fails.
   * Throws a {@link RuleFailure} when it costs too much.
   */
  message(values: RuleValues, budget: RuleBudget): string | undefined
}

/**
 * Compiles a rule once for the schema that it stands on. `isResource`: `self` also has apiVersion, kind and metadata.
 * Throws a {@link RuleCompileError} when the expression is not valid there.
 */
export type RuleCompiler = (rule: ValidationRule, schema: Schema, isResource: boolean) => CompiledRule

export class RuleCompileError extends Error {
  override name = 'RuleCompileError'
  /** Which expression is wrong, or that the schema itself is nothing that rules can see. */
  readonly of: 'rule' | 'messageExpression' | 'type'

  constructor(of: 'rule' | 'messageExpression' | 'type', message: string) {
    super(message)
    this.of = of
  }
}

/** `overload`: no function for these types; `call`, `budget`, `message`: too expensive; `runtime`: anything else. */
export type RuleFailureKind = 'overload' | 'call' | 'budget' | 'message' | 'runtime'

export class RuleFailure extends Error {
  override name = 'RuleFailure'
  readonly kind: RuleFailureKind

  constructor(kind: RuleFailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}
