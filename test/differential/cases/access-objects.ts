/**
 * Objects for the cases of access control: roles, bindings, subjects, reviews. Each case grants rights only to its own
 * users and groups, whose names contain its namespace, since cluster-wide rights would affect other cases.
 */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Step } from '../case.ts'
import { as, clusterResource, informed, request, resource } from '../steps.ts'

export const rbac = 'rbac.authorization.k8s.io'
export const rbacPath = `/apis/${rbac}/v1`
export const authorization = '/apis/authorization.k8s.io/v1'
export const authentication = '/apis/authentication.k8s.io/v1'

export const clusterRoles = clusterResource('clusterroles', `${rbac}/v1`)
export const clusterBindings = clusterResource('clusterrolebindings', `${rbac}/v1`)
export const roles = resource('roles', `${rbac}/v1`)
export const bindings = resource('rolebindings', `${rbac}/v1`)

/** A user or group of this case. */
export const own = (name: string): string => `{{ns}}:${name}`

export const user = (name: string): JsonObject => ({ kind: 'User', name, apiGroup: rbac })
export const group = (name: string): JsonObject => ({ kind: 'Group', name, apiGroup: rbac })
export const account = (name: string, namespace = '{{ns}}'): JsonObject => ({ kind: 'ServiceAccount', name, namespace })

export const role = (name: string, rules: Json, more: JsonObject = {}): JsonObject => ({
  metadata: { name },
  rules,
  ...more,
})

export const binding = (name: string, kind: string, of: string, subjects: Json, more: JsonObject = {}): JsonObject => ({
  metadata: { name },
  roleRef: { kind, name: of, apiGroup: rbac },
  subjects,
  ...more,
})

export const rule = (
  apiGroups: string[],
  resources: string[],
  verbs: string[],
  resourceNames?: string[],
): JsonObject => ({
  apiGroups,
  resources,
  verbs,
  ...(resourceNames === undefined ? {} : { resourceNames }),
})

/** A ClusterRole and its binding, both named `{{ns}}-NAME`. */
export const grant = (name: string, rules: Json, subjects: Json): Step[] => [
  clusterRoles.create(role(`{{ns}}-${name}`, rules)),
  informed(clusterBindings.create(binding(`{{ns}}-${name}`, 'ClusterRole', `{{ns}}-${name}`, subjects))),
]

/** A Role and its binding in the namespace of the case. */
export const grantHere = (name: string, rules: Json, subjects: Json): Step[] => [
  roles.create(role(name, rules)),
  informed(bindings.create(binding(name, 'Role', name, subjects))),
]

const review =
  (kind: string) =>
  (spec: Json, more: JsonObject = {}, query = ''): Step => {
    return request('POST', `${authorization}/${kind}${query}`, { spec, ...more })
  }

export const selfReview = review('selfsubjectaccessreviews')
export const subjectReview = review('subjectaccessreviews')
export const rulesReview = review('selfsubjectrulesreviews')
export const localReview = review('namespaces/{{ns}}/localsubjectaccessreviews')

export const tokenReview = (spec: Json, more: JsonObject = {}): Step => {
  return request('POST', `${authentication}/tokenreviews`, { spec, ...more })
}

export const whoAmI = (headers: Record<string, string> = {}, more: JsonObject = {}): Step => {
  return request('POST', `${authentication}/selfsubjectreviews`, more, { headers })
}

/** Sends this Authorization header instead of a known token. */
export const withAuthorization = (value: string, step: Step): Step => ({
  ...step,
  headers: { ...step.headers, authorization: value },
})

export const anonymously = (step: Step): Step => withAuthorization('', step)

/** `verb group/resource/subresource/name`, with `-` for an empty part. */
export function attributes(text: string, namespace = '{{ns}}'): JsonObject {
  const [verb = '', what = ''] = text.split(' ')
  const [of = '', name = '', subresource = '', object = ''] = what.split('/').map((part) => (part === '-' ? '' : part))
  return { verb: verb === '-' ? '' : verb, group: of, resource: name, subresource, name: object, namespace }
}

/** Reviews whether this user may do each of these, by default in the namespace of the case. */
export const mayDo = (who: string, questions: readonly string[], namespace?: string, groups?: string): Step[] => {
  return questions.map((text) => as(who, selfReview({ resourceAttributes: attributes(text, namespace) }), groups))
}
