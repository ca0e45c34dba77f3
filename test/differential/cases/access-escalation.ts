/**
 * Privilege escalation: which roles and bindings are rejected with which messages, and the verbs `escalate` and `bind`.
 */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Case, Step, Topic } from '../case.ts'
import { as, informed, prepared } from '../steps.ts'
import {
  account,
  binding,
  bindings,
  clusterBindings,
  clusterRoles,
  grant,
  grantHere,
  group,
  own,
  rbac,
  role,
  roles,
  rule,
  user,
} from './access-objects.ts'

const ann = own('ann')
const writers = ['create', 'update', 'patch', 'get', 'delete', 'list']
/** May write all of RBAC, and has rights on some pods. */
const writer = (name = ann): Step[] =>
  grant(
    'writer',
    [rule([rbac], ['*'], writers), rule([''], ['pods', 'configmaps'], ['get', 'list', 'create'])],
    [user(name)],
  )

/** Rules that a user with few rights tries to grant. */
const offers: readonly Json[] = [
  [rule([''], ['pods'], ['get'])],
  [rule([''], ['pods', 'secrets'], ['get', 'delete'])],
  [rule([''], ['pods'], ['get'], ['a'])],
  [rule([''], ['pods/log', '*'], ['get', '*'])],
  [rule(['*'], ['*'], ['*'])],
  [
    rule(['apps', 'batch'], ['x', 'y/z'], ['get', 'list'], ['n1', 'n2']),
    rule(['apps'], ['x'], ['get']),
    rule(['apps'], ['x'], ['list', 'get']),
  ],
  [rule([''], ['a"b', 'é', 'x\ny'], ['get'])],
  [rule(['apps'], ['foo/scale', 'deployments/status'], ['get'])],
  [rule([rbac], ['roles', 'roles/x'], ['create', 'bind'])],
  [rule([''], ['pods'], ['get']), rule([''], ['pods'], ['get']), rule([''], ['secrets'], ['get'])],
  [{}],
  [],
  null,
]
const paths: readonly Json[] = [
  [{ nonResourceURLs: ['/foo'], verbs: ['get'] }],
  [{ nonResourceURLs: ['/foo', '/x', '/bar/*', '*'], verbs: ['get', 'put'] }],
  [{ nonResourceURLs: ['/healthz', '/api/*'], verbs: ['get'] }],
]

/** Roles that a binding may refer to. */
const references: readonly (readonly [kind: string, name: string])[] = [
  ['ClusterRole', 'view'],
  ['ClusterRole', 'cluster-admin'],
  ['ClusterRole', '{{ns}}-writer'],
  ['ClusterRole', '{{ns}}-nope'],
  ['Role', 'local'],
  ['Role', 'nope'],
  ['Foo', 'x'],
  ['ClusterRole', ''],
  ['', 'x'],
  ['ClusterRole', 'system:kube-dns'],
  ['ClusterRole', 'system:basic-user'],
  ['ClusterRole', 'system:discovery'],
]

const aggregated = (selectors: Json): JsonObject => ({ aggregationRule: { clusterRoleSelectors: selectors } })
const secrets = [rule([''], ['secrets'], ['get'])]
const pods = [rule([''], ['pods'], ['get'])]
const typed = (kind: string, value: JsonObject): JsonObject => ({ apiVersion: `${rbac}/v1`, kind, ...value })

