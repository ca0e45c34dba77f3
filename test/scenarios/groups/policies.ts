/** The status of admission policies: warnings about expressions that do not fit the kinds that they are about. */
import type { JsonObject } from '../../../src/api/json.ts'
import { clusterResource } from '../../differential/steps.ts'
import type { Act, Scenario } from '../scenario.ts'
import { until } from '../steps.ts'

const policies = clusterResource('validatingadmissionpolicies', 'admissionregistration.k8s.io/v1')
const own = policies.get('{{ns}}').path

const rule = (group: string, ...resources: string[]): JsonObject => ({
  apiGroups: [group],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources,
})
const validations = (...expressions: string[]): JsonObject => ({
  validations: expressions.map((expression) => ({ expression })),
})

const policy = (rules: readonly JsonObject[], spec: JsonObject): JsonObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: '{{ns}}' },
  spec: { matchConstraints: { resourceRules: [...rules] }, ...spec },
})
const checked = (rules: readonly JsonObject[], spec: JsonObject): Act[] => [
  policies.create(policy(rules, spec)),
  until(own, { 'status.observedGeneration': 1 }),
]

const scenario = (name: string, ...steps: Act[]): Scenario => ({ name: `policy-${name}`, steps, also: [own] })

export const policyScenarios: readonly Scenario[] = [
  scenario(
    'that-fits',
    ...checked([rule('apps', 'deployments')], {
      variables: [{ name: 'many', expression: 'object.spec.replicas > 9' }],
      ...validations(
        'object.spec.replicas > 1 && !variables.many',
        "object.spec.template.spec.containers.all(c, c.image.startsWith('a') && c.ports.all(p, p.containerPort > 80))",
        "object.metadata.labels['a'] == 'b' && oldObject == null",
        "object.spec.strategy.rollingUpdate.maxSurge == '1' && object.spec.template.spec.?priority.orValue(1) == 1",
        "quantity(object.spec.template.spec.containers[0].resources.limits['cpu']).isGreaterThan(quantity('1'))",
        'namespaceObject.metadata.name == request.namespace && ' +
          "authorizer.group('').resource('pods').check('get').allowed()",
        "object.metadata.creationTimestamp < timestamp('2020-01-01T00:00:00Z')",
      ),
    }),
  ),
  scenario(
    'with-warnings',
    ...checked([rule('apps', 'deployments', 'deployments/scale', '*/status')], {
      variables: [
        { name: 'count', expression: 'object.spec.replicas' },
        { name: 'wrong', expression: 'object.spec.nothing' },
      ],
      validations: [
        { expression: "object.spec.replicas > '1'", messageExpression: "'got ' + object.spec.replicas" },
        { expression: 'object.spec.nothing == 1 || object.metadata.nothing == 2' },
        { expression: "variables.count == 'x'" },
        { expression: 'variables.wrong == 1' },
        { expression: "object.spec.template.spec.containers.exists(c, c.image == 1 || c.none == '')" },
        { expression: "object.metadata.labels.a == 1 && object.metadata.ownerReferences[0].controller == 'x'" },
      ],
    }),
    policies.json('{{ns}}', [{ op: 'remove', path: '/spec/validations/1' }]),
    until(own, { 'status.observedGeneration': 2 }),
  ),
  scenario(
    'of-several-kinds',
    ...checked([rule('apps', 'statefulsets', 'daemonsets'), rule('', 'pods', 'nodes'), rule('*', 'secrets')], {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...validations(
        'object.spec.replicas == 1',
        "params.data['a'] == 1 || params.binaryData['a'] == b'x'",
        'object.spec.updateStrategy.rollingUpdate.partition > 0',
        "object.status.phase == 'x' || object.spec.unschedulable",
        'object.kind == 1',
      ),
    }),
  ),
]
