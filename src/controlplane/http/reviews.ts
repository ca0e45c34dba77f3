/** Reviews: resources that answer a question and store nothing: who am I, and may I. */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { trackUpdate } from '../fields/track-update.ts'
import { decodeBody } from '../registry/body.ts'
import { managerName, type Call } from '../registry/call.ts'
import { writeOptions } from '../registry/options.ts'
import type { ApiRequest, ApiResponse } from '../registry/request.ts'
import type { RequestInfo, ResourceRequest, Verb } from '../registry/request-info.ts'
import type { UserInfo } from '../registry/resource.ts'
import { trackContext } from '../registry/tracking.ts'

export interface ReviewHandler {
  /** The function that answers, when the resource is a review. */
  find(info: ResourceRequest, request: ApiRequest): ((call: Call) => ApiResponse) | undefined
}

/** From the review's spec to its status. */
type Answer = (spec: JsonObject, call: Call) => JsonObject

export function reviewHandler(authorizer: Authorizer): ReviewHandler {
  const mayUser = (user: UserInfo, spec: JsonObject): JsonObject => {
    const question = attributes(spec)
    return { allowed: question !== undefined && authorizer.allows(user, question) }
  }
  const answers: Record<string, Answer> = {
    'authorization.k8s.io/selfsubjectaccessreviews': (spec, call) => mayUser(call.user, spec),
    'authorization.k8s.io/subjectaccessreviews': (spec) => mayUser(subject(spec), spec),
    'authorization.k8s.io/localsubjectaccessreviews': (spec) => mayUser(subject(spec), spec),
    'authentication.k8s.io/selfsubjectreviews': (_spec, call) => ({ userInfo: userInfo(call.user) }),
  }
  return {
    find(info) {
      const path = `${info.group}/${info.resource}`
      const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
      return answer && ((call) => review(call, answer))
    },
  }
}

function review(call: Call, answer: Answer): ApiResponse {
  const options = writeOptions('CreateOptions', call.request.query)
  const object = decodeBody(call, call.resource, options.fieldValidation)
  trackUpdate(undefined, object, managerName(options.fieldManager, call.request), trackContext(call))
  const spec = object['spec']
  object['status'] = answer(isObject(spec) ? spec : {}, call)
  return { type: 'object', status: 201, body: object as unknown as Json }
}

function attributes(spec: JsonObject): RequestInfo | undefined {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec
  const text = (of: JsonObject, name: string) => (typeof of[name] === 'string' ? (of[name]) : '')
  if (isObject(resource)) {
    return {
      isResource: true,
      verb: text(resource, 'verb') as Verb,
      group: text(resource, 'group'),
      version: text(resource, 'version'),
      namespace: text(resource, 'namespace'),
      resource: text(resource, 'resource'),
      subresource: text(resource, 'subresource'),
      name: text(resource, 'name'),
      rest: '',
    }
  }
  if (isObject(path)) return { isResource: false, verb: text(path, 'verb'), path: text(path, 'path') }
  return undefined
}

function subject(spec: JsonObject): UserInfo {
  const groups = Array.isArray(spec['groups']) ? spec['groups'].map(String) : []
  return { name: typeof spec['user'] === 'string' ? spec['user'] : '', uid: typeof spec['uid'] === 'string' ? spec['uid'] : '', groups }
}

function userInfo(user: UserInfo): JsonObject {
  return { username: user.name, ...(user.uid === '' ? {} : { uid: user.uid }), groups: [...user.groups] }
}
