/** The objects and steps of the cases about mutating admission policies. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Step } from '../case.ts'
import { clusterResource, resource } from '../steps.ts'

export const group = 'admissionregistration.k8s.io/v1beta1'
export const policies = clusterResource('mutatingadmissionpolicies', group)
export const bindings = clusterResource('mutatingadmissionpolicybindings', group)
export const deployments = resource('deployments', 'apps/v1')
export const pods = resource('pods')

export const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['configmaps'],
}
const here = { matchLabels: { 'kubernetes.io/metadata.name': '{{ns}}' } }

export const apply = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
})
export const patch = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } })

export const policy = (spec: JsonObject, match: JsonObject = {}, name = '{{ns}}'): JsonObject => ({
  apiVersion: group,
  kind: 'MutatingAdmissionPolicy',
  metadata: { name },
  spec: {
    matchConstraints: { resourceRules: [rule], namespaceSelector: here, ...match },
    reinvocationPolicy: 'Never',
    ...spec,
  },
})
export const binding = (spec: JsonObject = {}, name = '{{ns}}'): JsonObject => ({
  apiVersion: group,
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName: name, ...spec },
})

export const removed = (name: string): Step[] => [
  { ...bindings.delete(name), setup: true, givesBack: true },
  { ...policies.delete(name), setup: true, givesBack: true },
]

/** A policy in effect, the requests that it changes, and its end. */
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
    ...removed('{{ns}}'),
  ]
}

export const mutations = (...list: JsonObject[]): JsonObject => ({ mutations: list })
export const everyDeployment = { resourceRules: [{ ...rule, apiGroups: ['apps'], resources: ['deployments'] }] }
export const everyPod = { resourceRules: [{ ...rule, resources: ['pods'] }] }
export const template = (containers: readonly JsonObject[]): JsonObject => ({
  metadata: { labels: { app: 'a' } },
  spec: { containers: [...containers] },
})
export const deployment = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { selector: { matchLabels: { app: 'a' } }, template: template([{ name: 'a', image: 'i' }]), ...spec },
})
export const pod = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'a', image: 'i' }] },
})
