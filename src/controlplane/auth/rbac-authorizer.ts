/**
 * RBAC authorizer: decides by the roles and bindings in the store.
 *
 * Bindings are indexed by subject, so that a request looks only at those of its user and groups; a change of a binding
 * drops the index that contains it. Roles are read for each decision. Both are up to date with the last completed
 * write.
 */
import { goQuote } from '../../api/go-format.ts'
import { isObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { RegistryCall } from '../registry/call.ts'
import type { RequestInfo } from '../registry/request-info.ts'
import type { EscalationChecks, UserInfo } from '../contract/resource.ts'
import type { Store } from '../storage/store.ts'
import { joinReasons, type Authorizer, type AuthorizationDecision, type UserRules } from './authorizer.ts'
import { CompiledRoles, rulesIn } from './compiled-role.ts'
import { escalationChecksOf } from './escalation-checks.ts'
import { ruleAllows, type PolicyRule } from './policy-rule.ts'
import { mastersGroup } from './user-names.ts'

export const rbacGroup = 'rbac.authorization.k8s.io'

const clusterBindings = '/registry/clusterrolebindings/'
const bindings = '/registry/rolebindings/'

/** The storage keys of the roles that are bound to each subject. */
type Index = ReadonlyMap<string, readonly string[]>

export class RbacAuthorizer implements Authorizer {
  readonly #store: Store
  readonly #roles = new CompiledRoles()
  #cluster: Index | undefined
  readonly #namespaces = new Map<string, Index>()

  constructor(store: Store) {
    this.#store = store
    store.watch(clusterBindings, store.revision, () => {
      this.#cluster = undefined
    })
    store.watch(bindings, store.revision, ({ key }) => {
      this.#namespaces.delete(key.slice(bindings.length, key.indexOf('/', bindings.length)))
    })
  }

  allows(user: UserInfo, request: RequestInfo): boolean {
    if (user.groups.includes(mastersGroup)) return true
    this.#cluster ??= indexOf(this.#store, clusterBindings, '')
    if (this.#indexAllows(this.#cluster, user, request)) return true
    if (!request.isResource || request.namespace === '') return false
    return this.#indexAllows(this.#bindingsIn(request.namespace), user, request)
  }

  decide(user: UserInfo, request: RequestInfo): AuthorizationDecision {
    if (user.groups.includes(mastersGroup)) return { allowed: true, reason: '' }
    const errors: string[] = []
    for (const { rule, error, source } of this.#visit(user, request.isResource ? request.namespace : '', missingRole)) {
      if (error !== undefined) errors.push(error)
      else if (ruleAllows(rule, request)) return { allowed: true, reason: `RBAC: allowed by ${source()}` }
    }
    return { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${joinReasons(errors)}` }
  }

  rulesFor(user: UserInfo, namespace: string): UserRules {
    return this.#collect(user, namespace, missingRole)
  }

  grants(call: RegistryCall): EscalationChecks | undefined {
    if (call.user.groups.includes(mastersGroup)) return undefined
    // Upstream reports a missing role under the resource that is being written.
    const missing = (_kind: string, name: string) => `${call.resource.plural}.${rbacGroup} ${goQuote(name)} not found`
    return escalationChecksOf(call, this, () => this.#collect(call.user, call.namespace, missing))
  }

  #collect(user: UserInfo, namespace: string, missing: (kind: string, name: string) => string): UserRules {
    const rules: PolicyRule[] = []
    const errors: string[] = []
    for (const found of this.#visit(user, namespace, missing)) {
      if (found.error === undefined) rules.push(found.rule)
      else errors.push(found.error)
    }
    return { rules, errors }
  }

  #bindingsIn(namespace: string): Index {
    let index = this.#namespaces.get(namespace)
    if (index === undefined) {
      index = indexOf(this.#store, `${bindings}${namespace}/`, namespace)
      // Only if it has bindings: a client may name any namespace, and the cache must not grow with that.
      if (index.size > 0) this.#namespaces.set(namespace, index)
    }
    return index
  }

  #indexAllows(index: Index, user: UserInfo, request: RequestInfo): boolean {
    if (index.size === 0) return false
    if (this.#rolesAllow(index.get(`User ${user.name}`), request)) return true
    for (const group of user.groups) if (this.#rolesAllow(index.get(`Group ${group}`), request)) return true
    return false
  }

  #rolesAllow(roles: readonly string[] | undefined, request: RequestInfo): boolean {
    if (roles === undefined) return false
    for (const key of roles) if (this.#roles.allow(key, this.#store.get(key)?.object['rules'], request)) return true
    return false
  }

  /** Every rule of the user with its origin, in the order of the bindings, cluster role bindings first. */
  *#visit(user: UserInfo, namespace: string, missing: (kind: string, name: string) => string): Iterable<Found> {
    yield* this.#visitBindings(clusterBindings, user, '', missing)
    if (namespace !== '') yield* this.#visitBindings(`${bindings}${namespace}/`, user, namespace, missing)
  }

  *#visitBindings(
    prefix: string,
    user: UserInfo,
    namespace: string,
    missing: (kind: string, name: string) => string,
  ): Iterable<Found> {
    for (const { object } of this.#store.list(prefix).items) {
      const subject = subjectsOf(object).find((each) => isSubject(each, user, namespace))
      if (subject === undefined) continue
      const { kind, name } = roleRef(object)
      const key = roleKey(kind, name, namespace)
      const role = key === undefined ? undefined : this.#store.get(key)
      if (role === undefined) {
        const error = key === undefined ? `unsupported role reference kind: ${goQuote(kind)}` : missing(kind, name)
        yield { error, rule: {}, source: () => '' }
        continue
      }
      const source = () => describeBinding(object, subject, namespace)
      for (const rule of rulesIn(role.object['rules'])) yield { error: undefined, rule, source }
    }
  }
}

interface Found {
  readonly error: string | undefined
  readonly rule: PolicyRule
  readonly source: () => string
}

function missingRole(kind: string, name: string): string {
  return `${kind.toLowerCase()}.${rbacGroup} ${goQuote(name)} not found`
}

function indexOf(store: Store, prefix: string, namespace: string): Index {
  const index = new Map<string, string[]>()
  for (const { object } of store.list(prefix).items) {
    const { kind, name } = roleRef(object)
    const key = roleKey(kind, name, namespace)
    if (key === undefined) continue
    for (const subject of subjectsOf(object)) {
      const of = subjectKey(subject, namespace)
      if (of === undefined) continue
      const keys = index.get(of)
      if (keys === undefined) index.set(of, [key])
      else keys.push(key)
    }
  }
  return index
}

function roleKey(kind: string, name: string, namespace: string): string | undefined {
  if (kind === 'ClusterRole') return `/registry/clusterroles/${name}`
  return kind === 'Role' && namespace !== '' ? `/registry/roles/${namespace}/${name}` : undefined
}

function roleRef(binding: KubeObject): { kind: string; name: string } {
  const ref = binding['roleRef']
  return isObject(ref) ? { kind: text(ref['kind']), name: text(ref['name']) } : { kind: '', name: '' }
}

function subjectsOf(binding: KubeObject): readonly JsonObject[] {
  const subjects = binding['subjects']
  return Array.isArray(subjects) ? subjects.filter(isObject) : []
}

/** A service account is indexed as its user name. Undefined if the subject matches no user. */
function subjectKey(subject: JsonObject, namespace: string): string | undefined {
  const name = text(subject['name'])
  switch (subject['kind']) {
    case 'User':
      return `User ${name}`
    case 'Group':
      return `Group ${name}`
    case 'ServiceAccount': {
      const of = text(subject['namespace']) || namespace
      return of === '' ? undefined : `User system:serviceaccount:${of}:${name}`
    }
    default:
      return undefined
  }
}

function isSubject(subject: JsonObject, user: UserInfo, namespace: string): boolean {
  if (subject['kind'] === 'Group') return user.groups.includes(text(subject['name']))
  return subjectKey(subject, namespace) === `User ${user.name}`
}

function describeBinding(binding: KubeObject, subject: JsonObject, namespace: string): string {
  const { kind, name } = roleRef(binding)
  const own = binding.metadata.name ?? ''
  const head = namespace === '' ? `ClusterRoleBinding ${goQuote(own)}` : `RoleBinding ${goQuote(`${own}/${namespace}`)}`
  const of = text(subject['kind']) === 'ServiceAccount' ? `/${text(subject['namespace']) || namespace}` : ''
  return `${head} of ${kind} ${goQuote(name)} to ${text(subject['kind'])} ${goQuote(text(subject['name']) + of)}`
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
