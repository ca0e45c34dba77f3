/** Admission policies and match conditions of webhooks that are refused. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case } from '../case.ts'
import { as } from '../steps.ts'
import {
  asWriter,
  binding,
  bindings,
  hooks,
  mutatingHooks,
  policies,
  policy,
  validation,
  webhooks,
} from './policy-steps.ts'

/** Dry runs: what is valid is not stored. */
const refused = (name: string, specs: readonly JsonObject[]): Case => ({
  name,
  steps: specs.map((spec) => policies.create(policy(spec), 'dryRun=All')),
})

const given = { name: 'a', namespace: 'default', parameterNotFoundAction: 'Allow' }
const withParams = (paramKind: JsonObject): JsonObject => policy({ paramKind, ...validation('true') })

export const policyRefusals: readonly Case[] = [
  refused(
    'expressions that do not compile',
    [
      'object.',
      'object.spec',
      "'a'",
      '1 + 1',
      '[1, 2]',
      "{'a': 1}",
      'params.a == 1',
      'variables.a == 1',
      'request.nothing == 1',
      'request.object.a == 1',
      'namespaceObject.metadata.uid == ""',
      'namespaceObject.metadata.labels.a == 1',
      'authorizer.nothing()',
      "authorizer.group('').check('get').allowed()",
      "authorizer.requestResource.check('get')",
      'nothing(object)',
      'object.all(x, x)',
      "object.metadata.name.matches('[')",
      'timestamp("x") == timestamp("y")',
    ].map((expression) => validation(expression)),
  ),
  refused('messages, reasons and annotations that do not compile', [
    validation('true', { messageExpression: '1' }),
    validation('true', { messageExpression: ' ' }),
    validation('true', { messageExpression: "authorizer.path('/').check('get').reason()" }),
    validation('true', { message: 'a\rb' }),
    validation('true', { reason: 'Unauthorized' }),
    { auditAnnotations: [{ key: 'a', valueExpression: '1' }] },
    { auditAnnotations: [{ key: 'a', valueExpression: ' object.a ' }] },
    { auditAnnotations: [{ key: 'a', valueExpression: ' null ' }] },
    { auditAnnotations: Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, valueExpression: "''" })) },
  ]),
  refused('variables', [
    { variables: [{ name: 'a', expression: 'variables.a' }], ...validation('true') },
    { variables: [{ name: 'namespace', expression: '1' }], ...validation('true') },
    { variables: [{ name: 'a', expression: '1' }], ...validation("variables.a == 'x'") },
    { variables: [{ name: 'a', expression: 'object.a' }], ...validation("variables.a == 'x'") },
    { variables: [{ name: 'a', expression: 'request.userInfo' }], ...validation("variables.a.none == 'x'") },
    { variables: [{ name: 'a', expression: '1 +' }], ...validation('variables.a == 1') },
  ]),
  {
    name: 'match conditions of webhooks that do not compile',
    steps: [
      ...['object.', "'a'", 'params.a', "authorizer.requestResource.check('get').allowed()", ' true ', ' '].map(
        (expression) => hooks.create(webhooks([expression]), 'dryRun=All'),
      ),
      hooks.create(webhooks(Array.from({ length: 65 }, () => 'true')), 'dryRun=All'),
      mutatingHooks.create(
        { ...webhooks(['object.a', 'variables.a == 1']), kind: 'MutatingWebhookConfiguration' },
        'dryRun=All',
      ),
    ],
  },
  {
    name: 'parameters that the user may not read',
    steps: asWriter([
      as('{{ns}}', policies.create(withParams({ apiVersion: 'v1', kind: 'ConfigMap' }), 'dryRun=All')),
      as('{{ns}}', policies.create(withParams({ apiVersion: 'v1', kind: 'Nothing' }), 'dryRun=All')),
      as('{{ns}}', policies.create(policy(validation('true')))),
      as('{{ns}}', policies.merge('{{ns}}', { spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } })),
      as('{{ns}}', bindings.create(binding({ paramRef: { name: 'a', parameterNotFoundAction: 'Allow' } }))),
      policies.merge('{{ns}}', { spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } }),
      as('{{ns}}', policies.merge('{{ns}}', { metadata: { labels: { a: 'b' } } })),
      as('{{ns}}', bindings.create(binding({ paramRef: { name: 'a', parameterNotFoundAction: 'Allow' } }))),
      as('{{ns}}', bindings.create(binding({ paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } }))),
      as('{{ns}}', bindings.create(binding({ policyName: 'none-{{ns}}', paramRef: given }))),
      as('{{ns}}', bindings.create(binding(), 'dryRun=All')),
      bindings.create(binding({ paramRef: given })),
      as('{{ns}}', bindings.merge('{{ns}}', { metadata: { labels: { a: 'b' } } })),
      { ...bindings.delete('{{ns}}'), setup: true, givesBack: true },
      { ...policies.delete('{{ns}}'), setup: true, givesBack: true },
    ]),
  },
]
