/**
 * The client: implements verbs as requests.
 *
 * Responses are typed as read-only. Those of the embedded control plane are frozen and shared with it; those over HTTP
 * belong to the caller and are not frozen, which would cost more than parsing them. Caches freeze what they store.
 */
import type { FrozenJson, Json } from '../api/json.ts'
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import { isGone } from '../api/error-reasons.ts'
import type { Env } from '../env/env.ts'
import type { DefaultingKind, Kind } from '../schema/kind.ts'
import { Caller, type ClientObserver, type ClientVerb } from './caller.ts'
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  GetOptions,
  ListOptions,
  LiveList,
  Partially,
  Patch,
  RawOptions,
  SelectorOptions,
  WatchEvents,
  WatchOptions,
  WriteOptions,
} from './client.ts'
import { deleteBody, isStillPresent } from './delete-response.ts'
import { TokenBucket, type RateLimitOptions } from './rate-limit.ts'
import { collectionIn, collectionPath, objectPath, withQuery, type QueryValue } from './resource-path.ts'
import { ServerWarnings } from './server-warnings.ts'
import { typedAs } from './typed-object.ts'
import { TransportError, type Headers, type Transport } from './transport.ts'
import { userAgent } from './user-agent.ts'
import { typedEvents } from './watch-events.ts'

export interface RestClientOptions {
  readonly env: Env
  readonly transport: Transport
  /** The owner of the fields that this client writes. Default: none; each apply must then name one. */
  readonly fieldManager?: string | undefined
  /** The timeout of calls, in milliseconds. Default 30,000; 0: never. */
  readonly timeoutMs?: number | undefined
  /** Added to the user agent: the part of the program. */
  readonly userAgentSuffix?: string | undefined
  /** Default: none; API Priority and Fairness of the server works better. */
  readonly rateLimit?: RateLimitOptions | undefined
  /** Called with warnings of the server, each message once an hour. */
  readonly onWarning?: ((message: string) => void) | undefined
  readonly observer?: ClientObserver | undefined
}

const pageSize = 500
/** The tolerance after the time at which the server itself ends a watch. */
const idleGraceSeconds = 5
/** The longest that servers let a watch without a timeout run. */
const maxWatchSeconds = 3600

const patchTypes: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

const metadataForm = (as: string): Headers => ({
  accept: `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`,
})

export class RestClient implements Client {
  readonly #options: RestClientOptions
  readonly #shared: { readonly rateLimit: TokenBucket | undefined; readonly warnings: ServerWarnings | undefined }
  readonly #caller: Caller

