/**
 * Impersonation: acting as another user, by headers. Each part of the identity (user or service account, groups,
 * extras, uid) needs its own permission for the verb `impersonate`.
 */
import { apiError } from '../../api/status.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { ResourceRequest, RequestVerb } from '../registry/request-info.ts'
import type { UserInfo } from '../contract/resource.ts'
import { forbidden, type Authorizer } from './authorizer.ts'
import {
  anonymousName,
  authenticatedGroup,
  serviceAccountGroups,
  serviceAccountOf,
  unauthenticatedGroup,
} from './user-names.ts'

const prefix = 'impersonate-'
const extraPrefix = 'impersonate-extra-'
const authentication = 'authentication.k8s.io'

/** One part of the requested identity. */
interface Part {
  readonly kind: 'User' | 'ServiceAccount' | 'Group' | 'UserExtra' | 'UID'
  readonly name: string
  readonly namespace: string
  /** The key of an extra. */
  readonly key: string
}

/** The user that the request acts as: its own, or the impersonated one. Throws 400 and 403. */
export function actingUser(request: ApiRequest, authorizer: Authorizer): UserInfo {
  for (const name in request.headers) if (name.startsWith(prefix)) return impersonated(request, authorizer)
  return request.user
}

function impersonated(request: ApiRequest, authorizer: Authorizer): UserInfo {
  const parts = partsOf(request)
  if (parts.length === 0) return request.user
  const [first] = parts as [Part]
  if (first.kind !== 'User' && first.kind !== 'ServiceAccount') {
    throw apiError.badRequest(`requested [${parts.map(partText).join(' ')}] without impersonating a user`)
  }
  for (const part of parts) {
    const question = questionOf(part)
    if (authorizer.allows(request.user, question)) continue
    throw forbidden(request.user, question, authorizer.decide(request.user, question).reason)
  }
  const name = first.kind === 'User' ? first.name : `system:serviceaccount:${first.namespace}:${first.name}`
  const user: UserInfo = {
    name,
    uid: parts.find(({ kind }) => kind === 'UID')?.name ?? '',
    groups: groupsOf(first, name, parts),
  }
  const extra = extraOf(parts)
  return extra === undefined ? user : { ...user, extra }
}

function partsOf(request: ApiRequest): Part[] {
  const parts: Part[] = []
  const [user = ''] = values(request, 'impersonate-user')
  if (user !== '') {
    const account = serviceAccountOf(user)
    parts.push(
      account === undefined
        ? { kind: 'User', name: user, namespace: '', key: '' }
        : { kind: 'ServiceAccount', ...account, key: '' },
    )
  }
  for (const name of values(request, 'impersonate-group')) parts.push({ kind: 'Group', name, namespace: '', key: '' })
  for (const header in request.headers) {
    if (!header.startsWith(extraPrefix)) continue
    const key = decoded(header.slice(extraPrefix.length))
    for (const name of values(request, header)) parts.push({ kind: 'UserExtra', name, namespace: '', key })
  }
  const [uid = ''] = values(request, 'impersonate-uid')
  if (uid !== '') parts.push({ kind: 'UID', name: uid, namespace: '', key: '' })
  return parts
}

/** Each value of a repeatable header. */
function values(request: ApiRequest, name: string): readonly string[] {
  const joined = request.headers[name]
  if (joined === undefined) return []
  return request.headerValues?.(name) ?? [joined]
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

function groupsOf(first: Part, user: string, parts: readonly Part[]): string[] {
  const given = parts.filter(({ kind }) => kind === 'Group').map(({ name }) => name)
  const groups = given.length === 0 && first.kind === 'ServiceAccount' ? serviceAccountGroups(first.namespace) : given
  if (user === anonymousName) {
    if (!groups.includes(unauthenticatedGroup)) groups.push(unauthenticatedGroup)
  } else if (!groups.includes(authenticatedGroup) && !groups.includes(unauthenticatedGroup)) {
    groups.push(authenticatedGroup)
  }
  return groups
}

function extraOf(parts: readonly Part[]): Readonly<Record<string, readonly string[]>> | undefined {
  const extra = new Map<string, string[]>()
  for (const { kind, key, name } of parts) {
    if (kind !== 'UserExtra') continue
    const known = extra.get(key)
    if (known === undefined) extra.set(key, [name])
    else known.push(name)
  }
  return extra.size === 0 ? undefined : Object.fromEntries(extra)
}

const resources = {
  User: 'users',
  ServiceAccount: 'serviceaccounts',
  Group: 'groups',
  UserExtra: 'userextras',
  UID: 'uids',
} as const

function questionOf({ kind, name, namespace, key }: Part): ResourceRequest {
  const isCore = kind !== 'UserExtra' && kind !== 'UID'
  return {
    isResource: true,
    verb: 'impersonate' as RequestVerb,
    group: isCore ? '' : authentication,
    version: isCore ? '' : 'v1',
    namespace,
    resource: resources[kind],
    subresource: key,
    name,
    rest: '',
    form: 'plain',
  }
}

/** An ObjectReference as upstream prints it: kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath. */
function partText({ kind, name, namespace, key }: Part): string {
  const version = kind === 'UserExtra' || kind === 'UID' ? `${authentication}/v1` : ''
  return `{${[kind, namespace, name, '', version, '', key].join(' ')}}`
}
