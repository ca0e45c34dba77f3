/**
 * Handler: every request, from HTTP or in process, passes here:
 * what does it ask → may the user → which form → the registry → the form asked for.
 */
import type { Json } from '../../api/json.ts'
import { checkPathSegment } from '../../api/names.ts'
import { ApiError, apiError } from '../../api/status.ts'
import { forbidden, type Authorizer } from '../auth/authorizer.ts'
import type { ApiDocuments } from '../discovery/api-documents.ts'
import type { Backend, Call } from '../registry/call.ts'
import type { ApiRequest, ApiResponse, ObjectResponse, TextResponse } from '../registry/request.ts'
import { requestInfo, type ResourceRequest } from '../registry/request-info.ts'
import type { Resource } from '../registry/resource.ts'
import { checkBodySize } from '../registry/size.ts'
import { dispatch } from './dispatch.ts'
import { errorEncoding, negotiate, protobufType, type Encoding } from './negotiate.ts'
import { represent } from './represent.ts'
import type { ReviewHandler } from './reviews.ts'

export interface HandlerOptions {
  readonly backend: Backend
  readonly authorizer: Authorizer
  readonly documents: ApiDocuments
  readonly reviews: ReviewHandler
  /** Told of errors that are nobody's fault but ours. */
  readonly onInternalError: (error: unknown, request: ApiRequest) => void
}

export class Handler {
  readonly #options: HandlerOptions

  constructor(options: HandlerOptions) {
    this.#options = options
  }

  /** Never throws and never rejects: failures are Status answers. */
  handle(request: ApiRequest): ApiResponse | Promise<ApiResponse> {
    try {
      const response = this.#handle(request)
      return response instanceof Promise ? response.catch((error: unknown) => this.#failure(error, request)) : response
    } catch (error) {
      return this.#failure(error, request)
    }
  }

  #handle(request: ApiRequest): ApiResponse | Promise<ApiResponse> {
    const info = requestInfo(request.method, request.path, request.query)
    if (!this.#options.authorizer.allows(request.user, info)) throw forbidden(request.user, info)
    if (!info.isResource) return this.#options.documents.respond(request) ?? pageNotFound
    const resource = this.#find(info)
    if (resource === undefined) return pageNotFound
    if (!methods.has(request.method)) throw apiError.methodNotAllowed()
    if (typeof request.body === 'object' && !(request.body instanceof Uint8Array)) checkBodySize(request.body)
    const review = this.#options.reviews.find(info, request)
    const form = negotiate(request.headers['accept'], request.query, resource)
    if (info.verb === 'watch' && form.encoding === 'yaml') throw apiError.notAcceptable(`only the following media types are accepted: ${streams}`)
    const { backend } = this.#options
    const call: Call = {
      backend, resource, request,
      namespace: resource.namespaced ? info.namespace : '',
      name: info.name,
      subresource: info.subresource,
      user: request.user,
      warnings: new Set(),
    }
    if (resource.rules.deprecation !== undefined) call.warnings.add(resource.rules.deprecation)
    const finish = (answer: ApiResponse) =>
      withWarnings(represent(answer, resource, form, () => backend.env.now()), call.warnings, form.encoding)
    const fail = (error: unknown) => withWarnings(this.#failure(error, request), call.warnings, 'json')
    try {
      const response = review === undefined ? dispatch(call, info.verb) : review(call)
      return response instanceof Promise ? response.then(finish).catch(fail) : finish(response)
    } catch (error) {
      return fail(error)
    }
  }

  /** Undefined: the group is unknown, which upstream answers as plain text. Throws for what is unknown in a known group. */
  #find(info: ResourceRequest): Resource | undefined {
    const { catalog } = this.#options.backend
    const resource = catalog.find(info.group, info.version, info.resource)
    if (resource === undefined) {
      if (catalog.hasBuiltins(info.group)) throw apiError.noSuchResource()
      return undefined
    }
    checkRoute(resource, info)
    return resource
  }

  #failure(error: unknown, request: ApiRequest): ObjectResponse {
    if (error instanceof ApiError) return inEncoding(failureResponse(error), request)
    this.#options.onInternalError(error, request)
    const text = error instanceof Error ? error.message : String(error)
    return inEncoding(failureResponse(apiError.internal(`Internal error occurred: ${text}`)), request)
  }
}

