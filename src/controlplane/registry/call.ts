/** RegistryCall: one request to one resource, with everything that the registry needs to handle it. */
import { isPrintable } from '../../api/go-format.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KnownParts } from '../../api/known-part.ts'
import { Memo, memoCounter } from '../../api/memo.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError, type ApiError, type ResourceName } from '../../api/status.ts'
import type { Env } from '../../env/env.ts'
import type { Store, Stored } from '../storage/store.ts'
import type { AdmissionChain } from './admission.ts'
import type { Catalog } from './catalog.ts'
import { noExternalAnswers, type CallExternal, type Once } from '../contract/external-calls.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { RequestAudit } from '../contract/request-audit.ts'
import type { Decoded, EscalationChecks, Resource, UserInfo, WriteContext } from '../contract/resource.ts'
import type { WriteStages } from './write-stages.ts'

/** What all calls share. */
export interface Backend {
  readonly env: Env
  readonly store: Store
  readonly catalog: Catalog
  readonly admission: AdmissionChain
  /** What the user of a call may grant to others; absent or undefined: everything. */
  grants?(call: RegistryCall): EscalationChecks | undefined
}

export interface RegistryCall {
  readonly backend: Backend
  readonly resource: Resource
  /** '' for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string
  /** '' for collections. */
  readonly name: string
  readonly subresource: string
  readonly user: UserInfo
  readonly request: ApiRequest
  /** Approximate length of the request body in characters. Absent: unknown. */
  readonly bodyLength?: number | undefined
  /** Throws if the user may update but not create. Absent: creation is allowed. */
  readonly authorizeCreate?: (() => void) | undefined
  /** Set if admission has run already: an eviction must not pass admission a second time as a delete. */
  readonly isAdmitted?: true | undefined
  /** Absent: no external call has a result yet. */
  readonly askOutside?: CallExternal | undefined
  /** Keeps progress across replays, for requests that store something before an external call. Absent: no replay. */
  readonly once?: Once | undefined
  /** Divides the write of a large body into turns. Absent: it is done in one. */
  readonly stages?: WriteStages | undefined
  /** Texts of the `Warning` headers, in order, without duplicates. */
  readonly warnings: Set<string>
}

/** The resource's name in errors. */
export function resourceName(resource: Resource): ResourceName {
  return { group: resource.group, resource: resource.plural }
}

/**
 * `/registry/configmaps/default/cm`. `join` makes a flat string. With `+` the engine makes a rope, which is slower to
 * hash, two to three times slower to compare, and keeps its parts alive.
 */
export function storageKey(resource: Resource, namespace: string, name: string): string {
  return resource.namespaced
    ? [resource.keyPrefix, namespace, '/', name].join('')
    : clusterKey(resource.keyPrefix, name)
}

interface ClusterKey {
  readonly keyPrefix: string
  readonly name: string
  readonly key: string
}

/** Every write in a namespace looks up the Namespace. There are few of these; reusing the string reuses its hash. */
const recentKeys = new Memo<ClusterKey>(memoCounter('keys of cluster-scoped objects', 4))

function clusterKey(keyPrefix: string, name: string): string {
  const { entries } = recentKeys
  for (let i = 0; i < entries.length; i++) {
    const each = entries[i] as ClusterKey
    if (each.name === name && each.keyPrefix === keyPrefix) return recentKeys.hit(i).key
  }
  recentKeys.miss()
  const key = [keyPrefix, name].join('')
  recentKeys.add({ keyPrefix, name, key })
  return key
}

/** The key of an object of the request. Throws 400 if its path has an empty namespace: `namespaces//pods/a`. */
export function requestedKey({ resource, namespace }: RegistryCall, name: string): string {
  if (namespace === '' && resource.namespaced) throw apiError.badRequest('Namespace parameter required.')
  return storageKey(resource, namespace, name)
}

/** The live version of the requested object, in the version of the request; undefined if there is none. */
export function liveVersion(call: RegistryCall): Stored | undefined {
  return call.backend.store.get(requestedKey(call, call.name))
}

export function notFound(call: RegistryCall): ApiError {
  return apiError.notFound(resourceName(call.resource), call.name)
}

/** `decoded`: the object to write; `live`: the version that it replaces. */
export function writeContext(call: RegistryCall, dryRun: boolean, decoded?: Decoded, live?: Stored): WriteContext {
  return new CallContext(call, dryRun, decoded, live)
}

const nothing: readonly never[] = []

class CallContext implements WriteContext {
  readonly #call: RegistryCall
  readonly env: Env
  readonly user: UserInfo
  readonly resource: Resource
  readonly namespace: string
  readonly subresource: string
  readonly dryRun: boolean
  readonly askOutside: CallExternal
  readonly grants: EscalationChecks | undefined
  readonly storedLive: KubeObject | undefined
  readonly liveParts: KnownParts | undefined
  decoded: Decoded | undefined
  needsRewrite: boolean
  storedFields: JsonObject | undefined = undefined
  newGeneration = false

  constructor(call: RegistryCall, dryRun: boolean, decoded: Decoded | undefined, live: Stored | undefined) {
    this.#call = call
    this.env = call.backend.env
    this.user = call.user
    this.resource = call.resource
    this.namespace = call.namespace
    this.subresource = call.subresource
    this.dryRun = dryRun
    this.askOutside = call.askOutside ?? noExternalAnswers
    this.grants = call.backend.grants?.(call)
    this.storedLive = live?.raw?.object
    this.liveParts = live?.parts
    this.decoded = decoded
    this.needsRewrite = decoded?.needsRewrite === true
  }

  lookup(group: string, plural: string, namespace: string, name: string): KubeObject | undefined {
    const { catalog, store } = this.#call.backend
    const resource = catalog.findAnyVersion(group, plural)
    return resource && store.get(storageKey(resource, namespace, name))?.object
  }

  lookupAll(group: string, plural: string, namespace: string): readonly KubeObject[] {
    const { catalog, store } = this.#call.backend
    const resource = catalog.findAnyVersion(group, plural)
    if (resource === undefined || store.count(resource.keyPrefix) === 0) return nothing
    const prefix = namespace === '' ? resource.keyPrefix : `${resource.keyPrefix}${namespace}/`
    return store.list(prefix).items.map(({ object }) => object)
  }

  get audit(): RequestAudit | undefined {
    return this.#call.request.audit
  }

  warn(text: string): void {
    this.#call.warnings.add(text)
  }

  options(): JsonObject {
    const { request } = this.#call
    return {
      ...(this.dryRun ? { dryRun: ['All'] } : {}),
      ...given(request, 'fieldManager'),
      ...given(request, 'fieldValidation'),
    }
  }
}

function given({ query }: ApiRequest, name: string): JsonObject {
  const value = query.get(name) ?? ''
  return value === '' ? {} : { [name]: value }
}

const managers = new Map<string, string>()
const maxCachedManagers = 1000

/** The field manager of a write: the option, otherwise the client's name, otherwise `unknown`. */
export function managerName(fieldManager: string, request: ApiRequest): string {
  if (fieldManager !== '') return fieldManager
  const agent = request.headers['user-agent'] ?? ''
  let manager = managers.get(agent)
  if (manager === undefined) {
    const name = [...(agent.split('/', 1)[0] ?? '')].filter((char) => isPrintable(char)).join('')
    manager = name === '' ? 'unknown' : name.slice(0, 128)
    if (managers.size < maxCachedManagers) managers.set(agent, manager)
  }
  return manager
}