  constructor(options: RestClientOptions, shared?: RestClient) {
    const { env, rateLimit, onWarning } = options
    this.#options = options
    this.#shared =
      shared === undefined
        ? {
            rateLimit: rateLimit === undefined ? undefined : new TokenBucket(env, rateLimit),
            warnings: onWarning === undefined ? undefined : new ServerWarnings(env, onWarning),
          }
        : shared.#shared
    this.#caller = new Caller({
      env,
      transport: options.transport,
      timeoutMs: options.timeoutMs ?? 30_000,
      userAgent: userAgent(options.userAgentSuffix),
      ...this.#shared,
      observer: options.observer ?? {},
    })
  }

  /** A client with another name or timeout on the same connections, with the same rate limit. */
  with(options: Pick<RestClientOptions, 'fieldManager' | 'timeoutMs' | 'userAgentSuffix' | 'observer'>): RestClient {
    return new RestClient({ ...this.#options, ...options }, this)
  }

  async get<T extends ApiObject>(
    kind: Kind<T>,
    { namespace, name }: ObjectKey,
    options: GetOptions = {},
  ): Promise<Live<T>> {
    const path = withQuery(objectPath(kind, namespace, name, options.subresource), {
      resourceVersion: options.resourceVersion,
    })
    const { body } = await this.#caller.call({ verb: 'get', method: 'GET', path }, options)
    return body as Live<T>
  }

  async list<T extends ApiObject>(kind: Kind<T>, options: ListOptions = {}): Promise<LiveList<T>> {
    if (options.limit !== undefined || options.continue !== undefined) return this.#page(kind, options)
    const items: Live<T>[] = []
    let metadata: LiveList<T>['metadata'] | undefined
    try {
      for await (const page of this.pages(kind, options)) {
        metadata ??= page.metadata
        for (const item of page.items) items.push(item)
      }
    } catch (error) {
      // The list took longer than the server keeps its version. A list in one piece cannot expire.
      if (metadata === undefined || !isGone(error)) throw error
      return this.#page(kind, options)
    }
    const { resourceVersion } = metadata ?? {}
    return { metadata: resourceVersion === undefined ? {} : { resourceVersion }, items }
  }

  async *pages<T extends ApiObject>(kind: Kind<T>, options: ListOptions = {}): AsyncIterable<LiveList<T>> {
    const { limit = pageSize, resourceVersion, resourceVersionMatch, ...rest } = options
    let page = await this.#page(kind, {
      ...rest,
      limit,
      ...(rest.continue === undefined ? { resourceVersion, resourceVersionMatch } : {}),
    })
    yield page
    while (page.metadata.continue !== undefined && page.metadata.continue !== '') {
      // The token contains the version; a server rejects a request with both.
      page = await this.#page(kind, { ...rest, limit, continue: page.metadata.continue })
      yield page
    }
  }

  async #page<T extends ApiObject>(kind: Kind<T>, options: ListOptions): Promise<LiveList<T>> {
    const { resourceVersion, resourceVersionMatch, limit } = options
    const path = withQuery(collectionPath(kind, options.namespace), {
      ...selectors(options),
      resourceVersion,
      resourceVersionMatch,
      limit,
      continue: options.continue,
    })
    const headers = options.metadataOnly === true ? metadataForm('PartialObjectMetadataList') : undefined
    const { body } = await this.#caller.call({ verb: 'list', method: 'GET', path, headers }, options)
    const { metadata = {}, items } = body as {
      metadata?: LiveList<T>['metadata']
      items?: FrozenJson[] | null
    }
    return { metadata, items: (items ?? []).map((item) => typedAs(kind, item)) as Live<T>[] }
  }

  async watch<T extends ApiObject>(kind: Kind<T>, options: WatchOptions = {}): Promise<WatchEvents<T>> {
    const { resourceVersion, resourceVersionMatch, allowWatchBookmarks, sendInitialEvents, timeoutSeconds } = options
    const path = withQuery(collectionPath(kind, options.namespace), {
      watch: true,
      ...selectors(options),
      resourceVersion,
      resourceVersionMatch,
      allowWatchBookmarks,
      sendInitialEvents,
      timeoutSeconds,
    })
    const headers = options.metadataOnly === true ? metadataForm('PartialObjectMetadata') : undefined
    const idleTimeoutMs = ((timeoutSeconds ?? maxWatchSeconds) + idleGraceSeconds) * 1000
    const { response, release } = await this.#caller.stream(
      { verb: 'watch', method: 'GET', path, headers, idleTimeoutMs },
      options.signal,
    )
    if (response.events !== undefined) return typedEvents(kind, response.events, release)
    release()
    throw new TransportError('MALFORMED', `GET ${path}: the server did not answer with a stream`, true)
  }

  async create<T extends ApiObject, Input = T>(
    kind: DefaultingKind<T, Input>,
    input: NoInfer<Input>,
    options: WriteOptions = {},
  ): Promise<Live<T>> {
    const object = input as ApiObject
    return this.#write('create', 'POST', createPath(kind, object, options.subresource), typed(kind, object), options)
  }

  async update<T extends ApiObject, Input = T>(
    kind: DefaultingKind<T, Input>,
    input: NoInfer<Input>,
    options: WriteOptions = {},
  ): Promise<Live<T>> {
    const object = input as ApiObject
    const { namespace, name } = object.metadata
    return this.#write(
      'update',
      'PUT',
      objectPath(kind, namespace, name, options.subresource),
      typed(kind, object),
      options,
    )
  }

  async patch<T extends ApiObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<Live<T>> {
    const path = objectPath(kind, key.namespace, key.name, options.subresource)
    const headers = { 'content-type': patchTypes[patch.type] }
    if (patch.type !== 'apply') return this.#write('patch', 'PATCH', path, patch.patch as Json, options, { headers })
    const { fieldManager = this.#options.fieldManager } = options
    if (fieldManager === undefined)
      throw new TypeError('an apply needs a fieldManager: give one to the client or to the call')
    return this.#write('apply', 'PATCH', path, patch.patch, options, { headers, query: { force: patch.force } })
  }

  async apply<T extends ApiObject>(
    kind: Kind<T>,
    object: Partially<T>,
    { force, ...options }: ApplyOptions = {},
  ): Promise<Live<T>> {
    const { namespace, name } = object.metadata as { namespace?: string; name: string }
    const patch = typed(kind, object as ApiObject)
    return this.patch(
      kind,
      { namespace, name },
      { type: 'apply', patch, ...(force === undefined ? {} : { force }) },
      options,
    )
  }

  async delete<T extends ApiObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<Live<T> | undefined> {
    const path = objectPath(kind, key.namespace, key.name)
    const { body } = await this.#caller.call(
      { verb: 'delete', method: 'DELETE', path, body: deleteBody(options) },
      options,
    )
    return isStillPresent(body) ? (body as Live<T>) : undefined
  }

  async deleteCollection<T extends ApiObject>(
    kind: Kind<T>,
    options: SelectorOptions & DeleteOptions = {},
  ): Promise<void> {
    const path = withQuery(collectionIn(kind, options.namespace), selectors(options))
    await this.#caller.call({ verb: 'deletecollection', method: 'DELETE', path, body: deleteBody(options) }, options)
  }

  async createSubresource<T extends ApiObject, Answer extends ApiObject>(
    kind: Kind<T>,
    key: ObjectKey,
    subresource: string,
    body: Json,
    options: WriteOptions = {},
  ): Promise<Live<Answer>> {
    return this.#write('create', 'POST', objectPath(kind, key.namespace, key.name, subresource), body, options)
  }

  async raw(method: string, path: string, options: RawOptions = {}): Promise<FrozenJson> {
    const { body, headers } = options
    return (await this.#caller.call({ verb: 'raw', method, path, body, headers }, options)).body
  }

  async #write<T extends ApiObject>(
    verb: ClientVerb,
    method: string,
    path: string,
    body: Json,
    options: WriteOptions,
    { headers, query }: { headers?: Headers; query?: Readonly<Record<string, QueryValue>> } = {},
  ): Promise<Live<T>> {
    const { dryRun, fieldManager = this.#options.fieldManager, fieldValidation } = options
    const whole = withQuery(path, {
      fieldManager,
      fieldValidation,
      dryRun: dryRun === true ? 'All' : undefined,
      ...query,
    })
    const answer = await this.#caller.call({ verb, method, path: whole, headers, body }, options)
    return answer.body as Live<T>
  }
}

function selectors({ labelSelector, fieldSelector }: SelectorOptions): Readonly<Record<string, QueryValue>> {
  return { labelSelector: labelSelector || undefined, fieldSelector: fieldSelector || undefined }
}

/** Creates use the collection; creates of a subresource use the object in the body. */
function createPath(kind: Kind, { metadata }: ApiObject, subresource: string | undefined): string {
  return subresource === undefined
    ? collectionIn(kind, metadata.namespace)
    : objectPath(kind, metadata.namespace, metadata.name, subresource)
}

/** The body needs kind and apiVersion; those of the object take precedence (a Scale is not a Deployment). */
function typed(kind: Kind, object: ApiObject): Json {
  const { apiVersion = kind.apiVersion, kind: name = kind.kind } = object
  return { ...object, apiVersion, kind: name }
}
