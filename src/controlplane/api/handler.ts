/**
 * API handler: every request, from HTTP or in process, passes through here: parse the path → authorize → negotiate the
 * representation → dispatch to the registry → transform the response.
 */
import { ApiError, apiError } from '../../api/status.ts'
import { alwaysAllow, forbidden, type Authorizer } from '../auth/authorizer.ts'
import { actingUser } from '../auth/impersonation.ts'
import { ignoredTokenWarning } from '../auth/tokens.ts'
import { anonymous } from '../auth/user-names.ts'
import { convertingBackend } from '../conversion/converting-store.ts'
import type { ApiDocuments } from '../discovery/api-documents.ts'
import type { Backend, RegistryCall } from '../registry/call.ts'
import type { ApiRequest, ApiResponse, ObjectResponse, TextResponse } from '../contract/request.ts'
import { requestInfo, type RequestInfo, type ResourceRequest } from '../registry/request-info.ts'
import { maxWarningCharacters, maxWarningsCharacters } from '../contract/warnings.ts'
import { noExternalAnswers, ExternalCall } from '../contract/external-calls.ts'
import { RequestReplay, type ReplayState } from '../registry/request-replay.ts'
import { TurnOver } from '../registry/turn-over.ts'
import { WriteStages } from '../registry/write-stages.ts'
import { backendOf } from '../registry/view-store.ts'
import type { Resource, UserInfo } from '../contract/resource.ts'
import { checkBodySize } from '../registry/size.ts'
import { plainTextResponse } from '../discovery/plain-response.ts'
import { checkRoute, isAction } from './builtin-route.ts'
import { checkCustomRoute, isCustomPath } from './custom-route.ts'
import { dispatch } from './dispatch.ts'
import { errorEncoding, negotiate, protobufMediaType, type Encoding, type Representation } from './negotiate.ts'
import { transformResponse } from './transform-response.ts'
import { isContainerConnection, type PodConnections } from './pod-connections.ts'
import type { ReviewHandler } from './reviews.ts'
import { decorateResponse } from './decorate-response.ts'

export interface ApiHandlerOptions {
  readonly backend: Backend
  readonly authorizer: Authorizer
  readonly documents: ApiDocuments
  readonly reviews: ReviewHandler
  readonly connections: PodConnections
  /** The discovery documents of the token issuer. */
  readonly openId: (request: ApiRequest) => ApiResponse | undefined
  /** `/metrics` */
  readonly metrics: (request: ApiRequest) => ApiResponse | undefined
  /** Called for unexpected errors, which are bugs of the server. */
  readonly onInternalError: (error: unknown, request: ApiRequest) => void
}

/** A request to a resource, after routing, authorization and negotiation. */
interface Work {
  readonly request: ApiRequest
  readonly info: ResourceRequest
  readonly resource: Resource
  readonly user: UserInfo
  readonly bodyLength: number | undefined
  /** Serves the request instead of the registry. */
  readonly special: ((call: RegistryCall) => ApiResponse | Promise<ApiResponse>) | undefined
  readonly form: Representation
  readonly served: Backend
  readonly stages: WriteStages | undefined
  /** The warnings of the current run. */
  warnings: Set<string>
}

export class ApiHandler {
  readonly #options: ApiHandlerOptions

  constructor(options: ApiHandlerOptions) {
    this.#options = options
  }

  /** Never throws and never rejects: failures become Status responses. */
  handle(request: ApiRequest): ApiResponse | Promise<ApiResponse> {
    const { authorization } = request.headers
    const warning =
      request.user === anonymous && authorization !== undefined ? ignoredTokenWarning(authorization) : undefined
    const response = this.#answer(request)
    if (warning === undefined) return response
    return response instanceof Promise
      ? response.then((resolved) => warned(resolved, warning))
      : warned(response, warning)
  }

  #answer(request: ApiRequest): ApiResponse | Promise<ApiResponse> {
    try {
      const response = this.#handle(request)
      return response instanceof Promise ? response.catch((error: unknown) => this.#failure(error, request)) : response
    } catch (error) {
      return this.#failure(error, request)
    }
  }

