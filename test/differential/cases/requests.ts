/** Unexpected requests: methods, content types, sizes, and updates that create. */
import type { Json } from '../../../src/api/json.ts'
import type { Step, Topic } from '../case.ts'
import { configMap, deployment, object } from '../objects.ts'
import { clusterResource, prepared, request, resource } from '../steps.ts'

const configMaps = resource('configmaps')
const deployments = resource('deployments', 'apps/v1')
const leases = resource('leases', 'coordination.k8s.io/v1')
const here = '/api/v1/namespaces/{{ns}}'
const rbac = resource('roles', 'rbac.authorization.k8s.io/v1')
const budgets = resource('poddisruptionbudgets', 'policy/v1')

const badTypes = [
  'text/plain',
  'application/x-yaml',
  '*/*',
  'application/cbor',
  'application/json;;',
  'application/merge-patch+json',
  'x',
  '',
]
const typed = (type: string) => ({ headers: { 'content-type': type } })

/** Sends a method to paths of every kind. */
const onPaths = (method: string, body?: Json): Step[] =>
  [
    here,
    `${here}/configmaps`,
    `${here}/configmaps/a`,
    `${here}/configmaps/a/status`,
    `${here}/configmaps/a/scale`,
    `${here}/pods/p/log`,
    '/apis/apps/v1/namespaces/{{ns}}/deployments/d/scale',
    '/api/v1',
    '/apis/apps',
    '/version',
    '/healthz',
    '/openapi',
    '/nowhere',
  ].map((path) => request(method, path, body))

export const requests: Topic = {
  name: 'requests',
  cases: [
    {
      name: 'content types of bodies',
      steps: [
        prepared(configMaps.create(configMap('a'))),
        ...badTypes.flatMap((type) => [
          configMaps.create(configMap('b'), '', typed(type)),
          configMaps.replace('a', configMap('a'), '', typed(type)),
          configMaps.merge('a', {}, '', typed(type)),
        ]),
        configMaps.delete('absent', '', { dryRun: ['All'] }, typed('text/plain')),
        configMaps.create(configMap('b'), 'dryRun=All', typed('application/json; charset=utf-8')),
        configMaps.create(configMap('b'), 'dryRun=All', typed('Application/JSON')),
        configMaps.merge('a', {}, '', typed('application/merge-patch+json; charset=utf-8')),
        configMaps.merge('a', {}, '', typed('application/apply-patch+cbor')),
      ],
    },
    {
      name: 'sizes',
      steps: [
        configMaps.create(configMap('a', { big: 'x'.repeat(1_048_577) })),
        configMaps.create(configMap('a', {}, { annotations: { big: 'x'.repeat(262_140) } })),
        configMaps.create(configMap('a', {}, { annotations: { big: 'x'.repeat(262_141) } })),
        configMaps.create(configMap('c', { big: 'x'.repeat(3_145_728) })),
        configMaps.create(configMap('b', { big: 'x'.repeat(1_048_573) }), 'dryRun=All'),
        resource('secrets').create(object('v1', 'Secret', 's', { stringData: { big: 'x'.repeat(1_048_577) } })),
      ],
    },
    { name: 'methods: POST', steps: onPaths('POST', {}) },
    { name: 'methods: PUT', steps: onPaths('PUT', {}) },
    { name: 'methods: PATCH', steps: onPaths('PATCH', {}) },
    { name: 'methods: DELETE', steps: onPaths('DELETE').filter(({ path }) => path !== here) },
    {
      name: 'methods: others',
      steps: [...onPaths('OPTIONS'), ...onPaths('TRACE'), ...onPaths('PROPFIND', {})],
    },
    {
      name: 'created on update',
      steps: [
        leases.replace('l', object('coordination.k8s.io/v1', 'Lease', 'l', { spec: {} })),
        leases.replace('l', object('coordination.k8s.io/v1', 'Lease', 'l', { spec: { holderIdentity: 'x' } })),
        leases.replace('k', object('coordination.k8s.io/v1', 'Lease', 'k', {}, { resourceVersion: '4' })),
        leases.replace('k', object('coordination.k8s.io/v1', 'Lease', 'k', {}, { uid: 'abc' })),
        leases.replace('k', object('coordination.k8s.io/v1', 'Lease', 'k'), 'dryRun=All'),
        leases.get('k'),
        resource('services').replace('s', object('v1', 'Service', 's', { spec: { ports: [{ port: 80 }] } })),
        resource('endpoints').replace('e', object('v1', 'Endpoints', 'e')),
        resource('limitranges').replace('e', object('v1', 'LimitRange', 'e')),
        resource('events').replace('e', object('v1', 'Event', 'e', { involvedObject: { namespace: '{{ns}}' } })),
        rbac.replace('r', object('rbac.authorization.k8s.io/v1', 'Role', 'r')),
        clusterResource('runtimeclasses', 'node.k8s.io/v1').replace(
          '{{ns}}',
          object('node.k8s.io/v1', 'RuntimeClass', '{{ns}}', { handler: 'x' }),
        ),
        budgets.replace('p', object('policy/v1', 'PodDisruptionBudget', 'p')),
        budgets.create(object('policy/v1', 'PodDisruptionBudget', 'p', { spec: { selector: {} } })),
        budgets.replace('p', object('policy/v1', 'PodDisruptionBudget', 'p', { spec: { selector: {} } })),
        deployments.replace('d', deployment('d')),
        clusterResource('runtimeclasses', 'node.k8s.io/v1').delete('{{ns}}'),
      ],
    },
    {
      name: 'what an update cannot change',
      steps: [
        configMaps.create(
          configMap(
            'a',
            {},
            {
              uid: 'mine',
              generation: 5,
              creationTimestamp: '2020-01-01T00:00:00Z',
              deletionTimestamp: '2020-01-01T00:00:00Z',
              deletionGracePeriodSeconds: 3,
              selfLink: '/x',
            },
          ),
        ),
        configMaps.replace(
          'a',
          configMap(
            'a',
            {},
            {
              generation: 7,
              creationTimestamp: '2020-01-01T00:00:00Z',
              deletionTimestamp: '2020-01-01T00:00:00Z',
              deletionGracePeriodSeconds: 4,
              selfLink: '/x',
              generateName: 'q-',
            },
          ),
        ),
        configMaps.merge('a', {
          metadata: {
            generation: 7,
            creationTimestamp: null,
            selfLink: 'x',
            deletionTimestamp: '2020-01-01T00:00:00Z',
          },
        }),
        configMaps.merge('a', { metadata: { generateName: 'zz-' } }),
        configMaps.merge('a', { metadata: { generateName: 'BAD_' } }),
        configMaps.merge('a', { metadata: { generateName: null } }),
        configMaps.replace('a', configMap('a', {})),
        configMaps.replace('a', configMap('a', {})),
        configMaps.get('a'),
      ],
    },
  ],
}
