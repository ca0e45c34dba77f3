/**
 * Records requests and their responses in the audit log, around the API handler. Without an audit log the handler is
 * used as it is, so that it costs nothing.
 *
 * Stages: RequestReceived; ResponseStarted, for watches and logs only; ResponseComplete, when a response is known, or
 * its stream has ended. A request whose authentication failed has ResponseStarted only, as upstream.
 */
import { cloneJson, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { completed } from '../../codec/steps.ts'
import { parseYamlBody } from '../../codec/yaml-text.ts'
import type { Env } from '../../env/env.ts'
import { listValue } from '../api/list-encoder.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { actingUser } from '../auth/impersonation.ts'
import type { ApiRequest, ApiResponse, StreamResponse, WatchResponse } from '../contract/request.ts'
import type { RequestAudit } from '../contract/request-audit.ts'
import type { UserInfo } from '../contract/resource.ts'
import { requestInfo, type RequestInfo } from '../registry/request-info.ts'
import { auditLine, type AuditFormat, type AuditRecord } from './event.ts'
import { AuditPolicy, type AuditDecision, type AuditStage } from './policy.ts'
import { withoutManagedFields } from './managed-fields.ts'

type Handle = (request: ApiRequest) => ApiResponse | Promise<ApiResponse>

export interface AuditOptions {
  /** The content of a policy file. An invalid one is an {@link AuditPolicyError}. */
  readonly policy: unknown
  /** Receives a line without its newline. Must not throw. */
  readonly write: (line: string) => void
  /** Default `json`. */
  readonly format?: AuditFormat | undefined
}

export interface AuditServices extends AuditOptions {
  readonly env: Env
  readonly authorizer: Authorizer
}

export class AuditedHandler {
  readonly #services: AuditServices
  readonly #policy: AuditPolicy
  readonly #handle: Handle

  /** Throws an {@link AuditPolicyError}. */
  constructor(handle: Handle, services: AuditServices) {
    this.#handle = handle
    this.#services = services
    this.#policy = new AuditPolicy(services.policy)
  }

  /** As the handler: never throws. */
  readonly handle: Handle = (request) => {
    const info = infoOf(request)
    const decision = info === undefined ? undefined : this.#policy.decide(request.user, info)
    if (info === undefined || decision === undefined) return this.#handle(request)
    const record = this.#record(request, info, decision, request.user)
    const entry = new AuditEntry(this.#services, decision, record, request)
    entry.write('RequestReceived')
    entry.authorize()
    request.audit = entry
    const response = this.#handle(request)
    return response instanceof Promise ? response.then((resolved) => entry.respond(resolved)) : entry.respond(response)
  }

  /** A request with invalid credentials, which is answered with 401. Its user is not known. */
  unauthenticated(request: ApiRequest): void {
    const info = infoOf(request)
    const decision = info === undefined ? undefined : this.#policy.decide(undefined, info)
    if (info === undefined || decision === undefined) return
    const record = this.#record(request, info, decision, undefined)
    const { kind, apiVersion, ...status } = unauthorized
    record.responseStatus = status
    if (decision.level === 'RequestResponse' && info.isResource) record.responseObject = { kind, apiVersion, ...status }
    new AuditEntry(this.#services, decision, record, request).write('ResponseStarted')
  }

  /** A request that is answered with 429 before it is authorized. Returns the response with the entry's id. */
  rejected(request: ApiRequest, response: ApiResponse): ApiResponse {
    const info = infoOf(request)
    const decision = info === undefined ? undefined : this.#policy.decide(request.user, info)
    if (info === undefined || decision === undefined) return response
    const record = this.#record(request, info, decision, request.user)
    const entry = new AuditEntry(this.#services, decision, record, request)
    entry.write('RequestReceived')
    return entry.respond(response)
  }

  #record(request: ApiRequest, info: RequestInfo, { level }: AuditDecision, user: UserInfo | undefined): AuditRecord {
    const { env } = this.#services
    const { headers, path, query } = request
    const agent = headers['user-agent'] ?? ''
    return {
      level,
      info,
      user,
      auditId: headers['audit-id'] || env.uuid(),
      requestUri: request.uri ?? (query.size === 0 ? path : `${path}?${query.toString()}`),
      sourceIps: request.sourceIps?.() ?? [],
      userAgent: agent.length > maxUserAgentChars ? `${agent.slice(0, maxUserAgentChars)}...TRUNCATED` : agent,
      receivedAt: env.now(),
      annotations: new Map(),
    }
  }
}

const maxUserAgentChars = 1024

/** Of such a response only the code is known: upstream has no serializer for its Status. */
const notAcceptableCode = 406

const unauthorized = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
}

function infoOf({ method, path, query }: ApiRequest): RequestInfo | undefined {
  try {
    return requestInfo(method, path, query)
  } catch {
    // A path that cannot be decoded: it is rejected before anything is done.
    return undefined
  }
}

/** The entries of one request in the log. */
class AuditEntry implements RequestAudit {
  readonly #services: AuditServices
  readonly #decision: AuditDecision
  readonly #record: AuditRecord
  readonly #request: ApiRequest
  readonly #annotations = new Map<string, string>()
  #isDeprecated = false
  #isComplete = false

  constructor(services: AuditServices, decision: AuditDecision, record: AuditRecord, request: ApiRequest) {
    this.#services = services
    this.#decision = decision
    this.#record = record
    this.#request = request
  }

  write(stage: AuditStage): void {
    if (this.#decision.omitStages.has(stage)) return
    const { env, format = 'json', write } = this.#services
    write(auditLine(this.#record, stage, env.now(), format))
  }

  /** Adds what is known before the request is executed: who acts, and whether they may. */
  authorize(): void {
    const record = this.#record
    const acting = actingIn(this.#request, this.#services.authorizer)
    if (acting === undefined) return
    if (acting !== this.#request.user) record.impersonatedUser = acting
    const { allowed, reason } = this.#services.authorizer.decide(acting, record.info)
    record.annotations.set('authorization.k8s.io/decision', allowed ? 'allow' : 'forbid')
    record.annotations.set('authorization.k8s.io/reason', reason)
  }

  restart(): void {
    this.#annotations.clear()
  }

  object(object: Json): void {
    const record = this.#record
    record.objectMetadata = metadataOf(object)
    if (record.level === 'Metadata') return
    record.requestObject = cloneJson(this.#decision.omitManagedFields ? withoutManagedFields(object) : object)
  }

  patch(): void {
    if (this.#record.level === 'Metadata') return
    const patch = bodyOf(this.#request)
    if (patch !== undefined) this.#record.requestObject = patch
  }

  annotate(key: string, value: string, level: 'Metadata' | 'Request' = 'Metadata'): void {
    if (level === 'Request' && this.#record.level === 'Metadata') return
    if (!this.#annotations.has(key)) this.#annotations.set(key, value)
  }

  deprecated(): void {
    this.#isDeprecated = true
  }

  respond(response: ApiResponse): ApiResponse {
    const headers = { ...response.headers, 'audit-id': this.#record.auditId }
    for (const [key, value] of this.#annotations) this.#record.annotations.set(key, value)
    this.#record.responseStatus = this.#statusOf(response)
    if (this.#decision.level === 'RequestResponse') this.#describeResponse(response)
    if (isLongRunning(this.#record.info)) this.write('ResponseStarted')
    if (response.type === 'watch') return { ...this.#ending(response), headers }
    if (response.type === 'stream') return { ...this.#endingText(response), headers }
    this.#complete()
    return { ...response, headers }
  }

  #statusOf(response: ApiResponse): Json {
    if (response.type === 'watch' && isUpgrade(this.#request)) return { metadata: {}, code: 101 }
    return response.status === notAcceptableCode ? { metadata: {}, code: notAcceptableCode } : statusOf(response)
  }

  #describeResponse(response: ApiResponse): void {
    const isObjectResponse = this.#record.info.isResource && response.status !== notAcceptableCode
    const body = isObjectResponse ? objectOf(response) : undefined
    if (body === undefined) return
    this.#record.responseObject = this.#decision.omitManagedFields ? withoutManagedFields(body) : body
  }

  #ending(response: WatchResponse): WatchResponse {
    return {
      ...response,
      start: (sink) => {
        const watch = response.start({
          event: (event) => sink.event(event),
          room: (resume) => sink.room(resume),
          end: () => {
            this.#complete()
            sink.end()
          },
        })
        return { stop: () => this.#stop(watch) }
      },
    }
  }

  #endingText(response: StreamResponse): StreamResponse {
    return {
      ...response,
      start: (sink) => {
        const source = response.start({
          write: (text) => sink.write(text),
          end: () => {
            this.#complete()
            sink.end()
          },
        })
        return { stop: () => this.#stop(source) }
      },
    }
  }

  #stop(stream: { stop(): void }): void {
    stream.stop()
    this.#complete()
  }

  #complete(): void {
    if (this.#isComplete) return
    this.#isComplete = true
    // Upstream adds this when it measures the whole request.
    if (this.#isDeprecated) this.#record.annotations.set('k8s.io/deprecated', 'true')
    this.write('ResponseComplete')
  }
}

/** Undefined if the request may not act as the user that it names. */
function actingIn(request: ApiRequest, authorizer: Authorizer): UserInfo | undefined {
  try {
    return actingUser(request, authorizer)
  } catch {
    return undefined
  }
}

const longRunningSubresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

function isLongRunning(info: RequestInfo): boolean {
  if (!info.isResource) return false
  return info.verb === 'watch' || longRunningSubresources.has(info.subresource)
}

/** Whether a watch is served over WebSocket. */
function isUpgrade({ headers }: ApiRequest): boolean {
  const { upgrade = '', connection = '' } = headers
  return upgrade.toLowerCase() === 'websocket' && /upgrade/i.test(connection)
}

/** The patch of the request as JSON. Undefined if there is none, or if it cannot be read. */
function bodyOf({ body, headers }: ApiRequest): Json | undefined {
  if (body === undefined || body === '' || body instanceof Uint8Array) return undefined
  try {
    if (typeof body !== 'string') return body
    return headers['content-type']?.includes('yaml') === true
      ? completed(parseYamlBody(body)).value
      : (JSON.parse(body) as Json)
  } catch {
    return undefined
  }
}

function metadataOf(object: Json): AuditRecord['objectMetadata'] {
  const metadata = isObject(object) ? object['metadata'] : undefined
  if (!isObject(metadata)) return undefined
  const text = (name: string): string => (typeof metadata[name] === 'string' ? metadata[name] : '')
  return {
    namespace: text('namespace'),
    name: text('name'),
    uid: text('uid'),
    resourceVersion: text('resourceVersion'),
  }
}

/** The bounded fields of a Status; of other responses, the code alone. */
function statusOf(response: ApiResponse): Json {
  const { status: code } = response
  const body: Json | undefined = response.type === 'object' ? response.body : undefined
  if (!isObject(body) || body['kind'] !== 'Status' || body['apiVersion'] !== 'v1') return { metadata: {}, code }
  const { status, message, reason, details } = body
  const bounded: JsonObject = { metadata: {} }
  for (const [name, value] of Object.entries({ status, message, reason, details }))
    if (value !== undefined && value !== '') bounded[name] = value
  bounded['code'] = code
  return bounded
}

function objectOf(response: ApiResponse): Json | undefined {
  if (response.type === 'object') return response.body
  return response.type === 'list' ? listValue(response) : undefined
}