/** YAML has no form for a stream. */
const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch'

const pageNotFound: TextResponse = {
  type: 'text', status: 404, contentType: 'text/plain; charset=utf-8', body: '404 page not found\n',
}

export function failureResponse(error: ApiError): ObjectResponse {
  const retry = error.status.details?.retryAfterSeconds
  const response: ObjectResponse = { type: 'object', status: error.code, body: error.status as unknown as Json }
  return retry === undefined ? response : { ...response, headers: { 'retry-after': String(retry) } }
}

/** Clients that speak protobuf or YAML expect it of errors too. */
function inEncoding(response: ObjectResponse, request: ApiRequest): ObjectResponse {
  const encoding = errorEncoding(request.headers['accept'])
  if (encoding === 'json') return response
  return { ...response, headers: { ...response.headers, 'content-type': encoding === 'yaml' ? 'application/yaml' : protobufType } }
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

const mutating = new Set(['create', 'deletecollection'])

/** A custom resource on its way out tells discovery of fewer verbs than it answers: finalizers must still be removed. */
const customVerbs: readonly string[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** Throws 404 or 405 for paths that no route of the resource has. */
function checkRoute(resource: Resource, info: ResourceRequest): void {
  const { namespaced, subresources } = resource
  const isCollection = info.name === ''
  const isOwn = resource.plural === 'namespaces' && info.namespace === info.name
  if (!namespaced && info.namespace !== '' && !isOwn) throw apiError.noSuchResource()
  if (namespaced && info.namespace === '') {
    if (mutating.has(info.verb) && isCollection) throw apiError.methodNotAllowed()
    if (!isCollection) throw apiError.noSuchResource()
  }
  if (!isCollection) {
    const problems = checkPathSegment(info.name)
    if (problems.length > 0) throw apiError.badRequest(`Name parameter invalid: ${JSON.stringify(info.name)}: ${problems.join('; ')}`)
  }
  let verbs = resource.builtin ? resource.verbs : customVerbs
  if (info.subresource !== '') {
    const subresource = subresources.get(info.subresource)
    if (subresource === undefined) throw missingSubresource(resource, info)
    if (info.rest !== '' && info.subresource !== 'proxy') throw apiError.noSuchResource()
    verbs = subresource.verbs
  } else if (isCollection ? info.verb === 'update' || info.verb === 'patch' : info.verb === 'create') {
    throw apiError.methodNotAllowed()
  }
  if (!verbs.includes(info.verb) && !(info.verb === 'watch' && verbs.includes('list'))) throw apiError.methodNotAllowed()
}

/** A custom resource without the subresource answers as if the object were missing. */
function missingSubresource(resource: Resource, info: ResourceRequest): ApiError {
  if (resource.builtin) return apiError.noSuchResource()
  return apiError.notFound({ group: resource.group, resource: resource.plural }, info.name)
}

function withWarnings(response: ApiResponse, warnings: ReadonlySet<string>, encoding: Encoding): ApiResponse {
  if (warnings.size === 0 && encoding === 'json') return response
  const headers: Record<string, string | readonly string[]> = { ...response.headers }
  if (warnings.size > 0) headers['warning'] = [...warnings].map((text) => `299 - ${quoteWarning(text)}`)
  if (encoding !== 'json') headers['content-type'] = encoding === 'yaml' ? 'application/yaml' : protobufType
  return { ...response, headers }
}

/** A quoted string without what a header cannot carry. */
function quoteWarning(text: string): string {
  // eslint-disable-next-line no-control-regex
  const clean = text.replace(/[\u0000-\u001f\u007f]/g, ' ')
  return `"${clean.replace(/[\\"]/g, '\\$&')}"`
}
