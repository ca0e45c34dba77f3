/**
 * Validation of CEL rules in a CRD: they must compile, must not exceed the cost limits, and may only use `oldSelf` on
 * values that can be correlated.
 */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { getOwn, isObject, type JsonObject } from '../../../api/json.ts'
import { goQuote } from '../../../api/go-format.ts'
import { asObject, flagOf, maybeText, objectOf, objectsOf } from '../../../structural/reading.ts'
import { RuleCompileError, type CompiledRule, type RuleCompiler } from '../../../structural/rules/rule-engine.ts'
import { compileSchema, type Schema, type ValidationRule } from '../../../structural/schema.ts'
import { ruleText } from './internal-text.ts'
import { cardinalityBelow, CostAccount, type Cardinality } from './rule-costs.ts'

export interface RuleContext {
  readonly compile: RuleCompiler
  /** Errors of the schema itself: rules of schemas that contain such errors are skipped. */
  readonly schemaErrors: readonly FieldError[]
  /** The schema was accepted before: the cost limit of single rules is not checked again. */
  readonly unchanged: boolean
}

/** Errors of all rules of a schema whose structure and defaults are valid. */
export function ruleErrors(path: string, source: JsonObject, context: RuleContext): FieldError[] {
  const schema = compileSchema(source)
  if (!schema.below.rules) return []
  const walk = new RuleWalk(context)
  walk.visit({ source, schema, isResource: true, lost: undefined, cardinality: 1 }, path)
  return [...walk.errors, ...walk.costs.errors(path)]
}

interface Place {
  readonly source: JsonObject
  readonly schema: Schema
  readonly isResource: boolean
  /** The path of the list above whose items cannot be correlated with the old object. */
  readonly lost: string | undefined
  readonly cardinality: Cardinality
}

class RuleWalk {
  readonly errors: FieldError[] = []
  readonly costs: CostAccount
  private readonly context: RuleContext
  private readonly wrong: SortedPaths

  constructor(context: RuleContext) {
    this.context = context
    this.wrong = new SortedPaths(context.schemaErrors.map(({ field }) => field))
    this.costs = new CostAccount(context.unchanged)
  }

  visit(place: Place, path: string): void {
    const { source, schema, lost } = place
    const additional = getOwn(source, 'additionalProperties')
    if (isObject(additional)) {
      this.descend(place, additional, schema.additionalProperties?.schema, lost, `${path}.additionalProperties`)
    }
    const members = objectOf(source, 'properties')
    for (const [name, member] of schema.properties ?? []) {
      this.descend(place, asObject(members[name]), member, lost, `${path}.properties[${name}]`)
    }
    const items = getOwn(source, 'items')
    const lostBelow = lost ?? (maybeText(source, 'x-kubernetes-list-type') === 'map' ? undefined : path)
    if (isObject(items)) this.descend(place, items, schema.items, lostBelow, `${path}.items`)
    const rules = objectsOf(source, 'x-kubernetes-validations')
    if (rules.length === 0 || this.wrong.anyWithin(path)) return
    this.own(rules, place, path)
  }

  private descend(
    above: Place,
    source: JsonObject,
    schema: Schema | undefined,
    lost: string | undefined,
    path: string,
  ): void {
    if (schema === undefined || !schema.below.rules) return
    const cardinality = cardinalityBelow(above.schema, above.cardinality)
    this.visit(
      { source, schema, isResource: flagOf(source, 'x-kubernetes-embedded-resource'), lost, cardinality },
      path,
    )
  }

  private own(rules: readonly JsonObject[], place: Place, path: string): void {
    const field = `${path}.x-kubernetes-validations`
    for (const [i, given] of rules.entries()) {
      const rule = place.schema.rules[i] as ValidationRule
      let compiled: CompiledRule | undefined
      try {
        compiled = this.context.compile(rule, place.schema, place.isResource)
      } catch (error) {
        if (!(error instanceof RuleCompileError)) throw error
        if (error.of === 'type') {
          const words = 'internal error: failed to construct type information for x-kubernetes-validations rules'
          this.errors.push(fieldError.internal(field, `${words}: ${error.message}`))
          return
        }
        this.errors.push(invalid(`${field}[${i}].${error.of}`, ruleText(given), error.message))
      }
      if (compiled !== undefined) this.charge(compiled, given, place, `${field}[${i}]`)
      this.checkOldSelf(compiled?.usesOldSelf === true, rule, place, `${field}[${i}]`)
    }
  }

  private charge(compiled: CompiledRule, given: JsonObject, { cardinality }: Place, field: string): void {
    const { cost, messageCost, messageProblem } = compiled
    if (cost !== undefined) this.add(`${field}.rule`, cost.rule * (cardinality ?? cost.cardinality), 'rule')
    if (messageProblem !== undefined) {
      this.errors.push(invalid(`${field}.messageExpression`, ruleText(given), messageProblem))
    } else if (messageCost !== undefined) {
      this.add(`${field}.messageExpression`, messageCost, 'messageExpression')
    }
  }

  private add(field: string, cost: number, what: 'rule' | 'messageExpression'): void {
    const error = this.costs.add(field, cost, what)
    if (error !== undefined) this.errors.push(error)
  }

  private checkOldSelf(isUsed: boolean, rule: ValidationRule, { lost }: Place, field: string): void {
    if (isUsed && lost !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${lost}`
      this.errors.push(invalid(`${field}.rule`, goQuote(rule.rule), detail))
    } else if (!isUsed && rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule'
      this.errors.push(fieldError.invalid(`${field}.optionalOldSelf`, rule.optionalOldSelf, detail))
    }
  }
}

/** Paths of fields, sorted: those that begin alike are neighbours. */
class SortedPaths {
  private readonly paths: readonly string[]

  constructor(paths: string[]) {
    this.paths = paths.sort()
  }

  /** Whether there is the path itself, or one of a field or item within it. */
  anyWithin(path: string): boolean {
    if (this.paths.length === 0) return false
    return (
      this.firstFrom(path) === path || ['.', '['].some((next) => this.firstFrom(path + next).startsWith(path + next))
    )
  }

  private firstFrom(path: string): string {
    let low = 0
    let high = this.paths.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.paths[middle] as string) < path) low = middle + 1
      else high = middle
    }
    return this.paths[low] ?? ''
  }
}

function invalid(field: string, shown: string, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${shown}`, detail }
}
