/** What validating and mutating policies and their bindings have in common. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { reject, sameMeaning } from '../shared/errors.ts'
import { fill, specOf, struct, text } from '../shared/values.ts'
import { withinStepLimit } from './expressions.ts'
import { checkMatch, checkParamRef, defaultMatch } from './match.ts'
import { paramKindErrors, paramRefErrors } from './param-access.ts'

/** `hasKnownConditions`: an update leaves the match conditions and the kind of parameters as they are. */
export type PolicyErrors = (object: KubeObject, hasKnownConditions: boolean) => FieldError[]

export function policyStrategy(policyErrors: PolicyErrors): KindStrategy {
  const check = (object: KubeObject, old: KubeObject | undefined, context: WriteContext): FieldError[] => {
    const errors = withinStepLimit('spec', () =>
      policyErrors(object, old !== undefined && hasSameConditions(object, old)),
    )
    return errors.length > 0 ? errors : paramKindErrors(object, old, context)
  }
  return {
    default: (object) => {
      const spec = specOf(object)
      fill(spec, 'failurePolicy', 'Fail')
      defaultMatch(struct(spec.matchConstraints))
    },
    validate: (object, context) => check(object, undefined, context),
    validateUpdate: check,
  }
}

function hasSameConditions(object: KubeObject, old: KubeObject): boolean {
  const [spec, before] = [specOf(object), struct(old.spec) ?? {}]
  return (['paramKind', 'matchConditions'] as const).every((field) => sameMeaning(spec[field], before[field]))
}

interface BindingChecks {
  /** The resource of the policies. */
  readonly policies: string
  /** Default: no further checks. */
  readonly checkMatchResources?: (errors: FieldError[], field: string, match: JsonObject) => void
  /** The fields that only these bindings have. Default: none. */
  readonly checkOwn?: (errors: FieldError[], spec: JsonObject) => void
}

export function bindingStrategy({ policies, checkMatchResources, checkOwn }: BindingChecks): KindStrategy {
  const check = (object: KubeObject, context: WriteContext): FieldError[] => {
    const errors: FieldError[] = []
    const spec = specOf(object)
    const policy = text(spec.policyName)
    if (policy === '') errors.push(fieldError.required('spec.policyName'))
    else reject(errors, 'spec.policyName', policy, checkSubdomain(policy))
    const params = struct(spec.paramRef)
    if (params !== undefined) checkParamRef(errors, 'spec.paramRef', params)
    const match = struct(spec.matchResources)
    if (match !== undefined) {
      checkMatch(errors, 'spec.matchResources', match, false)
      checkMatchResources?.(errors, 'spec.matchResources', match)
    }
    checkOwn?.(errors, spec)
    return errors.length > 0 ? errors : paramRefErrors(object, policies, context)
  }
  return {
    default: (object) => defaultMatch(struct(specOf(object).matchResources)),
    validate: check,
    validateUpdate: (object, _, context) => check(object, context),
  }
}
