/**
 * Cost limits of the validation rules of a CRD: for each rule, and for all rules of a schema. The limits are
 * upstream's.
 */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { Schema } from '../../../structural/schema.ts'

const maxRuleCost = 10_000_000
const maxSchemaCost = 100_000_000
/** How many of the most expensive rules are reported if the total is too high. */
const named = 4

/** How often a value can occur in an object; undefined: unbounded. */
export type Cardinality = number | undefined

/** The cardinality of the children of a schema. */
export function cardinalityBelow(schema: Schema, own: Cardinality): Cardinality {
  if (own === undefined) return undefined
  const limit =
    schema.type === 'array'
      ? schema.maxItems
      : schema.type === 'object' && schema.additionalProperties !== undefined
        ? schema.maxProperties
        : 1
  return limit === undefined ? undefined : own * Math.max(limit, 0)
}

export class CostAccount {
  /** The schema did not change: single rules that were accepted before are not checked again. */
  private readonly lenient: boolean
  private total = 0
  private readonly expensive: { field: string; cost: number }[] = []

  constructor(lenient: boolean) {
    this.lenient = lenient
  }

  /** Adds the cost of an expression; returns an error if it alone exceeds the limit. */
  add(field: string, cost: number, what: 'rule' | 'messageExpression'): FieldError | undefined {
    this.total += cost
    if (cost >= maxSchemaCost / 100) this.expensive.push({ field, cost })
    if (this.lenient || cost <= maxRuleCost) return undefined
    return fieldError.forbidden(field, tooMuch(`estimated ${what} cost`, cost / maxRuleCost))
  }

  /** Errors of the total cost. `field` is the path of the schema. */
  errors(field: string): FieldError[] {
    if (this.total <= maxSchemaCost) return []
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const blamed = this.expensive.toSorted((a, b) => b.cost - a.cost).slice(0, named)
    const words = tooMuch(
      'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema',
      this.total / maxSchemaCost,
    )
    return [...blamed.map((rule) => fieldError.forbidden(rule.field, detail)), fieldError.forbidden(field, words)]
  }
}

function tooMuch(what: string, factor: number): string {
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  return (
    `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, ` +
    'and maxLength where arrays, maps, and strings are declared)'
  )
}
