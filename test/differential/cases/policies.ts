/** Validating admission policies and match conditions of webhooks: what they decide. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case, Topic } from '../case.ts'
import { policyRefusals } from './policy-refusals.ts'
import {
  autoscaler,
  autoscalers,
  configMaps,
  hooks,
  inEffect,
  keys,
  map,
  named,
  policies,
  policy,
  priorityClass,
  priorityClasses,
  rule,
  validation,
  webhooks,
} from './policy-steps.ts'

const decisions: readonly Case[] = [
  {
    name: 'validations',
    steps: inEffect(
      {
        validations: [
          { expression: "object.metadata.name != 'a'" },
          { expression: "object.metadata.name != 'b'", message: ' not b ', reason: 'Forbidden' },
          { expression: "object.metadata.name != 'c'", messageExpression: "'not ' + object.metadata.name" },
          { expression: "object.metadata.name != 'd'", messageExpression: "'\\n'", reason: 'RequestEntityTooLarge' },
          { expression: "object.metadata.name != 'e' || object.data.none == 'x'" },
        ],
      },
      [...'abcdef'].map((name) => configMaps.create(map(name))),
    ),
  },
  {
    name: 'warnings',
    steps: inEffect(
      { validations: [{ expression: 'false', message: 'one' }, { expression: "object.data.none == 'x'" }] },
      [configMaps.create(map('a', { b: 'c' }))],
      { validationActions: ['Warn', 'Audit'] },
    ),
  },
  {
    name: 'errors that are ignored',
    steps: inEffect({ failurePolicy: 'Ignore', ...validation("object.data.none == 'x'") }, [
      configMaps.create(map('a', { b: 'c' })),
    ]),
  },
  {
    name: 'variables in use',
    steps: inEffect(
      {
        variables: [
          { name: 'names', expression: 'object.data.map(name, name)' },
          { name: 'wrong', expression: 'object.data.none' },
        ],
        validations: [
          { expression: 'size(variables.names) < 3', messageExpression: 'string(size(variables.names))' },
          { expression: "variables.wrong == 'x' || !('bad' in object.data)" },
        ],
      },
      [
        configMaps.create(map('a', { a: '' })),
        configMaps.create(map('b', { a: '', b: '', c: '' })),
        configMaps.create(map('c', { bad: '' })),
      ],
    ),
  },
  {
    name: 'parameters',
    steps: [
      configMaps.create(map('first', { prefix: 'a' }, { role: 'param' })),
      configMaps.create(map('second', { prefix: 'ab' }, { role: 'param' })),
      ...inEffect(
        {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          ...validation('object.metadata.name.startsWith(params.data.prefix)'),
        },
        [configMaps.create(map('abc')), configMaps.create(map('b'))],
        { paramRef: { selector: { matchLabels: { role: 'param' } }, parameterNotFoundAction: 'Deny' } },
      ),
    ],
  },
  ...(
    [
      ['parameters that are missing', { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } }],
      ['parameters that may be missing', { paramRef: { name: 'none', parameterNotFoundAction: 'Allow' } }],
      ['parameters that are not referred to', {}],
    ] as readonly (readonly [string, JsonObject])[]
  ).map(([name, bound]) => ({
    name,
    steps: inEffect(
      { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...validation('params == null') },
      [configMaps.create(map('a'))],
      bound,
    ),
  })),
  {
    name: 'parameters of an unknown kind',
    steps: inEffect(
      { paramKind: { apiVersion: 'never.example.com/v1', kind: 'Nothing' }, ...validation('true') },
      [configMaps.create(map('a'))],
      { paramRef: { name: 'none', parameterNotFoundAction: 'Allow' } },
    ),
  },
  {
    name: 'what is matched',
    steps: inEffect(
      {
        ...validation('false'),
        matchConditions: [{ name: 'not-system', expression: "!object.metadata.name.startsWith('sys-')" }],
      },
      [
        configMaps.create(map('a')),
        configMaps.create(map('spared')),
        configMaps.create(map('b', {}, { free: '' })),
        configMaps.create(map('sys-a')),
        configMaps.merge('spared', { data: { a: 'b' } }),
        configMaps.delete('spared'),
      ],
      {},
      {
        excludeResourceRules: [{ ...rule, resourceNames: ['spared'] }],
        objectSelector: { matchExpressions: [{ key: 'free', operator: 'DoesNotExist' }] },
      },
    ),
  },
  {
    name: 'conditions that fail',
    steps: inEffect(
      {
        ...validation('true'),
        matchConditions: [
          { name: 'one', expression: "object.data.none == 'x'" },
          { name: 'two', expression: "object.data.other == 'x'" },
        ],
      },
      [configMaps.create(map('a', { b: '' }))],
    ),
  },
  {
    name: 'what expressions see',
    steps: inEffect(
      {
        validations: [
          ...[
            'request.operation',
            'request.namespace',
            'request.name',
            'request.userInfo.username',
            'request.kind.kind + request.requestResource.resource',
            'string(request.dryRun)',
            'string(request.options.kind)',
            'string(size(object.metadata))',
            'namespaceObject.metadata.name',
            'string(oldObject == null)',
            'request.subResource',
          ].map((messageExpression) => ({ expression: 'false', messageExpression, message: messageExpression })),
          ...[
            "authorizer.requestResource.check('get').allowed()",
            "authorizer.serviceAccount('default', 'x').group('').resource('pods').check('get').allowed()",
            "authorizer.serviceAccount('', 'x').group('').resource('pods').check('get').allowed()",
            "authorizer.path('').check('get').allowed()",
          ].map((expression) => ({ expression, message: expression })),
        ],
      },
      [configMaps.create(map('a'))],
      { validationActions: ['Warn'] },
    ),
  },
  {
    name: 'deletes',
    steps: [
      configMaps.create(map('a')),
      configMaps.create(map('kept')),
      ...inEffect(
        validation("object == null && oldObject.metadata.name != 'kept'"),
        [configMaps.delete('a'), configMaps.delete('kept'), { ...configMaps.list(), setup: true }],
        {},
        { resourceRules: [{ ...rule, operations: ['DELETE'] }] },
      ),
    ],
  },
  {
    name: 'a resource without a namespace',
    steps: inEffect(
      { ...validation('object.value < 10 && namespaceObject == null'), matchConditions: [named('object.value > 1')] },
      [
        priorityClasses.create(priorityClass(1)),
        priorityClasses.delete('{{ns}}'),
        priorityClasses.create(priorityClass(10)),
        priorityClasses.create(priorityClass(5)),
        { ...priorityClasses.delete('{{ns}}'), setup: true, givesBack: true },
      ],
      {},
      {
        resourceRules: [
          {
            apiGroups: ['scheduling.k8s.io'],
            apiVersions: ['*'],
            operations: ['CREATE'],
            resources: ['*'],
            resourceNames: ['{{ns}}'],
          },
        ],
      },
    ),
  },
  {
    name: 'parameters without a namespace',
    steps: [
      priorityClasses.create(priorityClass(7)),
      ...inEffect(
        {
          paramKind: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' },
          ...validation('params.value == 7 && params.kind == "PriorityClass"', { messageExpression: "'no'" }),
        },
        [configMaps.create(map('a'))],
        { paramRef: { name: '{{ns}}', parameterNotFoundAction: 'Deny' } },
      ),
      { ...priorityClasses.delete('{{ns}}'), setup: true, givesBack: true },
    ],
  },
  {
    name: 'parameters with a namespace that they cannot have',
    steps: inEffect(
      { paramKind: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' }, ...validation('true') },
      [configMaps.create(map('a'))],
      { paramRef: { name: 'none', namespace: 'default', parameterNotFoundAction: 'Allow' } },
    ),
  },
  {
    name: 'another version of a kind',
    steps: inEffect(
      validation("object.apiVersion == 'autoscaling/v2' && object.spec.maxReplicas != 3", {
        messageExpression: "object.apiVersion + ' ' + request.kind.version + ' ' + request.requestKind.version",
      }),
      [
        autoscalers.create(autoscaler('a', { targetCPUUtilizationPercentage: 50 })),
        autoscalers.create(autoscaler('b')),
        autoscalers.create(autoscaler('c', { maxReplicas: 3 })),
      ],
      {},
      { resourceRules: [{ ...rule, apiGroups: ['autoscaling'], apiVersions: ['v2'], resources: ['*'] }] },
    ),
  },
  {
    name: 'only this version of a kind',
    steps: inEffect(
      validation('false'),
      [autoscalers.create(autoscaler('a'))],
      {},
      {
        matchPolicy: 'Exact',
        resourceRules: [{ ...rule, apiGroups: ['autoscaling'], apiVersions: ['v2'], resources: ['*'] }],
      },
    ),
  },
  {
    name: 'costs',
    steps: inEffect(
      validation('object.data.all(a, object.data.all(b, object.data.all(c, object.data.all(d, a + b + c != d))))'),
      [configMaps.create(map('a', { a: '' })), configMaps.create(map('b', keys(60)))],
    ),
  },
  {
    name: 'match conditions of webhooks in use',
    steps: [
      hooks.create(webhooks(["object.metadata.name == 'never'"]), '', { settle: 'enforced' }),
      configMaps.create(map('a')),
      hooks.merge('{{ns}}', webhooks(["object.data.none == 'x'", "object.data.other == 'y'"]), '', {
        settle: 'enforced',
      }),
      configMaps.create(map('b', { a: '' })),
      configMaps.create(map('c', { none: 'y' })),
      hooks.merge('{{ns}}', webhooks(["object.data.none == 'x'"], { failurePolicy: 'Ignore' }), '', {
        settle: 'enforced',
      }),
      configMaps.create(map('d', { a: '' })),
      { ...hooks.delete('{{ns}}'), setup: true, givesBack: true },
    ],
  },
  {
    name: 'match conditions that were valid when they were stored',
    steps: [
      hooks.create(webhooks(['true'])),
      hooks.merge('{{ns}}', { metadata: { labels: { a: 'b' } } }),
      hooks.merge('{{ns}}', webhooks(['tru'])),
      { ...hooks.delete('{{ns}}'), setup: true, givesBack: true },
      policies.create(policy({ ...validation('true'), matchConditions: [named('true')] })),
      policies.merge('{{ns}}', { spec: { failurePolicy: 'Ignore' } }),
      policies.merge('{{ns}}', { spec: { matchConditions: [named('params.a == 1')] } }),
      policies.merge('{{ns}}', { spec: { validations: [{ expression: 'params.a == 1' }] } }),
      policies.merge('{{ns}}', {
        spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, matchConditions: [named('params.a == 1')] },
      }),
      policies.merge('{{ns}}', { spec: { paramKind: null } }),
      { ...policies.delete('{{ns}}'), setup: true, givesBack: true },
    ],
  },
]

export const admissionPolicies: Topic = { name: 'policies', cases: [...policyRefusals, ...decisions] }
