/**
 * ApiDocuments: serves discovery, OpenAPI, version, health and `/`.
 *
 * Documents are made on first use and cached as text. Built-in ones never change. After a change of custom resources,
 * {@link ApiDocuments.invalidate} drops the small documents; an OpenAPI document is made again only if the resources of
 * its group-version have changed.
 */
import type { Json, JsonObject } from '../../api/json.ts'
import { apiError } from '../../api/status.ts'
import type { ApiRequest, ApiResponse, ObjectResponse } from '../contract/request.ts'
import type { Resource } from '../contract/resource.ts'
import { acceptsAny, chooseDiscovery, discoveryEncodings, type DiscoveryChoice } from './accept.ts'
import { aggregatedDiscovery, type AggregatedDocument } from './aggregated.ts'
import { healthResponse, type FindProblem } from './health.ts'
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './legacy.ts'
import { OpenApiDocuments } from './openapi/openapi-documents.ts'
import { emptyResponse, notFoundPage } from './plain-response.ts'
import { rootPaths } from './root-paths.ts'
import { coreGroup, namedGroups, type DefinitionOf, type ServedGroup, type ServedVersion } from './served-groups.ts'
import { kubernetesVersion, type VersionInfo } from './version-info.ts'

export interface ApiDocumentsOptions {
  /** `127.0.0.1:6443`: the server address in `/api`. */
  readonly serverAddress: string
  /**
   * All served resources. Only custom resources are used, since built-in kinds come from facts. The legacy documents
   * list custom resources in this order. A changed definition must come with new Resource values.
   */
  readonly resources: () => readonly Resource[]
  readonly definitionOf: DefinitionOf
  /** Built-in versions that are served and are not by default. Default: none. */
  readonly optional?: readonly string[]
  /** Milliseconds since the epoch; for the expiry of cached documents. */
  readonly now: () => number
  /** Default: every check passes. */
  readonly problem?: FindProblem
  /** Default: that of the Kubernetes version whose behaviour this server has. */
  readonly version?: Partial<VersionInfo>
}

/** The parts of a request that are used. Header names are lower case. */
export type DocumentRequest = Pick<ApiRequest, 'method' | 'path' | 'query' | 'headers'>

/** Made from the current custom resources, each part on first use. */
interface Snapshot {
  readonly core: ServedGroup
  readonly groups: readonly ServedGroup[]
  readonly bodies: Map<string, ObjectResponse>
  aggregatedCore?: AggregatedDocument
  aggregated?: AggregatedDocument
}

export class ApiDocuments {
  readonly #options: ApiDocumentsOptions
  /** Created on first use: few clients need it, and it would slow down the start. */
  #openapi: OpenApiDocuments | undefined
  #snapshot: Snapshot | undefined

  constructor(options: ApiDocumentsOptions) {
    this.#options = options
  }

  /** To be called after custom resources were added, changed or removed. Cheap: nothing is rebuilt here. */
  invalidate(): void {
    this.#snapshot = undefined
    this.#openapi?.invalidate()
  }

  /**
   * The response, or undefined if the path is not one of these. Throws an ApiError (404, 405, 406) where upstream
   * responds with a Status. A text response with an empty content type has no body and must not get that header. An
   * object response with its own content type must be encoded in it (`application/yaml` or protobuf, with or without
   * parameters).
   */
  respond(request: DocumentRequest): ApiResponse | undefined {
    const { path } = request
    if (path === '/' || path === '/index.html') return this.#index()
    if (path.startsWith('/openapi/')) return (this.#openapi ??= new OpenApiDocuments(this.#options)).respond(request)
    const [, root = '', ...rest] = path.split('/')
    while (rest.at(-1) === '') rest.pop()
    if (root === 'api' && rest.length <= 1) return this.#core(request, rest[0])
    if (root === 'apis' && rest.length <= 2) return this.#named(request, rest[0], rest[1])
    if (root === 'version') return this.#version(request, rest.length)
    return healthResponse(path, request.query, this.#options.problem ?? (() => undefined))
  }

  #current(): Snapshot {
    if (this.#snapshot === undefined) {
      const { resources, definitionOf, optional } = this.#options
      const groups = namedGroups(resources(), definitionOf, optional)
      this.#snapshot = { core: coreGroup(), groups, bodies: new Map() }
    }
    return this.#snapshot
  }

  /** `/api` and `/api/VERSION` */
  #core(request: DocumentRequest, version: string | undefined): ApiResponse {
    const current = this.#current()
    if (version === undefined) {
      requireRoute(request)
      const choice = requireChoice(request, true)
      if (choice.form === 'legacy') {
        return this.#legacy('/api', choice, () => apiVersions(current.core, this.#options.serverAddress))
      }
      current.aggregatedCore ??= aggregatedDiscovery([current.core])
      return serveAggregated(current.aggregatedCore, choice.mediaType, request)
    }
    const found = current.core.versions.find((each) => each.version === version)
    if (found === undefined) throw apiError.noSuchResource()
    return this.#resourceList(request, found)
  }

