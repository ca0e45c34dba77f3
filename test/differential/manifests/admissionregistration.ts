/** admissionregistration.k8s.io/v1. Their selectors and groups match no request. */
import type { JsonObject } from '../../../src/api/json.ts'
import { badMetadata, fullMetadata, variants, type KindManifests } from './manifest.ts'

const group = 'admissionregistration.k8s.io'
const registration = { group, version: 'v1', namespaced: false } as const
const apiVersion = `${group}/v1`

const rule: JsonObject = {
  apiGroups: ['never.example.com'],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['things', 'things/status'],
  scope: 'Namespaced',
}
const nobody: JsonObject = { matchLabels: { 'example.com/never': 'matches' } }

const minimalHook: JsonObject = {
  name: 'min.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://hooks.example.com/min' },
  namespaceSelector: nobody,
}
const fullHook: JsonObject = {
  name: 'full.example.com',
  sideEffects: 'NoneOnDryRun',
  admissionReviewVersions: ['v1', 'v1beta1'],
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  timeoutSeconds: 5,
  clientConfig: { service: { name: 'hook', namespace: 'default', path: '/x', port: 8443 } },
  rules: [rule, { ...rule, operations: ['*'], resources: ['*'], scope: '*' }],
  namespaceSelector: nobody,
  objectSelector: nobody,
  matchConditions: [{ name: 'only-some', expression: "object.metadata.name != 'x'" }],
}
const hook = (fields: JsonObject): JsonObject => ({ webhooks: [{ ...minimalHook, ...fields }] })
const badHooks: Readonly<Record<string, JsonObject>> = {
  ...badMetadata,
  'name of two parts': hook({ name: 'example.com' }),
  'name twice': { webhooks: [minimalHook, minimalHook] },
  'no side effects': hook({ sideEffects: null }),
  'unknown side effects': hook({ sideEffects: 'Some' }),
  'no review versions': hook({ admissionReviewVersions: [] }),
  'unknown review version': hook({ admissionReviewVersions: ['v7'] }),
  'no client': hook({ clientConfig: {} }),
  'client of two kinds': hook({
    clientConfig: { url: 'https://x.example.com', service: { name: 'a', namespace: 'b' } },
  }),
  'plain http': hook({ clientConfig: { url: 'http://x.example.com' } }),
  'url with query': hook({ clientConfig: { url: 'https://u:p@x.example.com/?a=b#c' } }),
  'bad service': hook({ clientConfig: { service: { name: '', namespace: '', path: 'x', port: 0 } } }),
  'timeout too long': hook({ timeoutSeconds: 31 }),
  'unknown policy': hook({ failurePolicy: 'Odd', matchPolicy: 'Odd' }),
  'rule of nothing': hook({ rules: [{}] }),
  'star and more': hook({
    rules: [{ ...rule, operations: ['*', 'CREATE'], apiGroups: ['*', 'a'], resources: ['*', 'b'] }],
  }),
  'bad selector': hook({ objectSelector: { matchLabels: { 'a b': 'c' } } }),
  'condition twice': hook({
    matchConditions: [
      { name: 'a', expression: 'true' },
      { name: 'a', expression: 'true' },
    ],
  }),
  'condition of nothing': hook({ matchConditions: [{ name: '', expression: '' }] }),
}

const constraints: JsonObject = {
  resourceRules: [{ ...rule, resourceNames: ['a'] }],
  excludeResourceRules: [{ ...rule, resources: ['others'] }],
  namespaceSelector: nobody,
  objectSelector: nobody,
  matchPolicy: 'Exact',
}

