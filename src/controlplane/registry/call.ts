/** Call: one request to one resource, with everything its handling needs. */
import { isPrintable } from '../../api/go-format.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceName } from '../../api/status.ts'
import type { Env } from '../../env/env.ts'
import type { Store } from '../storage/store.ts'
import type { AdmissionChain } from './admission.ts'
import type { Catalog } from './catalog.ts'
import { askNothing, type AskOutside } from './outside-calls.ts'
import type { ApiRequest } from './request.ts'
import type { Grants, Resource, UserInfo, WriteContext } from './resource.ts'

/** What all calls share. */
export interface Backend {
  readonly env: Env
  readonly store: Store
  readonly catalog: Catalog
  readonly admission: AdmissionChain
  /** What the user of a call may give to others; absent or undefined: everything. */
  grants?(call: Call): Grants | undefined
}

export interface Call {
  readonly backend: Backend
  readonly resource: Resource
  /** '' for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string
  /** '' for collections. */
  readonly name: string
  readonly subresource: string
  readonly user: UserInfo
  readonly request: ApiRequest
  /** Throws when the user, who may update, may not create. Absent: they may. */
  readonly authorizeCreate?: (() => void) | undefined
  /** Set where what leads to the deletion has been admitted already: an eviction is not shown as a deletion, too. */
  readonly isAdmitted?: true | undefined
  /** Absent: nothing has been answered. */
  readonly askOutside?: AskOutside | undefined
  /** Texts of `Warning` headers, in order, without repeats. */
  readonly warnings: Set<string>
}

/** The resource's name in errors. */
export function resourceName(resource: Resource): ResourceName {
  return { group: resource.group, resource: resource.plural }
}

/** `/registry/configmaps/default/cm`. */
export function storageKey(resource: Resource, namespace: string, name: string): string {
  return resource.namespaced ? `${resource.keyPrefix}${namespace}/${name}` : resource.keyPrefix + name
}

export function writeContext(call: Call, dryRun: boolean): WriteContext {
  const { backend } = call
  return {
    env: backend.env,
    user: call.user,
    resource: call.resource,
    namespace: call.namespace,
    subresource: call.subresource,
    dryRun,
    lookup(group, plural, namespace, name) {
      const resource = backend.catalog.findAnyVersion(group, plural)
      return resource && backend.store.get(storageKey(resource, namespace, name))?.object
    },
    lookupAll(group, plural, namespace): readonly KubeObject[] {
      const resource = backend.catalog.findAnyVersion(group, plural)
      if (resource === undefined) return []
      const prefix = namespace === '' ? resource.keyPrefix : `${resource.keyPrefix}${namespace}/`
      return backend.store.count(prefix) === 0 ? [] : backend.store.list(prefix).items.map(({ object }) => object)
    },
    warn: (text) => call.warnings.add(text),
    askOutside: call.askOutside ?? askNothing,
    options: () => ({ ...(dryRun ? { dryRun: ['All'] } : {}), ...given(call.request, 'fieldManager'), ...given(call.request, 'fieldValidation') }),
    grants: backend.grants?.(call),
  }
}

function given({ query }: ApiRequest, name: string): JsonObject {
  const value = query.get(name) ?? ''
  return value === '' ? {} : { [name]: value }
}

const managers = new Map<string, string>()
const managersKept = 1000

/** The manager a write is tracked under: the option, else the client's name, else `unknown`. */
export function managerName(fieldManager: string, request: ApiRequest): string {
  if (fieldManager !== '') return fieldManager
  const agent = request.headers['user-agent'] ?? ''
  let manager = managers.get(agent)
  if (manager === undefined) {
    const name = [...(agent.split('/', 1)[0] ?? '')].filter((char) => isPrintable(char)).join('')
    manager = name === '' ? 'unknown' : name.slice(0, 128)
    if (managers.size < managersKept) managers.set(agent, manager)
  }
  return manager
}
