/** A request as policies see it: the inputs of their expressions, and the objects of their parameters. */
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { ApiError } from '../../../api/status.ts'
import type { Resource } from '../../contract/resource.ts'
import type { AdmissionRequest } from '../../registry/admission.ts'
import { authorizerOf, type Inputs } from '../expressions/activation.ts'
import type { AdmissionServices } from '../plugin.ts'
import { reviewRequest } from '../webhooks/review.ts'
import { PolicyConfigurationError, type ParamObjects } from './params.ts'
import type { ParamKind } from './policy.ts'

/** Exempt, so that a policy that denies everything can be removed. */
const exempt = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
])

export function isExempt({ group, plural }: Resource): boolean {
  return group === 'admissionregistration.k8s.io' && exempt.has(plural)
}

/** The request in the version that a policy wants. Throws a {@link PolicyConfigurationError}. */
export function reviewOf(request: AdmissionRequest, version: string): JsonObject {
  try {
    return reviewRequest(request, version)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new PolicyConfigurationError(`failed to convert object version: ${error.message}`, { cause: error })
  }
}

export function inputsOf(
  request: AdmissionRequest,
  services: AdmissionServices,
  review: JsonObject,
  params: KubeObject | undefined,
): Inputs {
  const { resource, namespace, context } = request
  return {
    request: review,
    object: review['object'],
    oldObject: review['oldObject'],
    namespaceObject: resource.namespaced ? context.lookup('', 'namespaces', '', namespace) : undefined,
    params,
    authorizer: authorizerOf(request, services.decide),
  }
}

/** Undefined: the policy takes no parameters. Throws a {@link PolicyConfigurationError} if their kind is not served. */
export function paramObjectsOf(
  { paramKind }: { readonly paramKind: ParamKind | undefined },
  { policies }: AdmissionServices,
): ParamObjects | undefined {
  if (paramKind === undefined) return undefined
  const objects = policies.paramObjects(paramKind)
  if (objects !== undefined) return objects
  const { apiVersion, kind } = paramKind
  const shown = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`
  throw new PolicyConfigurationError(`failed to find resource referenced by paramKind: '${shown}'`)
}
