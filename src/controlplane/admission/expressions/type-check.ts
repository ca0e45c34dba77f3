/** The type check of policies: warnings about expressions that do not fit the schemas of the kinds they are about. */
import type { JsonObject } from '../../../api/json.ts'
import { limitSteps, StepLimitExceeded } from '../../../api/step-limit.ts'
import { dynType, type CelType, type FieldType } from '../../../cel/library.ts'
import { checkAdmissionTypes, variableType } from '../../resources/shared/admission-expression.ts'
import { items, text } from '../../resources/shared/values.ts'
import { schemaType } from './schema-type.ts'

/** A kind with its schema, as the status controller has it. */
export interface CheckedKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly schema: string
  readonly schemas: Readonly<Record<string, unknown>>
}

export interface ExpressionWarning {
  fieldRef: string
  warning: string
}

/** Warnings about validations and their messages, in order. An expression that takes too long has none. */
export function policyWarnings(
  spec: unknown,
  objects: readonly CheckedKind[],
  params: CheckedKind | undefined,
): readonly ExpressionWarning[] {
  const { validations, variables } = spec as JsonObject
  const paramsType = params && typeOfKind(params)
  const warnings: ExpressionWarning[] = []
  const environments = objects.map((kind) => ({ kind, types: { object: typeOfKind(kind), params: paramsType } }))
  const check = (fieldRef: string, expression: string): void => {
    const problems = environments.flatMap(({ kind, types }) => {
      const problem = limited(() => problemOf(expression, items(variables), types))
      return problem === undefined ? [] : [`${kind.group}/${kind.version}, Kind=${kind.kind}: ${problem}\n`]
    })
    if (problems.length > 0) warnings.push({ fieldRef, warning: problems.join('\n') })
  }
  for (const [i, { expression, messageExpression }] of items(validations).entries()) {
    check(`spec.validations[${i}].expression`, text(expression))
    if (text(messageExpression) !== '') check(`spec.validations[${i}].messageExpression`, text(messageExpression))
  }
  return warnings
}

interface CheckedTypes {
  readonly object: CelType
  readonly params: CelType | undefined
}

function typeOfKind({ kind, schema, schemas }: CheckedKind): CelType {
  return schemaType(schema, schemas as JsonObject, kind) ?? dynType
}

function problemOf(expression: string, variables: readonly JsonObject[], types: CheckedTypes): string | undefined {
  const known = new Map<string, FieldType>()
  for (const variable of variables) {
    const type = checkAdmissionTypes(text(variable.expression), types.object, types.params, known)
    known.set(text(variable.name), { type: typeof type === 'string' ? dynType : variableType(type) })
  }
  const type = checkAdmissionTypes(expression, types.object, types.params, known)
  return typeof type === 'string' ? type : undefined
}

function limited(check: () => string | undefined): string | undefined {
  try {
    return limitSteps(check)
  } catch (error) {
    if (error instanceof StepLimitExceeded) return undefined
    throw error
  }
}
