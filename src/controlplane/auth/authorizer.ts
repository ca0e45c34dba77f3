/** The Authorizer interface, the mode that allows everything, and the 403 of a denied request. */
import { goQuote } from '../../api/go-format.ts'
import { ApiError, apiError } from '../../api/status.ts'
import type { RequestInfo } from '../registry/request-info.ts'
import type { EscalationChecks, UserInfo } from '../contract/resource.ts'
import type { RegistryCall } from '../registry/call.ts'
import type { PolicyRule } from './policy-rule.ts'

/** A decision and its reason: what allows the request, or the errors behind a denial. '' if there is none. */
export interface AuthorizationDecision {
  readonly allowed: boolean
  readonly reason: string
}

/** The rules of a user in a namespace. Errors mean that rules may be missing. */
export interface UserRules {
  readonly rules: readonly PolicyRule[]
  readonly errors: readonly string[]
}

export interface Authorizer {
  /** The decision alone, for every request. */
  allows(user: UserInfo, request: RequestInfo): boolean
  /** The same decision with its reason. */
  decide(user: UserInfo, request: RequestInfo): AuthorizationDecision
  rulesFor(user: UserInfo, namespace: string): UserRules
  /** The escalation checks for the user of a call. Undefined: there are none. */
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

/** Upstream's 403. The message is HTML-escaped, except for the object's name in front of it. */
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

/** Joins several errors without duplicates. */
export function joinReasons(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length < 2 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}