  #handle(request: ApiRequest): ApiResponse | Promise<ApiResponse> {
    if (request.path.includes('%') && /%(?![0-9a-fA-F]{2})/.test(request.path)) return malformedUrl
    const info = requestInfo(request.method, request.path, request.query)
    if (info === undefined) return noResource(request)
    const user = actingUser(request, this.#options.authorizer)
    this.#authorize(user, info)
    if (!info.isResource) {
      const about = info.path === request.path ? request : { ...request, path: info.path }
      const { openId, documents, metrics } = this.#options
      return openId(about) ?? documents.respond(about) ?? metrics(about) ?? pageNotFound
    }
    const resource = this.#find(info, request)
    if (resource === undefined) return pageNotFound
    if (!resource.builtin) {
      const refused = this.#rejection(resource, info, request)
      if (refused !== undefined) return refused
    }
    const bodyLength = lengthOf(request.body)
    const special = this.#options.reviews.find(info) ?? this.#options.connections.find(info)
    const collection = info.verb === 'list' || info.verb === 'watch'
    const form = negotiate(
      request.headers['accept'],
      request.query,
      resource,
      collection,
      hasTable(resource, info),
      info.subresource === 'log' ? 'text/plain' : '',
    )
    if (info.verb === 'watch' && form.encoding === 'yaml')
      throw apiError.notAcceptable(`only the following media types are accepted: ${streams}`)
    const served = backendOf(resource, this.#options.backend)
    const stages = WriteStages.for(request)
    const work: Work = { request, info, resource, user, bodyLength, special, form, served, stages, warnings: new Set() }
    // deletecollection may delete some objects before it needs an external call.
    const needsState = info.verb === 'deletecollection' || stages !== undefined
    const replay = new RequestReplay(served.env, (state) => this.#run(work, state), needsState)
    const response = replay.respond()
    return response instanceof Promise ? response.catch((error: unknown) => this.#failed(error, work)) : response
  }

  /**
   * One run of a request to a resource. Throws an {@link ExternalCall} if it needs the result of a call that was not
   * made yet.
   */
  #run(work: Work, state: ReplayState | undefined): ApiResponse | Promise<ApiResponse> {
    const { request, info, resource, user, special, served } = work
    const known = state === undefined ? served : { ...served, env: state.env }
    const continues = work.stages?.begin() === true
    // Each replay collects its warnings again.
    if (state !== undefined && !continues) {
      work.warnings = new Set()
      request.audit?.restart()
    }
    if (resource.strategy.deprecation !== undefined) {
      work.warnings.add(resource.strategy.deprecation)
      request.audit?.deprecated()
    }
    const call: RegistryCall = {
      backend: convertingBackend(resource, known, state?.ask ?? noExternalAnswers, info.verb),
      resource,
      request,
      bodyLength: work.bodyLength,
      askOutside: state?.ask,
      once: state?.once,
      stages: work.stages,
      namespace: resource.namespaced ? info.namespace : '',
      name: info.name,
      subresource: info.subresource,
      user,
      authorizeCreate: this.#createCheck(user, info),
      warnings: work.warnings,
    }
    try {
      const response = special === undefined ? dispatch(call, info.verb) : special(call)
      if (!(response instanceof Promise)) return this.#finished(response, work)
      return response
        .then((answer) => this.#finished(answer, work))
        .catch((error: unknown) => this.#failed(error, work))
    } catch (error) {
      return this.#failed(error, work)
    }
  }

  /** Decorates and transforms the response. */
  #finished(response: ApiResponse, { info, resource, form, warnings }: Work): ApiResponse {
    const show = info.subresource === '' ? resource.strategy.shown : undefined
    const shown = show === undefined ? response : decorateResponse(response, show)
    const { env } = this.#options.backend
    return withWarnings(
      transformResponse(shown, resource, form, () => env.now()),
      warnings,
      form.encoding,
    )
  }

  #failed(error: unknown, { request, warnings, stages }: Work): ApiResponse {
    if (error instanceof TurnOver) throw error
    if (error instanceof ExternalCall) {
      stages?.clear()
      throw error
    }
    return withWarnings(this.#failure(error, request), warnings, 'json')
  }

  #authorize(user: UserInfo, info: RequestInfo): void {
    const { authorizer } = this.#options
    if (authorizer === alwaysAllow || authorizer.allows(user, info)) return
    throw forbidden(user, info, authorizer.decide(user, info).reason)
  }

  /**
   * A PUT or an apply of a missing object creates it, which needs the create permission too. So does a connection to a
   * container by GET.
   */
  #createCheck(user: UserInfo, info: ResourceRequest): (() => void) | undefined {
    const { authorizer } = this.#options
    if (authorizer === alwaysAllow) return undefined
    if (info.verb === 'update' || info.verb === 'patch') return () => this.#authorize(user, { ...info, verb: 'create' })
    if (info.verb !== 'get' || !isContainerConnection(info)) return undefined
    return () => {
      const { allowed, reason } = authorizer.decide(user, { ...info, verb: 'create' })
      if (!allowed) throw apiError.forbidden({ group: info.group, resource: info.resource }, info.name, reason)
    }
  }

  /**
   * Undefined if the group is unknown, which upstream answers in plain text. Throws for unknown resources of a known
   * group, and for what built-in resources have no route for.
   */
  #find(info: ResourceRequest, request: ApiRequest): Resource | undefined {
    if (info.form === 'unserved') return undefined
    const { catalog } = this.#options.backend
    const resource = catalog.find(info.group, info.version, info.resource)
    if (resource === undefined) {
      if (catalog.hasBuiltins(info.group)) throw apiError.noSuchResource()
      return undefined
    }
    if (!resource.builtin) return isCustomPath(resource, info) ? resource : undefined
    checkRoute(resource, info, request)
    return resource
  }

