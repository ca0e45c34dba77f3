/** Scenarios of aggregated ClusterRoles. */
import type { JsonObject } from '../../../src/api/json.ts'
import { clusterResource } from '../../differential/steps.ts'
import type { Scenario, Until } from '../scenario.ts'
import { gone, look, valueAt } from '../steps.ts'

const roles = clusterResource('clusterroles', 'rbac.authorization.k8s.io/v1')
const all = `${roles.path}?labelSelector=of%3D{{ns}}`
const sum = '{{ns}}-sum'

const rule = (resource: string, ...verbs: string[]): JsonObject => ({ apiGroups: [''], resources: [resource], verbs })
const role = (name: string, labels: JsonObject, ...rules: JsonObject[]): JsonObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: `{{ns}}-${name}`, labels: { of: '{{ns}}', ...labels } },
  rules,
})
const to = (where: string): JsonObject => ({ 'to-{{ns}}': where })
/** Selects `to` this, by one selector for each. */
const aggregated = (name: string, wheres: readonly string[], more: JsonObject = {}): JsonObject => ({
  ...role(name, {}),
  aggregationRule: { clusterRoleSelectors: wheres.map((where) => ({ matchLabels: to(where) })) },
  ...more,
})
/** Waits until a role has rules for exactly these resources, in this order. */
const hasRules = (name: string, ...resources: string[]): Until => ({
  until: roles.get(name).path,
  says: `rules for ${resources.join(', ')}`,
  holds: (found) => {
    const rules = (valueAt(found, 'rules') ?? []) as JsonObject[]
    return JSON.stringify(rules.map((each) => (each['resources'] as string[])[0] ?? '')) === JSON.stringify(resources)
  },
})

export const clusterRoleScenarios: readonly Scenario[] = [
  {
    name: 'aggregation-collects',
    also: [all],
    steps: [
      roles.create(role('c', to('x'), rule('services', 'get'))),
      roles.create(role('b', to('x'), rule('pods', 'get'), rule('secrets', 'get'))),
      roles.create(role('a', to('y'), rule('nodes', 'list'), rule('pods', 'get'))),
      roles.create(role('d', to('z'), rule('events', 'get'))),
      roles.create(aggregated('sum', ['x', 'y'])),
      hasRules(sum, 'pods', 'secrets', 'services', 'nodes'),
    ],
  },
  {
    name: 'aggregation-expressions',
    also: [all],
    steps: [
      roles.create(role('a', to('x'), rule('pods', 'get'))),
      roles.create(role('b', to('y'), rule('nodes', 'get'))),
      roles.create(role('c', to('z'), rule('secrets', 'get'))),
      roles.create(
        aggregated('sum', [], {
          aggregationRule: {
            clusterRoleSelectors: [{ matchExpressions: [{ key: 'to-{{ns}}', operator: 'In', values: ['y', 'z'] }] }],
          },
        }),
      ),
      hasRules(sum, 'nodes', 'secrets'),
    ],
  },
  {
    name: 'aggregation-rules-changed',
    also: [all],
    steps: [
      roles.create(aggregated('sum', ['x'])),
      roles.create(role('a', to('x'), rule('pods', 'get'))),
      hasRules(sum, 'pods'),
      look('before'),
      roles.merge('{{ns}}-a', { rules: [rule('secrets', 'list'), rule('pods', 'get')] }),
      hasRules(sum, 'secrets', 'pods'),
    ],
  },
  {
    name: 'aggregation-labels-changed',
    also: [all],
    steps: [
      roles.create(role('a', to('x'), rule('pods', 'get'))),
      roles.create(role('b', {}, rule('nodes', 'get'))),
      roles.create(aggregated('sum', ['x'])),
      hasRules(sum, 'pods'),
      roles.merge('{{ns}}-b', { metadata: { labels: to('x') } }),
      hasRules(sum, 'pods', 'nodes'),
      look('both'),
      roles.merge('{{ns}}-a', { metadata: { labels: to('y') } }),
      hasRules(sum, 'nodes'),
    ],
  },
  {
    name: 'aggregation-roles-deleted',
    also: [all],
    steps: [
      roles.create(role('a', to('x'), rule('pods', 'get'))),
      roles.create(role('b', to('x'), rule('nodes', 'get'))),
      roles.create(aggregated('sum', ['x'])),
      hasRules(sum, 'pods', 'nodes'),
      roles.delete('{{ns}}-a'),
      gone(roles.get('{{ns}}-a').path),
      hasRules(sum, 'nodes'),
      look('one'),
      roles.delete('{{ns}}-b'),
      hasRules(sum),
    ],
  },
  {
    name: 'aggregation-of-aggregated',
    also: [all],
    steps: [
      roles.create({ ...aggregated('outer', ['y']) }),
      roles.create({
        ...aggregated('inner', ['x']),
        metadata: { name: '{{ns}}-inner', labels: { of: '{{ns}}', ...to('y') } },
      }),
      roles.create(role('a', to('x'), rule('pods', 'get'))),
      hasRules('{{ns}}-outer', 'pods'),
      roles.merge('{{ns}}-a', { rules: [rule('nodes', 'get')] }),
      hasRules('{{ns}}-outer', 'nodes'),
    ],
  },
  {
    name: 'aggregation-rules-of-user',
    also: [all],
    steps: [
      roles.create(role('a', to('x'), rule('pods', 'get'))),
      roles.create(aggregated('sum', ['x'], { rules: [rule('events', 'get')] })),
      hasRules(sum, 'pods'),
      look('created'),
      roles.merge(sum, { rules: [rule('secrets', 'get')] }),
      hasRules(sum, 'pods'),
    ],
  },
  {
    name: 'aggregation-of-nothing',
    also: [all],
    steps: [roles.create(aggregated('sum', ['nobody'], { rules: [rule('events', 'get')] })), look('created')],
  },
  {
    name: 'aggregation-selector-changed',
    also: [all],
    steps: [
      roles.create(role('a', to('x'), rule('pods', 'get'))),
      roles.create(role('b', to('y'), rule('nodes', 'get'))),
      roles.create(aggregated('sum', ['x'])),
      hasRules(sum, 'pods'),
      roles.merge(sum, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: to('y') }] } }),
      hasRules(sum, 'nodes'),
      roles.merge(sum, { aggregationRule: null }),
      roles.merge('{{ns}}-b', { rules: [rule('secrets', 'get')] }),
      look('no longer aggregated'),
    ],
  },
]
