/** The mutations of a mutating policy, compiled, and the objects that they make. */
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { ConstructedValue } from '../../../cel/libraries/json-patch/values.ts'
import { CelList, type CelValue } from '../../../cel/library.ts'
import type { Shape } from '../../../shape/shape.ts'
import { tryJsonPatch } from '../../patch/json-patch.ts'
import { compileAdmissionExpression, type CompiledExpression } from '../../resources/shared/admission-expression.ts'
import { items, struct, text } from '../../resources/shared/values.ts'
import { activationOf, evaluate, maxPolicyCost, type Inputs } from './activation.ts'
import { applyConfiguration } from './apply-configuration.ts'
import { compileShared, type SharedExpressions } from './compiled-policy.ts'
import { checkTypeNames, patchJson, PatchValueError } from './patch-value.ts'

interface Mutation {
  readonly isApply: boolean
  readonly expression: CompiledExpression
}

export interface CompiledMutations extends SharedExpressions {
  readonly mutations: readonly Mutation[]
}

export function compileMutations(spec: JsonObject): CompiledMutations {
  const { names, variables, conditions } = compileShared(spec)
  const patchNames = { ...names, patchTypes: true }
  const mutations = items(spec.mutations).map(({ patchType, applyConfiguration: apply, jsonPatch }) => {
    const isApply = patchType === 'ApplyConfiguration'
    const source = text(struct(isApply ? apply : jsonPatch)?.expression)
    const wanted = isApply ? 'Object' : 'list(JSONPatch)'
    return { isApply, expression: compileAdmissionExpression(source, wanted, patchNames) }
  })
  return { names, variables, conditions, mutations }
}

/**
 * The object that a mutation makes of `object`, in the same version. Throws an Error: why there is none.
 */
export function mutated(
  { isApply, expression }: Mutation,
  variables: CompiledMutations['variables'],
  inputs: Inputs,
  object: KubeObject,
  shape: Shape,
): KubeObject {
  const outcome = evaluate(expression, activationOf(inputs, variables), { remaining: maxPolicyCost })
  if ('error' in outcome) throw new PatchValueError(outcome.error)
  return isApply ? configured(outcome.value, object, shape) : patched(outcome.value, object)
}

function configured(value: CelValue, object: KubeObject, shape: Shape): KubeObject {
  if (!(value instanceof ConstructedValue)) {
    throw new PatchValueError('unsupported return type from ApplyConfiguration expression')
  }
  checkTypeNames(value)
  return applyConfiguration(shape, object, patchJson(value) as JsonObject)
}

function patched(value: CelValue, object: KubeObject): KubeObject {
  if (!(value instanceof CelList)) {
    throw new PatchValueError('type mismatch: JSONPatchType.expression should evaluate to array')
  }
  const patch = Array.from({ length: value.size }, (_, i) => operationJson(value.at(i)))
  const outcome = tryJsonPatch(object, patch)
  if ('patched' in outcome) return outcome.patched as KubeObject
  // Nothing of a patch with a failed test is applied, and this is no failure.
  if (outcome.isTest) return object
  throw new PatchValueError(`JSON Patch: ${outcome.failure}`)
}

function operationJson(value: CelValue): JsonObject {
  if (!(value instanceof ConstructedValue)) {
    throw new PatchValueError('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch')
  }
  const operation: JsonObject = { op: '', path: '' }
  for (const [name, field] of value.fields) {
    if (name === 'value' && field instanceof ConstructedValue) checkTypeNames(field)
    if (name !== 'from' || field !== '') operation[name] = patchJson(field)
  }
  return operation
}