export const admissionregistrationManifests: readonly KindManifests[] = [
  {
    ...registration,
    resource: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    minimal: { apiVersion, kind: 'ValidatingWebhookConfiguration', metadata: { name: 'manifest-min' } },
    full: {
      apiVersion,
      kind: 'ValidatingWebhookConfiguration',
      metadata: fullMetadata('manifest-full'),
      webhooks: [fullHook, minimalHook],
    },
    change: { webhooks: [{ ...fullHook, timeoutSeconds: 7 }] },
    bad: variants(badHooks),
  },
  {
    ...registration,
    resource: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    minimal: { apiVersion, kind: 'MutatingWebhookConfiguration', metadata: { name: 'manifest-min' } },
    full: {
      apiVersion,
      kind: 'MutatingWebhookConfiguration',
      metadata: fullMetadata('manifest-full'),
      webhooks: [{ ...fullHook, reinvocationPolicy: 'IfNeeded' }, minimalHook],
    },
    change: { webhooks: [{ ...fullHook, timeoutSeconds: 7 }] },
    bad: variants({ ...badHooks, 'unknown reinvocation': hook({ reinvocationPolicy: 'Odd' }) }),
  },
  {
    ...registration,
    resource: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    minimal: {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'manifest-min' },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] },
    },
    full: {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: fullMetadata('manifest-full'),
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: constraints,
        failurePolicy: 'Ignore',
        validations: [
          {
            expression: "object.metadata.name != 'x'",
            message: 'not x',
            reason: 'Forbidden',
            messageExpression: "'not ' + object.metadata.name",
          },
        ],
        auditAnnotations: [{ key: 'who', valueExpression: 'request.userInfo.username' }],
        matchConditions: [{ name: 'only-some', expression: 'true' }],
        variables: [{ name: 'size', expression: '1 + 1' }],
      },
    },
    change: { spec: { failurePolicy: 'Fail' } },
    status: {
      status: {
        observedGeneration: 1,
        conditions: [
          { type: 'Ready', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2026-01-02T03:04:05Z' },
        ],
      },
    },
    badStatus: variants({
      'bad condition': { status: { conditions: [{ type: '', status: 'Odd', reason: '', message: '' }] } },
    }),
    bad: variants({
      ...badMetadata,
      'no constraints': { spec: { matchConstraints: null } },
      'no rules': { spec: { matchConstraints: { resourceRules: [] } } },
      'nothing to check': { spec: { validations: null, auditAnnotations: null } },
      'no expression': { spec: { validations: [{ expression: '' }] } },
      'unknown reason': { spec: { validations: [{ expression: 'true', reason: 'Odd' }] } },
      'unknown policy': { spec: { failurePolicy: 'Odd' } },
      'bad param kind': { spec: { paramKind: { apiVersion: '', kind: '' } } },
      'annotation without key': { spec: { auditAnnotations: [{ key: '', valueExpression: '' }] } },
      'variable twice': {
        spec: {
          variables: [
            { name: 'a', expression: '1' },
            { name: 'a', expression: '1' },
          ],
        },
      },
      'bad variable': { spec: { variables: [{ name: 'a-b', expression: '' }] } },
      'message of lines': { spec: { validations: [{ expression: 'true', message: 'a\nb' }] } },
    }),
  },
  {
    ...registration,
    resource: 'validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    minimal: {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'manifest-min' },
      spec: { policyName: 'none', validationActions: ['Deny'] },
    },
    full: {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: fullMetadata('manifest-full'),
      spec: {
        policyName: 'none',
        paramRef: { selector: nobody, namespace: 'default', parameterNotFoundAction: 'Allow' },
        matchResources: constraints,
        validationActions: ['Warn', 'Audit'],
      },
    },
    change: { spec: { validationActions: ['Deny'] } },
    bad: variants({
      ...badMetadata,
      'no policy': { spec: { policyName: '' } },
      'bad policy': { spec: { policyName: 'A b' } },
      'no actions': { spec: { validationActions: [] } },
      'unknown action': { spec: { validationActions: ['Odd'] } },
      'action twice': { spec: { validationActions: ['Warn', 'Warn'] } },
      'deny and warn': { spec: { validationActions: ['Deny', 'Warn'] } },
      'name and selector': { spec: { paramRef: { name: 'x' } } },
      'no action for missing': { spec: { paramRef: { parameterNotFoundAction: null } } },
      'no parameter': { spec: { paramRef: { selector: null } } },
    }),
  },
]
