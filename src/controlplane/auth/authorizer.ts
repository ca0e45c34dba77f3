/** Authorization: may this user do this? The contract, the mode that allows everything, and the words of a refusal. */
import { goQuote } from '../../api/go-format.ts'
import { ApiError, apiError } from '../../api/status.ts'
import type { RequestInfo } from '../registry/request-info.ts'
import type { EscalationChecks, UserInfo } from '../contract/resource.ts'
import type { RegistryCall } from '../registry/call.ts'
import type { PolicyRule } from './policy-rule.ts'

/**
 * An answer with its reason: what allows it, or what went wrong on the way to a no; '' when there is nothing to say.
 */
export interface AuthorizationDecision {
  readonly allowed: boolean
  readonly reason: string
}

/** All rules of a user in a namespace, and why there may be more. */
export interface UserRules {
  readonly rules: readonly PolicyRule[]
  readonly errors: readonly string[]
}

export interface Authorizer {
  /** The quick answer, for every request. */
  allows(user: UserInfo, request: RequestInfo): boolean
  /** The same answer with its reason. */
  decide(user: UserInfo, request: RequestInfo): AuthorizationDecision
  rulesFor(user: UserInfo, namespace: string): UserRules
  /** What the user of a call may give to others; undefined: everything. */
  grants(call: RegistryCall): EscalationChecks | undefined
}

const everything: UserRules = {
  rules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
  errors: [],
}

export const alwaysAllow: Authorizer = {
  allows: () => true,
  decide: () => ({ allowed: true, reason: '' }),
  rulesFor: () => everything,
  grants: () => undefined,
}

const markup: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** The 403 that upstream answers; what could be markup is escaped, but not in the object's name before it. */
export function forbidden(user: UserInfo, request: RequestInfo, reason: string): ApiError {
  const escaped = rejection(user, request).replace(/[&<>]/g, (char) => markup[char] as string)
  const message = reason === '' ? escaped : `${escaped}: ${reason}`
  if (request.isResource) {
    return apiError.forbidden({ group: request.group, resource: request.resource }, request.name, message)
  }
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `forbidden: ${message}`,
    reason: 'Forbidden',
    details: {},
    code: 403,
  })
}

function rejection(user: UserInfo, request: RequestInfo): string {
  const who = `User ${goQuote(user.name)}`
  if (!request.isResource) return `${who} cannot ${request.verb} path ${goQuote(request.path)}`
  const { group, namespace } = request
  const resource = request.subresource === '' ? request.resource : `${request.resource}/${request.subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`
  return `${who} cannot ${request.verb} resource ${goQuote(resource)} in API group ${goQuote(group)} ${where}`
}

/** Several errors in one text, without repeats. */
export function joinReasons(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length < 2 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}
