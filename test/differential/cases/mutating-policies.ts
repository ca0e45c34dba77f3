/** Mutating admission policies, which a server serves only on demand: what they change. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case, Topic } from '../case.ts'
import { define, resource, thing, thingDefinition, things } from '../steps.ts'
import { mutatingPolicyRefusals } from './mutating-policy-refusals.ts'
import {
  apply,
  binding,
  bindings,
  deployment,
  deployments,
  everyDeployment,
  everyPod,
  group,
  inEffect,
  mutations,
  patch,
  pod,
  pods,
  policies,
  policy,
  removed,
  rule,
} from './mutating-policy-steps.ts'
import {
  autoscaler,
  autoscalers,
  configMaps,
  map,
  named,
  policies as validating,
  policy as validatingPolicy,
} from './policy-steps.ts'

const changes: readonly Case[] = [
  {
    name: 'configurations',
    steps: inEffect(
      mutations(
        apply(
          'Object{metadata: Object.metadata{labels: {"added": object.metadata.name}}, data: {"a": "new", "b": "c"}}',
        ),
      ),
      [
        configMaps.create(map('a')),
        configMaps.create(map('b', { a: 'old', c: 'd' }, { own: 'x' })),
        configMaps.merge('b', { data: { a: 'again' } }),
        configMaps.apply('c', map('c', { e: 'f' }), 'fieldManager=m'),
        configMaps.delete('a'),
      ],
    ),
  },
  {
    name: 'configurations of lists',
    steps: inEffect(
      mutations(
        apply(
          'Object{spec: Object.spec{replicas: 3, template: Object.spec.template{spec: Object.spec.template.spec{' +
            'containers: [Object.spec.template.spec.containers{name: "side", image: "s", ' +
            'env: [Object.spec.template.spec.containers.env{name: "A", value: "b"}]}], ' +
            'initContainers: object.spec.template.spec.?initContainers.orValue([]).map(c, ' +
            'Object.spec.template.spec.initContainers{name: c.name, image: "new"})}}}}',
        ),
      ),
      [
        deployments.create(deployment('a')),
        deployments.create(
          deployment('b', {
            replicas: 1,
            template: {
              metadata: { labels: { app: 'a' } },
              spec: {
                containers: [{ name: 'side', image: 'old', args: ['x'] }],
                initContainers: [{ name: 'i', image: 'i' }],
              },
            },
          }),
        ),
      ],
      {},
      everyDeployment,
    ),
  },
  ...(
    [
      ['a configuration with an unknown field', 'Object{spec: Object.spec{nothing: 1}}'],
      ['a configuration with another type', 'Object{spec: Object.spec{replicas: "x"}}'],
      ['a configuration of an atomic part', 'Object{spec: Object.spec{selector: Object.spec.selector{}}}'],
      [
        'a configuration of an atomic list',
        'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{' +
          'containers: [Object.spec.template.spec.containers{name: "a", args: ["x"]}]}}}}',
      ],
      ['a configuration with a wrong type name', 'Object{spec: Object.wrong{replicas: 1}}'],
      ['a configuration that fails', 'Object{metadata: Object.metadata{labels: {"a": string(object.none)}}}'],
    ] as const
  ).map(([name, expression]) => ({
    name,
    steps: inEffect(mutations(apply(expression)), [deployments.create(deployment('a'))], {}, everyDeployment),
  })),
  {
    name: 'failures that are ignored',
    steps: inEffect(
      {
        failurePolicy: 'Ignore',
        ...mutations(
          apply('Object{data: {"a": string(object.none)}}'),
          apply('Object{data: {"b": "c"}}'),
          patch('[JSONPatch{op: "remove", path: "/data/none"}]'),
        ),
      },
      [configMaps.create(map('a', { x: 'y' }))],
    ),
  },
  {
    name: 'several failures',
    steps: inEffect(
      mutations(apply('Object{data: {"a": string(object.none)}}'), patch('[JSONPatch{op: "remove", path: "/none/b"}]')),
      [configMaps.create(map('a', { x: 'y' }))],
    ),
  },
  {
    name: 'patches',
    steps: inEffect(
      mutations(
        patch(
          '[JSONPatch{op: "test", path: "/data/x", value: "y"}, ' +
            'JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("n~1"), value: string(size(object.data))}, ' +
            'JSONPatch{op: "copy", from: "/data/x", path: "/data/z"}]',
        ),
        patch('has(object.data.z) ? [JSONPatch{op: "move", from: "/data/z", path: "/data/moved"}] : []'),
      ),
      [configMaps.create(map('a', { x: 'y' })), configMaps.create(map('b', { x: 'other' }))],
    ),
  },
  {
    name: 'patches with values',
    steps: inEffect(
      mutations(
        patch(
          '[JSONPatch{op: "replace", path: "/spec/replicas", value: 2}, ' +
            'JSONPatch{op: "add", path: "/spec/template/spec/containers/-", value: ' +
            'Object.spec.template.spec.containers{name: "side", image: "s", ports: [' +
            'Object.spec.template.spec.containers.ports{containerPort: 80}]}}, ' +
            'JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}, ' +
            'JSONPatch{op: "add", path: "/spec/template/spec/nodeSelector", value: object.spec.selector.matchLabels}]',
        ),
      ),
      [deployments.create(deployment('a'))],
      {},
      everyDeployment,
    ),
  },
  ...(
    [
      ['a patch of a missing path', '[JSONPatch{op: "add", path: "/none/a", value: "b"}]'],
      ['a patch that removes what is missing', '[JSONPatch{op: "remove", path: "/data/none"}]'],
      ['a patch that replaces what is missing', '[JSONPatch{op: "replace", path: "/none/a/b", value: "b"}]'],
      ['a patch that moves what is missing', '[JSONPatch{op: "move", from: "/data/none", path: "/data/b"}]'],
      ['a patch with an unknown operation', '[JSONPatch{op: "other", path: "/data/none"}]'],
      ['a patch with an unknown field', '[JSONPatch{op: "add", path: "/nothing", value: "b"}]'],
      ['a patch with another type', '[JSONPatch{op: "add", path: "/data", value: "b"}]'],
      [
        'a patch with a wrong type name',
        '[JSONPatch{op: "add", path: "/data", value: Object.data{a: Object.b{c: "d"}}}]',
      ],
      ['a patch of a wrong index', '[JSONPatch{op: "add", path: "/metadata/finalizers/7", value: "b"}]'],
    ] as const
  ).map(([name, expression]) => ({
    name,
    steps: inEffect(mutations(patch(expression)), [
      configMaps.create({ ...map('a', { x: 'y' }), metadata: { name: 'a', finalizers: ['example.com/a'] } }),
    ]),
  })),
  {
    name: 'variables, parameters and conditions',
    steps: [
      configMaps.create(map('params', { value: 'given' })),
      ...inEffect(
        {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          variables: [
            { name: 'value', expression: 'params.data.value' },
            { name: 'count', expression: 'size(object.data)' },
          ],
          matchConditions: [named('object.metadata.name != "spared"')],
          ...mutations(
            apply('Object{data: {"value": variables.value, "count": string(variables.count)}}'),
            apply('Object{data: {"more": string(variables.count)}}'),
          ),
        },
        [configMaps.create(map('a', { x: 'y' })), configMaps.create(map('spared'))],
        { paramRef: { name: 'params', parameterNotFoundAction: 'Deny' } },
      ),
    ],
  },
  {
    name: 'parameters that are missing',
    steps: inEffect(
      { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...mutations(apply('Object{}')) },
      [configMaps.create(map('a'))],
      { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
    ),
  },
  {
    name: 'parameters of an unknown kind',
    steps: inEffect(
      { paramKind: { apiVersion: 'never.example.com/v1', kind: 'Nothing' }, ...mutations(apply('Object{}')) },
      [configMaps.create(map('a'))],
      { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
    ),
  },
  {
    name: 'conditions that fail',
    steps: inEffect({ matchConditions: [named('object.none == 1')], ...mutations(apply('Object{}')) }, [
      configMaps.create(map('a')),
    ]),
  },
  {
    // A server runs policies in any order.
    name: 'a policy that runs again after a change',
    steps: [
      policies.create(
        policy({
          ...mutations(apply('Object{data: {"first": has(object.data.second) ? "seen" : "not seen"}}')),
          reinvocationPolicy: 'IfNeeded',
        }),
      ),
      policies.create(policy(mutations(apply('Object{data: {"second": "b"}}')), {}, '{{ns}}-b')),
      bindings.create(binding()),
      bindings.create(binding({}, '{{ns}}-b'), '', { settle: 'enforced' }),
      configMaps.create(map('a', { x: 'y' })),
      configMaps.merge('a', { data: { z: 'z' } }),
      ...removed('{{ns}}'),
      ...removed('{{ns}}-b'),
    ],
  },
  {
    name: 'other plugins see the change',
    steps: [
      resource('limitranges').create(
        {
          apiVersion: 'v1',
          kind: 'LimitRange',
          metadata: { name: 'a' },
          spec: { limits: [{ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '500m' } }] },
        },
        '',
        { settle: 'informed' },
      ),
      ...inEffect(
        mutations(apply('Object{spec: Object.spec{containers: [Object.spec.containers{name: "side", image: "s"}]}}')),
        [pods.create(pod('a'))],
        {},
        everyPod,
      ),
    ],
  },
  {
    name: 'another version of a kind',
    steps: inEffect(
      mutations(apply('Object{metadata: Object.metadata{labels: {"version": object.apiVersion.replace("/", "-")}}}')),
      [autoscalers.create(autoscaler('a', { targetCPUUtilizationPercentage: 50 }))],
      {},
      { resourceRules: [{ ...rule, apiGroups: ['autoscaling'], apiVersions: ['v2'], resources: ['*'] }] },
    ),
  },
  {
    name: 'custom resources',
    steps: [
      define(
        thingDefinition({ spec: { type: 'object', properties: { size: { type: 'integer' }, list: listOfNames() } } }),
      ),
      // A server reads the schemas of custom resources every five seconds.
      ...[1, 2].map(() => ({ ...configMaps.list(), setup: true, settle: 'enforced' as const })),
      ...inEffect(
        mutations(
          apply('Object{spec: Object.spec{size: 3, list: [Object.spec.list{name: "b", value: "2"}]}}'),
          patch('[JSONPatch{op: "add", path: "/spec/unknown", value: 1}]'),
        ),
        [
          things.create(thing('a', { spec: { size: 1, list: [{ name: 'a', value: '1' }] } })),
          things.create(thing('b', { spec: { list: [{ name: 'b', value: '1' }] } })),
        ],
        {},
        { resourceRules: [{ ...rule, apiGroups: ['{{ns}}.example.com'], resources: ['things'] }] },
      ),
    ],
  },
  {
    name: 'policies do not change policies',
    steps: inEffect(
      mutations(apply('Object{metadata: Object.metadata{labels: {"a": "b"}}}')),
      [validating.create(validatingPolicy({ validations: [{ expression: 'true' }] }), 'dryRun=All')],
      {},
      {
        resourceRules: [
          { ...rule, apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], resourceNames: ['{{ns}}'] },
        ],
      },
    ),
  },
]

function listOfNames(): JsonObject {
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, value: { type: 'string' } } },
  }
}

export const mutatingPolicies: Topic = {
  name: 'policies-mutating',
  cases: [...mutatingPolicyRefusals, ...changes],
  runtimeConfig: [group],
}
