/** Authorization: may this user do this? AlwaysAllow, or RBAC over the roles and bindings in the store. */
import { isObject, type Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError, apiError } from '../../api/status.ts'
import type { RequestInfo, ResourceRequest } from '../registry/request-info.ts'
import type { UserInfo } from '../registry/resource.ts'
import type { Store } from '../storage/store.ts'
import { mastersGroup } from './tokens.ts'

export interface Authorizer {
  allows(user: UserInfo, request: RequestInfo): boolean
}

export const alwaysAllow: Authorizer = { allows: () => true }

/** The 403 that upstream answers. */
export function forbidden(user: UserInfo, request: RequestInfo): ApiError {
  const who = `User ${JSON.stringify(user.name)}`
  if (!request.isResource) {
    return new ApiError({
      kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure',
      message: `forbidden: ${who} cannot ${request.verb} path ${JSON.stringify(request.path)}`,
      reason: 'Forbidden', details: {}, code: 403,
    })
  }
  const { group, namespace } = request
  const resource = request.subresource === '' ? request.resource : `${request.resource}/${request.subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  return apiError.forbidden(
    { group, resource: request.resource }, request.name,
    `${who} cannot ${request.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${where}`,
  )
}

const rbac = '/registry/clusterrolebindings/'

/** Reads roles and bindings on each decision: they are few, and never stale. */
export class RbacAuthorizer implements Authorizer {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  allows(user: UserInfo, request: RequestInfo): boolean {
    if (user.groups.includes(mastersGroup)) return true
    for (const { object } of this.#store.list(rbac).items) {
      if (binds(object, user, '') && this.#roleAllows('clusterroles', '', object, request)) return true
    }
    if (!request.isResource || request.namespace === '') return false
    const { namespace } = request
    for (const { object } of this.#store.list(`/registry/rolebindings/${namespace}/`).items) {
      if (!binds(object, user, namespace)) continue
      const kind = roleRef(object).kind === 'ClusterRole' ? 'clusterroles' : 'roles'
      if (this.#roleAllows(kind, kind === 'roles' ? namespace : '', object, request)) return true
    }
    return false
  }

  #roleAllows(plural: string, namespace: string, binding: KubeObject, request: RequestInfo): boolean {
    const { name } = roleRef(binding)
    const key = namespace === '' ? `/registry/${plural}/${name}` : `/registry/${plural}/${namespace}/${name}`
    const rules = this.#store.get(key)?.object['rules']
    return Array.isArray(rules) && rules.some((rule) => ruleAllows(rule, request))
  }
}

function roleRef(binding: KubeObject): { kind: string; name: string } {
  const ref = binding['roleRef'] as { kind?: string; name?: string } | undefined
  return { kind: ref?.kind ?? '', name: ref?.name ?? '' }
}

function binds(binding: KubeObject, user: UserInfo, namespace: string): boolean {
  const subjects = binding['subjects']
  if (!Array.isArray(subjects)) return false
  return subjects.some((subject) => {
    if (!isObject(subject)) return false
    if (subject['kind'] === 'User') return subject['name'] === user.name
    if (subject['kind'] === 'Group') return user.groups.includes(String(subject['name']))
    const of = subject['namespace'] ?? namespace
    return subject['kind'] === 'ServiceAccount' && user.name === `system:serviceaccount:${String(of)}:${String(subject['name'])}`
  })
}

function ruleAllows(rule: Json, request: RequestInfo): boolean {
  if (!isObject(rule) || !includes(rule['verbs'], request.verb)) return false
  if (!request.isResource) return pathAllowed(rule['nonResourceURLs'], request.path)
  return includes(rule['apiGroups'], request.group) && resourceAllowed(rule['resources'], request) && nameAllowed(rule['resourceNames'], request)
}

function includes(values: Json | undefined, wanted: string): boolean {
  return Array.isArray(values) && (values.includes(wanted) || values.includes('*'))
}

function resourceAllowed(values: Json | undefined, { resource, subresource }: ResourceRequest): boolean {
  if (!Array.isArray(values)) return false
  if (values.includes('*')) return true
  if (subresource === '') return values.includes(resource)
  return values.includes(`${resource}/${subresource}`) || values.includes(`*/${subresource}`)
}

function nameAllowed(values: Json | undefined, { name }: ResourceRequest): boolean {
  return !Array.isArray(values) || values.length === 0 || values.includes(name)
}

function pathAllowed(values: Json | undefined, path: string): boolean {
  if (!Array.isArray(values)) return false
  return values.some((value) => typeof value === 'string' && (value === path || value === '*' || (value.endsWith('*') && path.startsWith(value.slice(0, -1)))))
}
