/** Names with a meaning for authentication: system users and groups, and the user names of service accounts. */
import { checkLabel, checkSubdomain } from '../../api/names.ts'
import type { UserInfo } from '../contract/resource.ts'

/** Members of this group may do everything, in every authorization mode. */
export const mastersGroup = 'system:masters'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'
export const anonymousName = 'system:anonymous'

export const anonymous: UserInfo = { name: anonymousName, uid: '', groups: [unauthenticatedGroup] }

/** The server's own user. */
export const systemUser: UserInfo = { name: 'system:apiserver', uid: '', groups: [mastersGroup] }

/** The groups of an authenticated user. */
export function loggedIn(groups: readonly string[]): readonly string[] {
  return groups.includes(authenticatedGroup) ? groups : [...groups, authenticatedGroup]
}

const accountPrefix = 'system:serviceaccount:'

export function serviceAccountUser(namespace: string, name: string): string {
  return `${accountPrefix}${namespace}:${name}`
}

export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** The service account of a user name. Undefined if the user is not a service account. */
export function serviceAccountOf(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(accountPrefix)) return undefined
  const parts = user.slice(accountPrefix.length).split(':')
  const [namespace = '', name = ''] = parts
  if (parts.length !== 2 || checkLabel(namespace).length > 0 || checkSubdomain(name).length > 0) return undefined
  return { namespace, name }
}
