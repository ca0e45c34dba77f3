/** Handles an AdmissionReview: decodes the request, calls the handler, encodes the response. */
import { isObject, type Json, type JsonObject } from '../api/json.ts'
import { keyText } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import { RunEnded } from '../external/external-error.ts'
import type { ExternalServices } from '../external/external-handle.ts'
import { usingExternals, type ExternalUser } from '../external/external-user.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { AdmissionContext, AdmissionWebhook, Operation, ValidationResult } from './admission-webhook.ts'
import { jsonDifference } from './json-difference.ts'

export interface ReviewServices {
  readonly client: Client
  readonly log: Logger
  readonly signal: AbortSignal
  readonly externals: ExternalServices
}

/** The body is not a review that this server understands. */
export class ReviewError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ReviewError'
  }
}

export interface Reviewed {
  readonly body: JsonObject
  /** The error of the handler. */
  readonly failure?: unknown
  /** The HTTP status: 200, or the reason why the review was rejected. */
  readonly code: number
}

/** Never throws for an error of a handler; throws a {@link ReviewError} for a body that is not a review. */
export async function admissionReview(
  webhook: AdmissionWebhook,
  review: Json,
  services: ReviewServices,
): Promise<Reviewed> {
  const request = requestOf(review)
  const warnings: string[] = []
  const answered = (response: JsonObject): JsonObject => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: request['uid'] as Json, ...response, ...(warnings.length === 0 ? {} : { warnings }) },
  })
  try {
    const warn = (message: string): void => void warnings.push(message)
    const status = await usingExternals(userOf(webhook, request, services), services.externals, (use) =>
      asked(webhook, request, { ...contextOf(request, services, warn), use }),
    )
    return { body: answered(status), code: (status['status'] as { code?: number } | undefined)?.code ?? 200 }
  } catch (failure) {
    if (failure instanceof RunEnded) {
      warnings.push(`what ${webhook.path} answers is not known, and taken for yes: ${failure.message}`)
      return { body: answered({ allowed: true }), code: 200 }
    }
    const message = failure instanceof Error ? failure.message : String(failure)
    return {
      failure,
      code: 500,
      body: answered({ allowed: false, status: { code: 500, reason: 'InternalError', message } }),
    }
  }
}

function requestOf(review: Json): JsonObject {
  const request = isObject(review) ? review['request'] : undefined
  if (!isObject(review) || review['kind'] !== 'AdmissionReview' || !isObject(request)) {
    throw new ReviewError('the body is no AdmissionReview with a request')
  }
  if (review['apiVersion'] !== 'admission.k8s.io/v1') {
    throw new ReviewError(
      `an AdmissionReview of ${String(review['apiVersion'])} is not understood: admission.k8s.io/v1 is`,
    )
  }
  if (typeof request['uid'] !== 'string') throw new ReviewError('the request has no uid')
  return request
}

function userOf(
  { path, kind, options }: AdmissionWebhook,
  request: JsonObject,
  { signal, log }: ReviewServices,
): Omit<ExternalUser, 'end'> {
  const { namespace, name = '' } = request as { readonly namespace?: string; readonly name?: string }
  return {
    declared: options.uses ?? [],
    who: `the webhook ${path}`,
    remedy: (system) => `add uses: [${system}] to its options`,
    controller: path,
    object: `${kind.kind} ${keyText(namespace === undefined ? { name } : { namespace, name })}`,
    signal,
    log,
  }
}

function contextOf(
  request: JsonObject,
  services: ReviewServices,
  warn: AdmissionContext['warn'],
): Omit<AdmissionContext, 'use'> {
  const info = (isObject(request['userInfo']) ? request['userInfo'] : {}) as {
    username?: string
    uid?: string
    groups?: string[]
  }
  const { username = '', uid, groups = [] } = info
  const text = (field: string): string => (typeof request[field] === 'string' ? request[field] : '')
  return {
    operation: text('operation') as Operation,
    name: text('name'),
    namespace: text('namespace') || undefined,
    subresource: text('subResource') || undefined,
    user: { username, ...(uid === undefined ? {} : { uid }), groups },
    dryRun: request['dryRun'] === true,
    requestId: text('uid'),
    client: services.client,
    signal: services.signal,
    log: services.log.with({ requestId: text('uid'), operation: text('operation') }),
    warn,
  }
}

async function asked(
  { type, kind, handlers }: AdmissionWebhook,
  request: JsonObject,
  context: AdmissionContext,
): Promise<JsonObject> {
  const handler = handlers[context.operation]
  if (handler === undefined) return { allowed: true }
  const { object, oldObject } = request
  if (type === 'validating') {
    return validationResponse(
      (await handler({ ...context, object, old: oldObject })) as ValidationResult,
      kind,
      context,
    )
  }
  const copy = structuredClone(object) as Json
  // Drops values that JSON cannot represent, such as undefined.
  const changed = JSON.parse(
    JSON.stringify((await handler({ ...context, object: copy, old: oldObject })) ?? copy),
  ) as Json
  const patch = jsonDifference(object as Json, changed)
  if (patch.length === 0) return { allowed: true }
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
}

function validationResponse(
  result: ValidationResult,
  kind: AdmissionWebhook['kind'],
  { name }: AdmissionContext,
): JsonObject {
  if (result === undefined || result.length === 0) return { allowed: true }
  if (typeof result === 'string') return { allowed: false, status: { code: 403, reason: 'Forbidden', message: result } }
  const words = result.map(({ field, message }) => `${field}: ${message}`)
  const full = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  return {
    allowed: false,
    status: {
      code: 422,
      reason: 'Invalid',
      message: `${full} ${JSON.stringify(name)} is invalid: ${words.length === 1 ? words[0] : `[${words.join(', ')}]`}`,
      details: {
        name,
        group: kind.group,
        kind: kind.kind,
        causes: result.map(({ field, message }) => ({ reason: 'FieldValueInvalid', message, field })),
      },
    },
  }
}
