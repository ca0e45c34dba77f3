/** Match conditions of webhooks: CEL expressions that decide whether a webhook is called. */
import type { FrozenJson } from '../../../api/json.ts'
import { compileExpression, kubernetesEnvironment, type Program } from '../../../cel/expression.ts'
import { CelError, dynType } from '../../../cel/library.ts'
import { jsonValue } from '../../../cel/json-value.ts'

export interface MatchCondition {
  readonly name: string
  /** Compiled on first use, so that CEL is loaded only if needed. A string is the compile error. */
  readonly program: () => Program | string
}

/** The CEL cost limit of one evaluation. */
const maxCallCost = 1_000_000

/** A function, because CEL is loaded only if there is an expression. */
const variables = () => new Map(['object', 'oldObject', 'request'].map((name) => [name, dynType]))

export function matchConditions(
  conditions: readonly { readonly name: string; readonly expression: string }[],
): readonly MatchCondition[] {
  return conditions.map(({ name, expression }) => {
    let program: Program | string | undefined
    return {
      name,
      program: () => {
        if (program === undefined) {
          const compiled = compileExpression(expression, variables(), kubernetesEnvironment())
          program = typeof compiled === 'string' ? compiled : compiled.program()
        }
        return program
      },
    }
  })
}

/**
 * True if all conditions hold. One false condition decides, whatever the errors of others; otherwise errors are thrown.
 */
export function allHold(
  conditions: readonly MatchCondition[],
  request: FrozenJson,
  object: FrozenJson | undefined,
  old: FrozenJson | undefined,
): boolean {
  if (conditions.length === 0) return true
  const values = [object, old, request].map(jsonValue)
  const problems: string[] = []
  for (const { name, program } of conditions) {
    const made = program()
    const result = typeof made === 'string' ? new CelError(made) : made(values, maxCallCost).result
    if (result === false) return false
    if (result instanceof CelError) problems.push(`matchCondition "${name}" evaluation error: ${result.message}`)
    else if (result !== true) problems.push(`matchCondition "${name}" must evaluate to bool`)
  }
  if (problems.length > 0) throw new Error(problems.join(', '))
  return true
}
