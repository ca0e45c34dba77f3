/** Builds AdmissionReview requests and reads the responses of webhooks. */
import { hash } from 'node:crypto'
import { isObject, type FrozenJson, type Json, type JsonObject } from '../../../api/json.ts'
import { apiVersionOf, type KubeObject } from '../../../api/object.ts'
import { ApiError, apiError, type Status } from '../../../api/status.ts'
import type { AdmissionRequest } from '../../registry/admission.ts'

/** The object in the version that the webhook's rules name. Throws an ApiError if the conversion fails. */
export function inWebhookVersion(
  request: AdmissionRequest,
  object: KubeObject | undefined,
  version: string,
): KubeObject | undefined {
  const { resource, subresource } = request
  if (object === undefined) return undefined
  if (subresource === 'scale' && resource.scale !== undefined) return resource.scale.read(object)
  const typed = {
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    ...object,
  } as KubeObject
  // Upstream wraps the error twice.
  return version === resource.version
    ? typed
    : converted(request, typed, version, (problem) => apiError.internalError(`Internal error occurred: ${problem}`))
}

/**
 * The object that a webhook has patched, converted back to the version of the request. Throws an ApiError if the
 * conversion fails.
 */
export function inRequestVersion(request: AdmissionRequest, object: KubeObject): KubeObject {
  const { version, group } = request.resource
  return object.apiVersion === apiVersionOf(group, version)
    ? object
    : converted(request, object, version, (problem) => apiError.internal(problem))
}

function converted(
  { resource, subresource, context }: AdmissionRequest,
  object: KubeObject,
  version: string,
  failure: (problem: string) => ApiError,
): KubeObject {
  const apiVersion = apiVersionOf(resource.group, version)
  const found = resource.convert?.(object, apiVersion, subresource, context.askOutside)
  if (found === undefined || 'problem' in found)
    throw failure(found?.problem ?? `${resource.kind} is not served as ${apiVersion}`)
  return { ...found.object, apiVersion, kind: resource.kind }
}

/** The `request` of the review, without its uid. */
export function reviewRequest(request: AdmissionRequest, version: string): JsonObject {
  const { resource, subresource, operation, namespace, name, object, old, context } = request
  const { user, dryRun } = context
  const part = [resource.subresources.get(subresource)].find(
    (each) => each !== undefined && each.kind !== resource.kind,
  )
  const kindOf = (of: string): JsonObject => {
    const { group, version: own, kind } = part ?? { group: resource.group, version: of, kind: resource.kind }
    return { group, version: own, kind }
  }
  const resourceOf = (of: string): JsonObject => ({ group: resource.group, version: of, resource: resource.plural })
  const below = (field: string): JsonObject => (subresource === '' ? {} : { [field]: subresource })
  return {
    kind: kindOf(version),
    resource: resourceOf(version),
    ...below('subResource'),
    requestKind: kindOf(resource.version),
    requestResource: resourceOf(resource.version),
    ...below('requestSubResource'),
    ...(name === '' ? {} : { name }),
    ...(namespaceOf(request) === '' ? {} : { namespace: namespace === '' ? namespaceOf(request) : namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid === '' ? {} : { uid: user.uid }),
      groups: [...user.groups],
      ...(user.extra === undefined ? {} : { extra: user.extra as Json }),
    },
    object: operation === 'CONNECT' ? connectOptions(object) : (inWebhookVersion(request, object, version) ?? null),
    oldObject: inWebhookVersion(request, old, version) ?? null,
    dryRun,
    options:
      operation === 'CONNECT'
        ? null
        : { apiVersion: 'meta.k8s.io/v1', kind: optionKinds[operation], ...context.options() },
  }
}

const optionKinds = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
} as const

/** The options of a connection have no metadata. */
function connectOptions(object: KubeObject | undefined): Json {
  const { metadata: _, ...options } = object ?? { metadata: {} }
  return options
}

/** For a Namespace, its own name. */
export function namespaceOf({ resource, namespace, name }: AdmissionRequest): string {
  return resource.group === '' && resource.plural === 'namespaces' ? name : namespace
}

/** Identifies an external call: equal for equal reviews of the same webhook. */
export function reviewBody(webhook: string, review: Json): string {
  return hash('sha256', `${webhook}\n${JSON.stringify(review)}`, 'base64')
}

export interface WebhookResponse {
  readonly allowed: boolean
  readonly status?: Status
  readonly patch?: Json
  readonly warnings: readonly string[]
  readonly auditAnnotations: JsonObject
}

/** Throws if the response is malformed. */
export function readReviewResponse(body: FrozenJson, uid: string, mutating: boolean): WebhookResponse {
  const response = isObject(body) ? body['response'] : undefined
  if (!isObject(body) || !isObject(response)) throw new Error('webhook response was absent')
  if (response['uid'] !== uid)
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`)
  if (body['apiVersion'] !== 'admission.k8s.io/v1' || body['kind'] !== 'AdmissionReview') {
    throw new Error(
      'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ' +
        `${String(body['apiVersion'] ?? '')}, Kind=${String(body['kind'] ?? '')}`,
    )
  }
  const { patch, patchType } = response
  if (mutating && patch !== undefined && patchType === undefined)
    throw new Error('webhook returned response.patch but not response.patchType')
  if (mutating && patch === undefined && patchType !== undefined)
    throw new Error('webhook returned response.patchType but not response.patch')
  if (mutating && patchType !== undefined && patchType !== 'JSONPatch')
    throw new Error(`webhook returned invalid response.patchType of ${JSON.stringify(patchType)}`)
  if (!mutating && (patch !== undefined || patchType !== undefined))
    throw new Error('validating webhook may not return response.patch or response.patchType')
  return {
    allowed: response['allowed'] === true,
    ...(isObject(response['status']) ? { status: response['status'] as Status } : {}),
    ...(typeof patch === 'string' ? { patch: JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as Json } : {}),
    warnings: Array.isArray(response['warnings']) ? response['warnings'].map(String) : [],
    auditAnnotations: isObject(response['auditAnnotations']) ? response['auditAnnotations'] : {},
  }
}

/** Keeps the Status that the webhook returned, but makes sure that it is a failure with a code of at least 400. */
export function denied(webhook: string, status: Partial<Status> = {}): ApiError {
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`
  const { code = 0, message = '', reason = '' } = status
  const why = message === '' ? reason : message
  return new ApiError({
    ...status,
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: why === '' ? `${by} without explanation` : `${by}: ${why}`,
    code: code < 400 ? 400 : code,
  })
}