  /** `/apis`, `/apis/GROUP` and `/apis/GROUP/VERSION` */
  #named(request: DocumentRequest, name: string | undefined, version: string | undefined): ApiResponse {
    const current = this.#current()
    if (name === undefined) {
      const choice = requireChoice(request, true)
      if (choice.form === 'legacy') return this.#legacy('/apis', choice, () => apiGroupList(current.groups))
      current.aggregated ??= aggregatedDiscovery(current.groups)
      return serveAggregated(current.aggregated, choice.mediaType, request)
    }
    const group = current.groups.find((each) => each.name === name)
    if (group === undefined) return notFoundPage()
    if (version === undefined) {
      return this.#legacy(`/apis/${name}`, requireChoice(request, false), () => apiGroup(group))
    }
    const found = group.versions.find((each) => each.version === version)
    if (found !== undefined) return this.#resourceList(request, found)
    if (group.versions.some((each) => each.builtin)) throw apiError.noSuchResource()
    return notFoundPage()
  }

  #resourceList(request: DocumentRequest, version: ServedVersion): ApiResponse {
    if (version.builtin) requireRoute(request)
    const choice = requireChoice(request, false)
    return this.#legacy(`/apis/${version.group}/${version.version}`, choice, () => apiResourceList(version))
  }

  #legacy(key: string, { mediaType }: DiscoveryChoice, make: () => JsonObject): ObjectResponse {
    const { bodies } = this.#current()
    let answer = bodies.get(key)
    if (answer === undefined) {
      const body = make()
      answer = { type: 'object', status: 200, body, text: JSON.stringify(body) }
      bodies.set(key, answer)
    }
    return mediaType === 'application/json' ? answer : { ...answer, headers: { 'content-type': mediaType } }
  }

  #version(request: DocumentRequest, depth: number): ApiResponse {
    if (depth > 0) throw apiError.noSuchResource()
    if (request.method !== 'GET') throw apiError.methodNotAllowed()
    if (!acceptsAny(request.headers['accept'], ['application/json'])) throw notAcceptable('application/json')
    return indentedAnswer({ ...kubernetesVersion, ...this.#options.version })
  }

  #index(): ApiResponse {
    const { core, groups, bodies } = this.#current()
    const known = bodies.get('/')
    if (known !== undefined) return known
    const made = indentedAnswer({ paths: rootPaths(core, groups) })
    bodies.set('/', made)
    return made
  }
}

/** `/` and `/version` are always indented. */
function indentedAnswer(body: Json): ObjectResponse {
  return { type: 'object', status: 200, body, text: JSON.stringify(body, undefined, 2) }
}

function serveAggregated(document: AggregatedDocument, mediaType: string, request: DocumentRequest): ApiResponse {
  const headers = { etag: document.etag, 'cache-control': 'public', vary: 'Accept' }
  if (request.headers['if-none-match'] === document.etag) return emptyResponse(304, headers)
  const contentType = `${mediaType};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`
  const { body, text } = document
  return { type: 'object', status: 200, body, text, headers: { ...headers, 'content-type': contentType } }
}

/** Built-in routes check the method and the media type first. */
function requireRoute(request: DocumentRequest): void {
  if (request.method !== 'GET') throw apiError.methodNotAllowed()
  if (!acceptsAny(request.headers['accept'])) throw notAcceptable(discoveryEncodings)
}

function requireChoice(request: DocumentRequest, aggregatable: boolean): DiscoveryChoice {
  const choice = chooseDiscovery(request.headers['accept'], aggregatable)
  if (choice !== undefined) return choice
  throw apiError.notAcceptable(`only the following media types are accepted: ${discoveryEncodings}`)
}

function notAcceptable(representations: string): Error {
  return apiError.notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${representations}`, {})
}
