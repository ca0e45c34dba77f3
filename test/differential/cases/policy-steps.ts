/** The objects and steps of the cases about admission policies. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Step } from '../case.ts'
import { clusterResource, informed, resource } from '../steps.ts'

const group = 'admissionregistration.k8s.io/v1'
export const policies = clusterResource('validatingadmissionpolicies', group)
export const bindings = clusterResource('validatingadmissionpolicybindings', group)
export const hooks = clusterResource('validatingwebhookconfigurations', group)
export const mutatingHooks = clusterResource('mutatingwebhookconfigurations', group)
export const configMaps = resource('configmaps')
export const autoscalers = resource('horizontalpodautoscalers', 'autoscaling/v1')
export const priorityClasses = clusterResource('priorityclasses', 'scheduling.k8s.io/v1')

export const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['configmaps'],
}
/** Other cases run on the same server. */
const here = { matchLabels: { 'kubernetes.io/metadata.name': '{{ns}}' } }

export const policy = (spec: JsonObject, match: JsonObject = {}): JsonObject => ({
  apiVersion: group,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: '{{ns}}' },
  spec: { matchConstraints: { resourceRules: [rule], namespaceSelector: here, ...match }, ...spec },
})
export const binding = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: group,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: '{{ns}}' },
  spec: { policyName: '{{ns}}', validationActions: ['Deny'], ...spec },
})
export const map = (name: string, data: JsonObject = {}, labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
})

export const named = (expression: string): JsonObject => ({ name: 'condition', expression })
export const keys = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))
export const priorityClass = (value: number): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: '{{ns}}' },
  value,
})
export const autoscaler = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name },
  spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, ...spec },
})
export const webhooks = (expressions: readonly string[], more: JsonObject = {}): JsonObject => ({
  apiVersion: group,
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: '{{ns}}' },
  webhooks: [
    {
      name: 'a.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'https://127.0.0.1:1/never' },
      rules: [rule],
      namespaceSelector: here,
      matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
      ...more,
    },
  ],
})

/** A policy in effect, what it is asked, and its end. */
export function inEffect(
  spec: JsonObject,
  steps: readonly Step[],
  bound: JsonObject = {},
  match: JsonObject = {},
): Step[] {
  return [
    policies.create(policy(spec, match)),
    bindings.create(binding(bound), '', { settle: 'enforced' }),
    ...steps,
    { ...bindings.delete('{{ns}}'), setup: true, givesBack: true },
    { ...policies.delete('{{ns}}'), setup: true, givesBack: true },
  ]
}

export const validation = (expression: string, more: JsonObject = {}): JsonObject => ({
  validations: [{ expression, ...more }],
})

const rbac = 'rbac.authorization.k8s.io'
const clusterRoles = clusterResource('clusterroles', `${rbac}/v1`)
const clusterRoleBindings = clusterResource('clusterrolebindings', `${rbac}/v1`)

/** The steps of the user `{{ns}}`, who may write policies and bindings, and read nothing else. */
export function asWriter(steps: readonly Step[]): Step[] {
  return [
    clusterRoles.create({
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: '{{ns}}' },
      rules: [{ apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] }],
    }),
    informed(
      clusterRoleBindings.create({
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: '{{ns}}' },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: '{{ns}}' },
        subjects: [{ apiGroup: rbac, kind: 'User', name: '{{ns}}' }],
      }),
    ),
    ...steps,
    { ...clusterRoleBindings.delete('{{ns}}'), setup: true, givesBack: true },
    { ...clusterRoles.delete('{{ns}}'), setup: true, givesBack: true },
  ]
}