const cases: readonly Case[] = [
  {
    name: 'ClusterRoles beyond one’s rights',
    steps: [
      ...writer(),
      ...[...offers, ...paths].map((rules, i) => as(ann, clusterRoles.create(role(`{{ns}}-${i}`, rules)))),
    ],
  },
  {
    name: 'Roles beyond one’s rights',
    steps: [...writer(), ...[...offers, ...paths].map((rules, i) => as(ann, roles.create(role(`r${i}`, rules))))],
  },
  {
    name: 'by update',
    steps: [
      ...writer(),
      prepared(clusterRoles.create(role('{{ns}}-e', pods))),
      ...offers.slice(0, 6).map((rules) => as(ann, clusterRoles.replace('{{ns}}-e', role('{{ns}}-e', rules)))),
      as(ann, clusterRoles.merge('{{ns}}-e', { rules: secrets })),
      as(ann, clusterRoles.json('{{ns}}-e', [{ op: 'add', path: '/rules/-', value: secrets[0] as Json }])),
      as(ann, clusterRoles.merge('{{ns}}-e', { metadata: { labels: { a: 'b' } } })),
      as(ann, clusterRoles.merge('{{ns}}-e', { rules: [] })),
      as(ann, clusterRoles.replace('{{ns}}-missing', role('{{ns}}-missing', secrets))),
      as(ann, roles.replace('missing', role('missing', secrets))),
    ],
  },
  {
    name: 'of what one does not hold',
    steps: [
      ...writer(),
      prepared(clusterRoles.create(role('{{ns}}-big', [...secrets, rule(['apps'], ['deployments'], ['*'])]))),
      prepared(roles.create(role('big', secrets))),
      as(ann, clusterRoles.merge('{{ns}}-big', { metadata: { labels: { a: 'b' } } })),
      as(ann, clusterRoles.merge('{{ns}}-big', { metadata: { finalizers: ['example.com/f'] } })),
      as(ann, clusterRoles.merge('{{ns}}-big', { metadata: { finalizers: null } })),
      as(ann, clusterRoles.merge('{{ns}}-big', { rules: secrets })),
      as(ann, clusterRoles.merge('{{ns}}-big', { rules: pods })),
      as(ann, clusterRoles.merge('{{ns}}-big', { metadata: { resourceVersion: '1', labels: { a: 'c' } } })),
      as(ann, roles.merge('big', { metadata: { annotations: { a: 'b' } } })),
      as(ann, roles.merge('big', { rules: [...secrets, ...pods] })),
      as(ann, clusterRoles.delete('{{ns}}-big')),
      as(ann, roles.delete('big')),
    ],
  },
  {
    name: 'by apply and dry run',
    steps: [
      ...writer(),
      as(ann, clusterRoles.apply('{{ns}}-a', typed('ClusterRole', role('{{ns}}-a', secrets)), 'fieldManager=m')),
      as(ann, clusterRoles.apply('{{ns}}-a', typed('ClusterRole', role('{{ns}}-a', pods)), 'fieldManager=m')),
      as(ann, clusterRoles.apply('{{ns}}-a', typed('ClusterRole', role('{{ns}}-a', secrets)), 'fieldManager=m')),
      as(ann, clusterRoles.create(role('{{ns}}-d', secrets), 'dryRun=All')),
      as(ann, clusterRoles.create(role('{{ns}}-d', pods), 'dryRun=All')),
      as(ann, roles.create(role('d', secrets), 'dryRun=All')),
      as(ann, bindings.create(binding('d', 'ClusterRole', 'cluster-admin', []), 'dryRun=All')),
    ],
  },
  {
    name: 'names that are not valid either',
    steps: [
      ...writer(),
      as(ann, clusterRoles.create(role('e3%', secrets))),
      as(ann, clusterRoles.create(role('', secrets))),
      as(ann, clusterRoles.create({ metadata: { generateName: '{{ns}}-g-' }, rules: secrets })),
      as(ann, roles.create(role('a/b', secrets))),
      as(ann, { ...roles.create(role('x', secrets)), path: `/apis/${rbac}/v1/namespaces/nowhere/roles` }),
      as(ann, roles.create(role('r', [{ resources: ['secrets'], verbs: ['get'] }]))),
      as(ann, roles.create(role('r', [{ nonResourceURLs: ['/x'], verbs: ['get'] }]))),
      as(ann, roles.create(role('r', [{ apiGroups: [''], resources: ['secrets'], verbs: [] }]))),
    ],
  },
  {
    name: 'aggregation',
    steps: [
      ...writer(),
      ...[[{}], [], [{ matchLabels: { a: 'b' } }], [{ matchExpressions: [{ key: 'a', operator: 'Odd' }] }]].map(
        (selectors, i) => as(ann, clusterRoles.create(role(`{{ns}}-a${i}`, [], aggregated(selectors)))),
      ),
      as(ann, clusterRoles.create(role('{{ns}}-b', [], { aggregationRule: {} }))),
      clusterRoles.create(role('{{ns}}-c', [], aggregated([{ matchLabels: { '{{ns}}': 'yes' } }]))),
      clusterRoles.create(role('{{ns}}-d', secrets, aggregated([{ matchLabels: { '{{ns}}': 'yes' } }]))),
      clusterRoles.create(role('{{ns}}-e', [], aggregated([{ matchLabels: { 'a b': 'c' } }]))),
      as(ann, clusterRoles.merge('{{ns}}-c', { metadata: { labels: { a: 'b' } } })),
      as(ann, clusterRoles.merge('{{ns}}-c', { aggregationRule: null })),
      as(ann, clusterRoles.create(role('{{ns}}-f', pods))),
      as(ann, clusterRoles.merge('{{ns}}-f', aggregated([{ matchLabels: { x: 'y' } }]))),
      clusterRoles.merge('{{ns}}-f', aggregated([{ matchLabels: { x: 'y' } }])),
      clusterRoles.get('{{ns}}-f'),
    ],
  },
  {
    name: 'ClusterRoleBindings beyond one’s rights',
    steps: [
      ...writer(),
      ...references.map(([kind, name], i) =>
        as(ann, clusterBindings.create(binding(`{{ns}}-${i}`, kind, name, [user(own('x'))]))),
      ),
    ],
  },
  {
    name: 'RoleBindings beyond one’s rights',
    steps: [
      ...writer(),
      ...grantHere('local', [rule(['batch'], ['jobs'], ['get', 'list'])], []),
      ...references.map(([kind, name], i) => as(ann, bindings.create(binding(`b${i}`, kind, name, [user(own('x'))])))),
    ],
  },
  {
    name: 'bindings of what one does not hold',
    steps: [
      ...writer(),
      prepared(clusterRoles.create(role('{{ns}}-big', secrets))),
      informed(prepared(clusterBindings.create(binding('{{ns}}-big', 'ClusterRole', '{{ns}}-big', [user(own('x'))])))),
      as(ann, clusterBindings.merge('{{ns}}-big', { subjects: [user(ann)] })),
      as(ann, clusterBindings.merge('{{ns}}-big', { metadata: { finalizers: ['example.com/f'] } })),
      as(ann, clusterBindings.merge('{{ns}}-big', { metadata: { finalizers: null } })),
      as(ann, clusterBindings.merge('{{ns}}-big', { metadata: { labels: { a: 'b' } } })),
      as(ann, clusterBindings.merge('{{ns}}-big', { roleRef: { name: 'cluster-admin' } })),
      as(ann, clusterBindings.merge('{{ns}}-big', { subjects: [] })),
      as(ann, clusterBindings.replace('{{ns}}-new', binding('{{ns}}-new', 'ClusterRole', 'cluster-admin', []))),
      as(ann, clusterBindings.replace('{{ns}}-new', binding('{{ns}}-new', 'ClusterRole', '{{ns}}-writer', []))),
      as(ann, clusterBindings.merge('{{ns}}-writer', { roleRef: { name: 'cluster-admin' } })),
      as(ann, clusterBindings.merge('{{ns}}-writer', { subjects: [user(ann), user(own('friend'))] })),
      as(ann, clusterBindings.delete('{{ns}}-big')),
    ],
  },
  {
    name: 'the verbs bind and escalate',
    steps: [
      ...writer(),
      ...grant(
        'verbs',
        [
          rule([rbac], ['clusterroles'], ['bind'], ['view', 'cluster-admin', '{{ns}}-nope']),
          rule([rbac], ['roles'], ['escalate']),
          rule([rbac], ['clusterroles'], ['escalate'], ['{{ns}}-named']),
        ],
        [user(ann)],
      ),
      as(ann, clusterBindings.create(binding('{{ns}}-1', 'ClusterRole', 'cluster-admin', []))),
      as(ann, clusterBindings.create(binding('{{ns}}-2', 'ClusterRole', '{{ns}}-nope', []))),
      as(ann, clusterBindings.create(binding('{{ns}}-3', 'ClusterRole', 'admin', []))),
      as(ann, clusterBindings.create(binding('{{ns}}-4', 'ClusterRole', 'edit', []))),
      as(ann, clusterBindings.create(binding('{{ns}}-5', 'ClusterRole', 'system:node', []))),
      as(ann, bindings.create(binding('c1', 'ClusterRole', 'cluster-admin', []))),
      as(ann, bindings.create(binding('c2', 'Role', 'nope', []))),
      as(ann, roles.create(role('c', [rule(['*'], ['*'], ['*'])]))),
      as(ann, clusterRoles.create(role('{{ns}}-named', [rule(['*'], ['*'], ['*'])]))),
      as(ann, clusterRoles.replace('{{ns}}-named', role('{{ns}}-named', secrets))),
      as(ann, clusterRoles.create(role('{{ns}}-other', secrets))),
      as(ann, clusterRoles.merge('{{ns}}-named', { rules: [rule(['*'], ['*'], ['*'])] })),
    ],
  },
  {
    name: 'rights through a missing role',
    steps: [
      ...writer(),
      informed(clusterBindings.create(binding('{{ns}}-gone', 'ClusterRole', '{{ns}}-gone', [user(ann)]))),
      as(ann, clusterRoles.create(role('{{ns}}-1', secrets))),
      as(ann, clusterBindings.create(binding('{{ns}}-1', 'ClusterRole', 'cluster-admin', []))),
      as(ann, clusterRoles.create(role('{{ns}}-2', pods))),
    ],
  },
  {
    name: 'what is wrong with a binding',
    steps: [
      ...(
        [
          { subjects: [{ kind: 'User', name: '' }] },
          { subjects: [{ kind: 'Odd', name: 'x' }] },
          { subjects: [{ kind: 'User', name: 'x', namespace: 'y', apiGroup: 'z' }] },
          { subjects: [{ kind: 'ServiceAccount', name: 'Not Valid' }] },
          { subjects: [{ kind: 'ServiceAccount', name: 'x' }] },
          { subjects: [{ kind: 'Group', name: 'x', apiGroup: '' }] },
          { roleRef: { kind: 'Role', name: 'r', apiGroup: 'odd' } },
          { roleRef: { kind: 'Role', name: 'r' } },
          { roleRef: null },
          { subjects: null },
          { subjects: [user('x'), group('y'), account('z')] },
        ] as JsonObject[]
      ).map((more, i) => bindings.create(binding(`b${i}`, 'Role', 'r', [], more))),
      clusterBindings.create(binding('{{ns}}-1', 'Role', 'r', [])),
      clusterBindings.create(binding('{{ns}}-2', 'ClusterRole', 'r', [{ kind: 'ServiceAccount', name: 'x' }])),
      bindings.merge('b10', { roleRef: { name: 'other' } }),
      bindings.merge('b10', { subjects: [] }),
      bindings.table('b10'),
      bindings.apply(
        'b10',
        typed('RoleBinding', binding('b10', 'Role', 'r', [user('z')])),
        'fieldManager=m&force=true',
      ),
    ],
  },
]

export const escalation: Topic = { name: 'access-escalation', cases }
