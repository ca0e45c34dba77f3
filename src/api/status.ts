/**
 * Status: the body of every response that is not an object, and the error that carries it.
 * Every failure inside the control plane is thrown as an {@link ApiError}; clients parse a body back into one.
 */
import { causeMessage, causeReason, fieldErrorMessage, maxErrors, type FieldError } from './field-error.ts'

export type StatusCause = {
  reason?: string
  message?: string
  field?: string
}

export type StatusDetails = {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

export type Status = {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: { continue?: string }
  status: 'Success' | 'Failure'
  message?: string
  reason?: string
  details?: StatusDetails
  code?: number
}

/** The name of a resource in an error: `configmaps`, `widgets.ex.io`. */
export interface ResourceName {
  group: string
  resource: string
}

export class ApiError extends Error {
  readonly status: Status

  constructor(status: Status) {
    super(status.message ?? status.reason ?? 'unknown error')
    this.name = 'ApiError'
    this.status = status
  }

  get code(): number {
    return this.status.code ?? 500
  }

  get reason(): string {
    return this.status.reason ?? ''
  }
}

function failure(code: number, reason: string, message: string, details?: StatusDetails): ApiError {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message }
  if (reason !== '') status.reason = reason
  if (details !== undefined) status.details = details
  status.code = code
  return new ApiError(status)
}

/** `widgets.ex.io`, or `configmaps` in the core group. */
export function qualified(group: string, name: string): string {
  return group === '' ? name : `${name}.${group}`
}

function about(of: ResourceName, name: string): StatusDetails {
  const details: StatusDetails = {}
  if (name !== '') details.name = name
  if (of.group !== '') details.group = of.group
  details.kind = of.resource
  return details
}

/** The errors of the API, one function each, with upstream's codes and messages. */
export const apiError = {
  badRequest: (message: string) => failure(400, 'BadRequest', message),
  unauthorized: () => failure(401, 'Unauthorized', 'Unauthorized'),
  forbidden(of: ResourceName, name: string, why: string, causes?: StatusCause[]) {
    const resource = qualified(of.group, of.resource)
    const subject = name === '' ? resource : `${resource} ${quote(name)}`
    const details = about(of, name)
    if (of.resource === '') delete details.kind
    if (causes !== undefined) details.causes = causes
    const isNamed = of.group !== '' || of.resource !== ''
    return failure(403, 'Forbidden', `${isNamed ? `${subject} is ` : ''}forbidden: ${why}`, details)
  },
  notFound: (of: ResourceName, name: string) =>
    failure(404, 'NotFound', `${qualified(of.group, of.resource)} ${quote(name)} not found`, about(of, name)),
  /** The group-version is served, the resource is not. */
  noSuchResource: () => failure(404, 'NotFound', 'the server could not find the requested resource', {}),
  methodNotAllowed: () =>
    failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {}),
  alreadyExists: (of: ResourceName, name: string, beingDeleted = false) =>
    failure(
      409,
      'AlreadyExists',
      `${beingDeleted ? 'object is being deleted: ' : ''}${qualified(of.group, of.resource)} ${quote(name)} ` +
        'already exists',
      about(of, name),
    ),
  conflict: (of: ResourceName, name: string, why: string) =>
    failure(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${qualified(of.group, of.resource)} ${quote(name)}: ${why}`,
      about(of, name),
    ),
  modified: (of: ResourceName, name: string) =>
    apiError.conflict(
      of,
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    ),
  /** A server-side apply that would change fields of other managers. */
  applyConflict: (message: string, causes: StatusCause[]) => failure(409, 'Conflict', message, { causes }),
  expired(message: string, continueToken?: string) {
    const error = failure(410, 'Expired', message)
    if (continueToken !== undefined) error.status.metadata.continue = continueToken
    return error
  },
  tooLarge: (message: string) => failure(413, 'RequestEntityTooLarge', message),
  unsupportedMediaType: (message: string, details?: StatusDetails) =>
    failure(415, 'UnsupportedMediaType', message, details),
  notAcceptable: (message: string, details?: StatusDetails) => failure(406, 'NotAcceptable', message, details),
  /** Validation errors: `group` and `kind` are those of the kind, not of the resource. */
  invalid(group: string, kind: string, name: string, errors: readonly FieldError[]) {
    const shown = withinLimit(errors)
    const messages = [...new Set(shown.map(fieldErrorMessage))]
    if (shown.length < errors.length) messages.push('and more errors')
    const joined = messages.length === 1 ? (messages[0] as string) : `[${messages.join(', ')}]`
    const details: StatusDetails = {}
    if (name !== '') details.name = name
    if (group !== '') details.group = group
    if (kind !== '') details.kind = kind
    details.causes = shown.map((e) => ({ reason: causeReason(e), message: causeMessage(e), field: e.field }))
    return failure(422, 'Invalid', `${qualified(group, kind)} ${quote(name)} is invalid: ${joined}`, details)
  },
  /** A patch that cannot be applied to the object; upstream does not say why. */
  unprocessable: () => failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {}),
  /** An error that upstream returns unchanged: code 500 and no reason. */
  internal: (message: string) => failure(500, '', message),
  /** An internal error of upstream: reason InternalError, with its text as the cause. */
  internalError: (why: string) =>
    failure(500, 'InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] }),
  timeout(message: string, retryAfterSeconds: number, cause?: StatusCause) {
    const details: StatusDetails = { retryAfterSeconds }
    if (cause !== undefined) details.causes = [cause]
    return failure(504, 'Timeout', message, details)
  },
}

/** The limit for the text of all validation errors of a response. An error may show a whole list, one for each item. */
const maxErrorsCharacters = 1024 * 1024

/** The first errors, within the limits; the first one in any case. */
function withinLimit(errors: readonly FieldError[]): readonly FieldError[] {
  let length = 0
  const end = errors.findIndex(({ field, summary, detail }, i) => {
    length += field.length + summary.length + detail.length
    return i > 0 && (length > maxErrorsCharacters || i >= maxErrors)
  })
  return end < 0 ? errors : errors.slice(0, end)
}

function quote(text: string): string {
  return JSON.stringify(text)
}

/** The Status response of a delete that removed the object. */
export function deletedStatus(of: ResourceName, name: string, uid: string): Status {
  const details: StatusDetails = { ...about(of, name), uid }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}
