/**
 * Reviews: resources that answer a question and store nothing (SelfSubjectReview, TokenReview, the access reviews).
 * TokenRequest is handled here too: its result is a token.
 */
import { isObject, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, type KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { timestamp } from '../../env/env.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import { joinReasons, type Authorizer } from '../auth/authorizer.ts'
import type { PolicyRule } from '../auth/policy-rule.ts'
import type { ServiceAccountTokens } from '../auth/service-account-tokens.ts'
import { trackUpdate } from '../fields/track-update.ts'
import { decodeBody } from '../registry/body.ts'
import { managerName, type RegistryCall } from '../registry/call.ts'
import { matchNamespace, wipeSystemFields } from '../registry/metadata.ts'
import { writeOptions } from '../registry/options.ts'
import type { ApiResponse } from '../contract/request.ts'
import type { ResourceRequest } from '../registry/request-info.ts'
import type { UserInfo } from '../contract/resource.ts'
import { trackContext } from '../registry/tracking.ts'
import { accessReviewErrors, accessReviewStatus, type ReviewScope } from './access-review.ts'
import { requestToken } from './token-request.ts'

export interface ReviewHandler {
  /** The function that serves the request, if the resource is a review. */
  find(info: ResourceRequest): ((call: RegistryCall) => ApiResponse) | undefined
}

export interface ReviewOptions {
  readonly authorizer: Authorizer
  readonly authenticator: Authenticator
  readonly accounts: ServiceAccountTokens
}

/** From the decoded review to the response, which may be the same object. */
type ReviewResponse = (review: KubeObject, call: RegistryCall) => KubeObject

export function reviewHandler({ authorizer, authenticator, accounts }: ReviewOptions): ReviewHandler {
  const access =
    (scope: ReviewScope): ReviewResponse =>
    (review, call) => {
      const errors = accessReviewErrors(review, scope)
      // Upstream's error has no kind here.
      if (errors.length > 0) throw apiError.invalid(call.resource.group, '', '', errors)
      review['status'] = accessReviewStatus(authorizer, review, scope, call.user)
      return review
    }
  const answers: Readonly<Record<string, ReviewResponse>> = {
    'authorization.k8s.io/selfsubjectaccessreviews': access('self'),
    'authorization.k8s.io/subjectaccessreviews': access('any'),
    'authorization.k8s.io/localsubjectaccessreviews': access('local'),
    'authorization.k8s.io/selfsubjectrulesreviews': (given, call) => rulesReview(authorizer, given, call),
    'authentication.k8s.io/selfsubjectreviews': (_given, call) =>
      fresh(
        call,
        { creationTimestamp: timestamp(call.backend.env.now()) },
        { status: { userInfo: userInfo(call.user) } },
      ),
    'authentication.k8s.io/tokenreviews': (given) => tokenReview(authenticator, given),
  }
  return {
    find({ group, resource, subresource }) {
      if (subresource === 'token' && resource === 'serviceaccounts' && group === '') {
        return (call) => ({ type: 'object', status: 201, body: requestToken(call, accounts) })
      }
      if (!groups.has(group)) return undefined
      const path = `${group}/${resource}`
      const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
      return answer && ((call) => review(call, answer))
    },
  }
}

const groups = new Set(['authentication.k8s.io', 'authorization.k8s.io'])

function review(call: RegistryCall, answer: ReviewResponse): ApiResponse {
  const options = writeOptions('CreateOptions', call.request.query)
  call.stages?.basedOn(undefined)
  const { object, asSent } = decodeBody(call, call.resource, options.fieldValidation)
  matchNamespace(object.metadata, call.resource, call.namespace)
  wipeSystemFields(object.metadata)
  trackUpdate(undefined, object, managerName(options.fieldManager, call.request), trackContext(call), asSent)
  return { type: 'object', status: 201, body: answer(object, call) }
}

/** A response that contains nothing of the request. */
function fresh(call: RegistryCall, metadata: JsonObject, fields: JsonObject): KubeObject {
  const { kind, group, version } = call.resource
  return { kind, apiVersion: apiVersionOf(group, version), metadata, ...fields }
}

function rulesReview(authorizer: Authorizer, given: KubeObject, call: RegistryCall): KubeObject {
  const namespace = text(struct(given['spec'])['namespace'])
  if (namespace === '') throw apiError.badRequest('no namespace on request')
  const { rules, errors } = authorizer.rulesFor(call.user, namespace)
  const status: JsonObject = {
    resourceRules: shown(rules, 'resources', ['verbs', 'apiGroups', 'resources', 'resourceNames']),
    nonResourceRules: shown(rules, 'nonResourceURLs', ['verbs', 'nonResourceURLs']),
    incomplete: false,
  }
  if (errors.length > 0) status['evaluationError'] = joinReasons(errors)
  return fresh(call, {}, { spec: {}, status })
}

/** The rules with a non-empty `first` list, reduced to these fields. */
function shown(
  rules: readonly PolicyRule[],
  first: keyof PolicyRule,
  fields: readonly (keyof PolicyRule)[],
): JsonObject[] {
  return rules.filter((rule) => (rule[first]?.length ?? 0) > 0).map((rule) => partOf(rule, fields))
}

function partOf(rule: PolicyRule, fields: readonly (keyof PolicyRule)[]): JsonObject {
  const part: JsonObject = {}
  for (const field of fields) {
    const values = rule[field]
    if (field === 'verbs' || (values !== undefined && values.length > 0)) part[field] = [...(values ?? [])]
  }
  return part
}

function tokenReview(authenticator: Authenticator, given: KubeObject): KubeObject {
  const spec = struct(given['spec'])
  const token = text(spec['token'])
  if (token === '') throw apiError.badRequest('token is required for TokenReview in authentication')
  const asked = Array.isArray(spec['audiences']) ? spec['audiences'].map(text) : []
  const finding = authenticator.review(token, asked.length === 0 ? [authenticator.audience] : asked)
  // Fields of the status that are not set here keep what the client sent.
  const { user = {}, audiences, error } = struct(given['status'])
  const failed = 'error' in finding
  const status: JsonObject = failed ? { user } : { authenticated: true, user: userInfo(finding.user) }
  if (!failed) status['audiences'] = [...finding.audiences]
  else if (audiences !== undefined) status['audiences'] = audiences
  if (failed) status['error'] = finding.error
  else if (error !== undefined) status['error'] = error
  given['status'] = status
  return given
}

function userInfo(user: UserInfo): JsonObject {
  const info: JsonObject = {}
  if (user.name !== '') info['username'] = user.name
  if (user.uid !== '') info['uid'] = user.uid
  if (user.groups.length > 0) info['groups'] = [...user.groups]
  if (user.extra !== undefined) {
    info['extra'] = Object.fromEntries(
      Object.keys(user.extra)
        .sort()
        .map((key) => [key, [...(user.extra?.[key] ?? [])]]),
    )
  }
  return info
}

function struct(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
