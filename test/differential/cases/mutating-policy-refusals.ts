/** Mutating admission policies and bindings: what is refused, and how they are read and written. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case } from '../case.ts'
import { as, get } from '../steps.ts'
import { apply, binding, bindings, group, mutations, patch, policies, policy, rule } from './mutating-policy-steps.ts'
import { asWriter, named } from './policy-steps.ts'

const refused = (name: string, specs: readonly JsonObject[]): Case => ({
  name,
  steps: specs.map((spec) => policies.create(policy(spec), 'dryRun=All')),
})

const withParams = (): JsonObject =>
  policy({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...mutations(apply('Object{}')) })

export const mutatingPolicyRefusals: readonly Case[] = [
  refused(
    'configurations that do not compile',
    [
      'Object{}',
      'Object.spec{}',
      'Object{metadata: Object.metadata{labels: {"a": "b"}}}',
      'Object{a: 1, b: Object.c{}}',
      'Invalid{}',
      'Object{a: Invalid{}}',
      '{"a": "b"}',
      '"a"',
      'object',
      'Object{a: params.b}',
      'Object{a: variables.b}',
      'Object{?a: 1}',
      'Object{?a: optional.none()}',
      'Object{',
      ' ',
      '[JSONPatch{op: "add", path: "/a", value: 1}]',
      'type(object) == Object ? Object{} : Object{}',
      'Object{}.a == 1 ? Object{} : Object{a: 1}',
    ].map((expression) => mutations(apply(expression))),
  ),
  refused(
    'patches that do not compile',
    [
      '[]',
      '[JSONPatch{op: "add", path: "/a", value: 1}]',
      '[JSONPatch{op: "add", path: "/a", value: Object.spec{a: 1}}]',
      'JSONPatch{op: "add", path: "/a", value: 1}',
      '[JSONPatch{op: 1, path: "/a", value: 1}]',
      '[JSONPatch{op: "add", path: 1}, JSONPatch{from: true}]',
      '[{"op": "add"}]',
      '[Object{}]',
      '[JSONPatch{op: "nothing"}]',
      '[JSONPatch{op: "remove", path: "/" + jsonpatch.escapeKey("a/b~c")}]',
      '[JSONPatch{op: "remove", path: jsonpatch.escapeKey(1)}]',
      'true ? [JSONPatch{op: "remove", path: "/a"}] : []',
      'object.data.map(key, JSONPatch{op: "remove", path: "/data/" + key})',
    ].map((expression) => mutations(patch(expression))),
  ),
  refused('policies', [
    {},
    mutations({ patchType: '' }),
    mutations({ patchType: 'Other' }),
    mutations({ patchType: 'JSONPatch' }),
    mutations({ patchType: 'ApplyConfiguration', jsonPatch: { expression: '[]' } }),
    mutations({ ...apply('Object{}'), jsonPatch: { expression: '[]' } }),
    { ...mutations(apply('Object{}')), reinvocationPolicy: '' },
    { ...mutations(apply('Object{}')), reinvocationPolicy: 'Always' },
    { ...mutations(apply('Object{}')), failurePolicy: 'Never' },
    { ...mutations(apply('Object{}')), matchConditions: [named('object.')] },
    { ...mutations(apply('Object{}')), matchConstraints: null },
    { ...mutations(apply('Object{}')), matchConstraints: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } },
    { ...mutations(apply('Object{a: variables.x}')), variables: [{ name: 'x', expression: 'Object{}' }] },
    { ...mutations(apply('Object{a: variables.x}')), variables: [{ name: 'x', expression: '1' }] },
    { ...mutations(apply('variables.x')), variables: [{ name: 'x', expression: 'object' }] },
  ]),
  {
    name: 'bindings',
    steps: [
      {},
      { policyName: 'A_' },
      { paramRef: {} },
      { matchResources: { resourceRules: [{ ...rule, operations: ['DELETE', 'CREATE'] }] } },
      { matchResources: {} },
    ].map((spec) => bindings.create(binding(spec), 'dryRun=All')),
  },
  {
    name: 'reads and writes',
    steps: [
      policies.create(policy(mutations(apply('Object{}')))),
      policies.get('{{ns}}'),
      policies.table('{{ns}}'),
      policies.merge('{{ns}}', { spec: { reinvocationPolicy: 'IfNeeded' } }),
      policies.apply('{{ns}}', policy(mutations(patch('[]'))), 'fieldManager=a&force=true'),
      policies.merge('{{ns}}', { spec: { mutations: [patch('[JSONPatch{op: "test", path: "/a"}]')] } }),
      bindings.create(binding({ paramRef: { name: 'a', parameterNotFoundAction: 'Allow' } })),
      bindings.table('{{ns}}'),
      bindings.replace('{{ns}}', binding({ policyName: 'other' })),
      get(`/apis/${group}`),
      get('/apis/admissionregistration.k8s.io'),
      get('/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.admissionregistration.k8s.io'),
      bindings.delete('{{ns}}'),
      policies.delete('{{ns}}'),
    ],
  },
  {
    name: 'parameters that the user may not read',
    steps: asWriter([
      as('{{ns}}', policies.create(withParams(), 'dryRun=All')),
      policies.create(withParams()),
      as('{{ns}}', bindings.create(binding({ paramRef: { name: 'a', parameterNotFoundAction: 'Allow' } }))),
      as('{{ns}}', bindings.create(binding(), 'dryRun=All')),
      { ...policies.delete('{{ns}}'), setup: true, givesBack: true },
    ]),
  },
]