  /**
   * The response to a path that is not a route of a custom resource. It carries the deprecation warning, as all
   * responses do.
   */
  #rejection(resource: Resource, info: ResourceRequest, request: ApiRequest): ApiResponse | undefined {
    try {
      checkCustomRoute(resource, info, request)
      return undefined
    } catch (error) {
      const { deprecation } = resource.strategy
      // Upstream has a handler for it, which rejects it.
      if (deprecation !== undefined && error instanceof ApiError && error.code !== 404 && error.code !== 405)
        request.audit?.deprecated()
      return withWarnings(
        this.#failure(error, request),
        new Set(deprecation === undefined ? [] : [deprecation]),
        'json',
      )
    }
  }

  #failure(error: unknown, request: ApiRequest): ObjectResponse {
    if (error instanceof ApiError) return inEncoding(apiErrorResponse(error), request)
    this.#options.onInternalError(error, request)
    const text = error instanceof Error ? error.message : String(error)
    return inEncoding(apiErrorResponse(apiError.internal(`Internal error occurred: ${text}`)), request)
  }
}

/** YAML has no streaming form. */
const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch'

const pageNotFound: TextResponse = {
  type: 'text',
  status: 404,
  contentType: 'text/plain; charset=utf-8',
  body: '404 page not found\n',
}

/** Go's HTTP server rejects these before any handler runs. */
const malformedUrl: TextResponse = {
  type: 'text',
  status: 400,
  contentType: 'text/plain; charset=utf-8',
  body: '400 Bad Request',
  headers: { 'cache-control': '' },
}

/** A path that ends with `watch` or `proxy`, where a resource must follow. */
function noResource({ path, query }: ApiRequest): TextResponse {
  const url = query.size === 0 ? path : `${path}?${query.toString()}`
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${url}`
  const answer = plainTextResponse(500, `Internal Server Error: ${JSON.stringify(url)}: ${why}\n`)
  return { ...answer, headers: { ...answer.headers, 'cache-control': '' } }
}

export function apiErrorResponse(error: ApiError): ObjectResponse {
  const retry = error.status.details?.retryAfterSeconds
  const response: ObjectResponse = { type: 'object', status: error.code, body: error.status }
  return retry === undefined ? response : { ...response, headers: { 'retry-after': String(retry) } }
}

/** An error that is not an ApiError becomes an internal error. */
export function errorResponse(error: unknown): ObjectResponse {
  return apiErrorResponse(
    error instanceof ApiError ? error : apiError.internal(`Internal error occurred: ${String(error)}`),
  )
}

/** Clients that accept protobuf or YAML get errors in it, too. */
function inEncoding(response: ObjectResponse, request: ApiRequest): ObjectResponse {
  const encoding = errorEncoding(request.headers['accept'])
  if (encoding === 'json') return response
  return {
    ...response,
    headers: { ...response.headers, 'content-type': encoding === 'yaml' ? 'application/yaml' : protobufMediaType },
  }
}

/** Throws 413 if a JSON value is too large. The listener has limited text and bytes already. */
function lengthOf(body: ApiRequest['body']): number | undefined {
  if (typeof body === 'string') return body.length
  return typeof body !== 'object' || body instanceof Uint8Array ? undefined : checkBodySize(body)
}

/** Objects have tables, and so have their status and scale. */
function hasTable(resource: Resource, { subresource }: ResourceRequest): boolean {
  return subresource === '' ? !isAction(resource) : subresource === 'status' || subresource === 'scale'
}

function withWarnings(response: ApiResponse, warnings: ReadonlySet<string>, encoding: Encoding): ApiResponse {
  if (warnings.size === 0 && encoding === 'json') return response
  const headers: Record<string, string | readonly string[]> = { ...response.headers }
  if (warnings.size > 0) headers['warning'] = shortened(warnings).map(warningHeader)
  if (encoding !== 'json' && response.type !== 'text' && response.type !== 'stream')
    headers['content-type'] = encoding === 'yaml' ? 'application/yaml' : protobufMediaType
  return { ...response, headers }
}

/** Puts a warning in front of those of the request. */
function warned(response: ApiResponse, text: string): ApiResponse {
  const later = response.headers?.['warning'] ?? []
  return { ...response, headers: { ...response.headers, warning: [warningHeader(text), ...[later].flat()] } }
}

function shortened(warnings: ReadonlySet<string>): string[] {
  const texts = [...warnings]
  const sum = texts.reduce((total, text) => total + text.length, 0)
  if (
    sum <= maxWarningsCharacters ||
    texts.reduce((total, text) => total + [...text].length, 0) <= maxWarningsCharacters
  )
    return texts
  const kept: string[] = []
  let written = 0
  for (const text of texts) {
    if (written >= maxWarningsCharacters) break
    const characters = [...text].slice(0, maxWarningCharacters)
    written += characters.length
    kept.push(characters.join(''))
  }
  return kept
}

function warningHeader(text: string): string {
  return `299 - ${quoteWarning(text)}`
}

/** As a quoted string, with control characters replaced. */
function quoteWarning(text: string): string {
  // eslint-disable-next-line no-control-regex
  const clean = text.replace(/[\u0000-\u001f\u007f]/g, ' ')
  return `"${clean.replace(/[\\"]/g, '\\$&')}"`
}
