/** Match conditions of webhooks: CEL expressions that decide whether a webhook is called. */
import { compileAdmissionExpression, type CompiledExpression } from '../../resources/shared/admission-expression.ts'

/** Compiled on first use, so that CEL is loaded only if needed. */
export type MatchConditions = () => readonly CompiledExpression[]

export function matchConditions(conditions: readonly { readonly expression: string }[]): MatchConditions {
  let compiled: readonly CompiledExpression[] | undefined
  return () =>
    (compiled ??= conditions.map(({ expression }) =>
      compileAdmissionExpression(expression, 'bool', { params: false, authorizer: true }),
    ))
}
