/** Deletion without a garbage collector: finalizers, grace periods, preconditions, propagation, namespaces. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case, Topic } from '../case.ts'
import { configMap, controller, deployment, job, object, pod, richThing, service, workload } from '../objects.ts'
import { clusterResource, define, definitions, get, prepared, request, resource, thing, things } from '../steps.ts'
import type { Requests } from '../steps.ts'

const configMaps = resource('configmaps')
const pods = resource('pods')
const deployments = resource('deployments', 'apps/v1')
const namespaces = clusterResource('namespaces')

/** Responses to DELETE: with each propagation policy, as a dry run, and if nothing can be deleted. */
const answers = (name: string, at: Requests, body: JsonObject): Case => {
  const own = (body['metadata'] as JsonObject)['name'] as string
  const fresh = prepared(at.create(body))
  return {
    name,
    steps: [
      fresh,
      at.delete(own, 'dryRun=All'),
      at.delete(own),
      at.get(own),
      ...['Background', 'Orphan', 'Foreground'].flatMap((policy) => [
        fresh,
        at.delete(own, `propagationPolicy=${policy}`),
        at.get(own),
        prepared(at.merge(own, { metadata: { finalizers: null } })),
      ]),
      fresh,
      at.delete(own, '', { orphanDependents: true }),
      prepared(at.merge(own, { metadata: { finalizers: null } })),
      fresh,
      at.delete(own, '', { orphanDependents: false }),
      at.get(own),
      fresh,
      prepared(at.merge(own, { metadata: { finalizers: ['x.io/y'] } })),
      at.delete(own, 'gracePeriodSeconds=5'),
      at.delete(own, 'propagationPolicy=Foreground'),
      at.delete(own, 'propagationPolicy=Orphan'),
      at.delete(own, 'gracePeriodSeconds=0'),
      at.merge(own, { metadata: { finalizers: null } }),
      at.get(own),
    ],
  }
}
const unique = '{{ns}}'
const held = (name: string, ...finalizers: string[]): JsonObject => configMap(name, {}, { finalizers })
const bound = (more: JsonObject = {}): JsonObject => pod('p', { nodeName: 'n1', ...more })

export const deletion: Topic = {
  name: 'deletion',
  cases: [
    answers('of ConfigMaps', configMaps, configMap('x')),
    answers('of Secrets', resource('secrets'), object('v1', 'Secret', 'x')),
    answers('of Services', resource('services'), service('x', { clusterIP: 'None' })),
    answers('of ServiceAccounts', resource('serviceaccounts'), object('v1', 'ServiceAccount', 'x')),
    answers('of Endpoints', resource('endpoints'), object('v1', 'Endpoints', 'x')),
    answers(
      'of PodTemplates',
      resource('podtemplates'),
      object('v1', 'PodTemplate', 'x', { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } }),
    ),
    answers(
      'of ResourceQuotas',
      resource('resourcequotas'),
      object('v1', 'ResourceQuota', 'x', { spec: { hard: { 'count/x.x.io': '5' } } }),
    ),
    answers('of Deployments', deployments, deployment('x')),
    answers('of ReplicaSets', resource('replicasets', 'apps/v1'), workload('ReplicaSet', 'x')),
    answers('of Jobs', resource('jobs', 'batch/v1'), job('x')),
    answers(
      'of CronJobs',
      resource('cronjobs', 'batch/v1'),
      object('batch/v1', 'CronJob', 'x', {
        spec: { schedule: '* * * * *', jobTemplate: { spec: job('x')['spec'] as JsonObject } },
      }),
    ),
    answers('of ReplicationControllers', resource('replicationcontrollers'), controller('x')),
    answers(
      'of Roles',
      resource('roles', 'rbac.authorization.k8s.io/v1'),
      object('rbac.authorization.k8s.io/v1', 'Role', 'x'),
    ),
    answers('of Leases', resource('leases', 'coordination.k8s.io/v1'), object('coordination.k8s.io/v1', 'Lease', 'x')),
    answers(
      'of StorageClasses',
      clusterResource('storageclasses', 'storage.k8s.io/v1'),
      object('storage.k8s.io/v1', 'StorageClass', unique, { provisioner: 'x' }),
    ),
    answers(
      'of PriorityClasses',
      clusterResource('priorityclasses', 'scheduling.k8s.io/v1'),
      object('scheduling.k8s.io/v1', 'PriorityClass', unique, { value: 1 }),
    ),
    answers(
      'of CSIDrivers',
      clusterResource('csidrivers', 'storage.k8s.io/v1'),
      object('storage.k8s.io/v1', 'CSIDriver', unique),
    ),
    answers('of Nodes', clusterResource('nodes'), object('v1', 'Node', unique)),
    answers('of unbound Pods', pods, pod('x')),
    {
      ...answers('of custom resources', things, thing('x')),
      steps: [prepared(define(richThing())), ...answers('', things, thing('x')).steps],
    },
    {
      name: 'pods that are bound',
      steps: [
        prepared(pods.create(bound())),
        pods.delete('p', 'dryRun=All'),
        pods.delete('p'),
        pods.get('p'),
        pods.delete('p', 'gracePeriodSeconds=60'),
        pods.delete('p', 'gracePeriodSeconds=10'),
        pods.delete('p', 'gracePeriodSeconds=20'),
        pods.merge('p', { metadata: { finalizers: ['x.io/y'] } }),
        pods.create(bound()),
        pods.merge('p', { metadata: { labels: { a: '1' } } }),
        pods.delete('p', 'gracePeriodSeconds=0'),
        pods.get('p'),
        prepared(pods.create(bound({ terminationGracePeriodSeconds: 5 }))),
        pods.delete('p', '', { gracePeriodSeconds: 2 }),
        pods.delete('p', '', { gracePeriodSeconds: 0 }),
        prepared(pods.create(bound({ terminationGracePeriodSeconds: 0 }))),
        pods.delete('p'),
        prepared(pods.create(bound())),
        pods.delete('p', 'gracePeriodSeconds=-5'),
        pods.get('p'),
        pods.delete('p', 'gracePeriodSeconds=0'),
        prepared(pods.create(bound())),
        prepared(pods.sub('status').merge('p', { status: { phase: 'Succeeded' } })),
        pods.delete('p'),
        pods.get('p'),
        prepared(pods.create(bound())),
        prepared(pods.sub('status').merge('p', { status: { phase: 'Failed' } })),
        pods.delete('p', 'gracePeriodSeconds=30'),
        prepared(pods.create(bound())),
        pods.delete('p', 'propagationPolicy=Foreground'),
        pods.delete('p', 'gracePeriodSeconds=0'),
        pods.merge('p', { metadata: { finalizers: null } }),
        pods.get('p'),
        prepared(pods.create({ ...bound(), metadata: { name: 'p', finalizers: ['x.io/y'] } })),
        pods.delete('p'),
        pods.delete('p', 'gracePeriodSeconds=0'),
        pods.merge('p', { metadata: { finalizers: null } }),
        pods.get('p'),
      ],
    },
    {
      name: 'finalizers',
      steps: [
        configMaps.create(held('a', 'x.io/a', 'x.io/b')),
        configMaps.delete('a'),
        configMaps.delete('a'),
        configMaps.get('a'),
        configMaps.merge('a', { metadata: { finalizers: ['x.io/a', 'x.io/b', 'x.io/c'] } }),
        configMaps.merge('a', { metadata: { finalizers: ['x.io/c'] } }),
        configMaps.merge('a', { data: { z: '1' } }),
        configMaps.merge('a', { metadata: { deletionTimestamp: null } }),
        configMaps.replace('a', held('a', 'x.io/b')),
        configMaps.apply('a', configMap('a', { q: '1' }), 'fieldManager=m'),
        configMaps.merge('a', { metadata: { finalizers: ['x.io/b', 'orphan'] } }),
        configMaps.delete('a', 'propagationPolicy=Orphan'),
        configMaps.merge('a', { metadata: { finalizers: [] } }, 'dryRun=All'),
        configMaps.get('a'),
        configMaps.merge('a', { metadata: { finalizers: [] } }),
        configMaps.get('a'),
        configMaps.create(held('b', 'orphan')),
        configMaps.delete('b'),
        configMaps.delete('b', 'propagationPolicy=Background'),
        configMaps.get('b'),
        configMaps.create(held('c', 'foregroundDeletion')),
        configMaps.delete('c'),
        configMaps.delete('c', 'propagationPolicy=Orphan'),
        configMaps.delete('c', 'propagationPolicy=Background'),
        configMaps.get('c'),
        configMaps.create(held('d', 'x.io/a')),
        configMaps.json('d', [{ op: 'remove', path: '/metadata/finalizers/0' }]),
        configMaps.delete('d'),
        configMaps.create(held('e', 'x.io/a')),
        configMaps.delete('e', 'gracePeriodSeconds=30'),
        configMaps.strategic('e', { metadata: { '$deleteFromPrimitiveList/finalizers': ['x.io/a'] } }),
        configMaps.get('e'),
        configMaps.apply('f', held('f', 'x.io/a'), 'fieldManager=m'),
        configMaps.delete('f'),
        configMaps.apply('f', configMap('f', {}), 'fieldManager=m'),
        configMaps.get('f'),
      ],
    },
    {
      name: 'preconditions',
      steps: [
        configMaps.create(configMap('a')),
        configMaps.delete('a', '', { preconditions: { uid: 'abc' } }),
        configMaps.delete('a', '', { preconditions: { resourceVersion: '1' } }),
        configMaps.delete('a', '', { preconditions: { uid: '{{0.metadata.uid}}', resourceVersion: '1' } }),
        configMaps.delete('a', '', { preconditions: { uid: '' } }),
        configMaps.delete('a', '', { preconditions: { resourceVersion: '' } }),
        configMaps.delete('a', '', { preconditions: { resourceVersion: 'x' } }),
        configMaps.delete('absent', '', { preconditions: { uid: 'x' } }),
        configMaps.delete('a', 'dryRun=All', { preconditions: { uid: 'abc' } }),
        configMaps.delete('a', 'dryRun=All', { preconditions: { uid: '{{0.metadata.uid}}' } }),
        configMaps.delete('a', '', {
          preconditions: { uid: '{{0.metadata.uid}}', resourceVersion: '{{0.metadata.resourceVersion}}' },
        }),
        configMaps.get('a'),
        pods.create(bound()),
        pods.delete('p', '', { preconditions: { uid: 'abc' } }),
        pods.delete('p', '', { preconditions: { uid: '{{12.metadata.uid}}' } }),
        pods.delete('p', '', { gracePeriodSeconds: 0, preconditions: { resourceVersion: '1' } }),
        pods.delete('p', '', { gracePeriodSeconds: 0 }),
        deployments.create(deployment('d')),
        deployments.delete('d', '', { preconditions: { uid: 'abc' } }),
        deployments.delete('d', '', { preconditions: { resourceVersion: '1' } }),
        deployments.delete('d', '', { preconditions: {} }),
      ],
    },
    {
      name: 'bodies',
      steps: [
        ...[
          {},
          { apiVersion: 'v1', kind: 'DeleteOptions' },
          { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions', gracePeriodSeconds: -5 },
          { kind: 'DeleteOptions' },
          { foo: 1 },
          { gracePeriodSeconds: null },
          { apiVersion: 'apps/v1', kind: 'DeleteOptions' },
          { apiVersion: 'batch/v1', kind: 'DeleteOptions' },
          { ignoreStoreReadErrorWithClusterBreakingPotential: false },
          'null',
          '',
        ].flatMap((options) => [prepared(configMaps.create(configMap('a'))), configMaps.delete('a', '', options)]),
        configMaps.delete('a', '', 'apiVersion: v1\nkind: DeleteOptions\npropagationPolicy: Background\n', {
          headers: { 'content-type': 'application/yaml' },
        }),
        configMaps.delete('a', 'propagationPolicy=Orphan', { propagationPolicy: 'Background' }),
        configMaps.get('a'),
      ],
    },
    {
      name: 'namespaces',
      steps: [
        namespaces.create(
          object('v1', 'Namespace', '{{ns}}-2', { spec: { finalizers: ['x.io/y'] }, status: { phase: 'Terminating' } }),
        ),
        namespaces.merge('{{ns}}-2', { spec: { finalizers: [] } }),
        namespaces.delete('{{ns}}-2', 'dryRun=All'),
        namespaces.delete('{{ns}}-2'),
        namespaces.delete('{{ns}}-2'),
        namespaces.get('{{ns}}-2'),
        namespaces.create(object('v1', 'Namespace', '{{ns}}-2')),
        request('POST', '/api/v1/namespaces/{{ns}}-2/configmaps', configMap('a')),
        request('POST', '/api/v1/namespaces/{{ns}}-2/pods', pod('a')),
        get('/api/v1/namespaces/{{ns}}-2/configmaps'),
        namespaces
          .sub('finalize')
          .replace('{{ns}}-2', object('v1', 'Namespace', '{{ns}}-2', { spec: { finalizers: ['bad'] } })),
        namespaces
          .sub('finalize')
          .replace(
            '{{ns}}-2',
            object('v1', 'Namespace', '{{ns}}-2', { spec: { finalizers: ['kubernetes', 'x.io/y'] } }),
          ),
        namespaces
          .sub('finalize')
          .replace('{{ns}}-2', object('v1', 'Namespace', '{{ns}}-2', { spec: { finalizers: ['x.io/y'] } })),
        namespaces.sub('finalize').replace('{{ns}}-2', object('v1', 'Namespace', '{{ns}}-2')),
        namespaces.get('{{ns}}-2'),
        namespaces.sub('finalize').merge('{{ns}}', {}),
        namespaces.sub('finalize').get('{{ns}}'),
        namespaces.deleteAll(),
        namespaces.sub('status').merge('{{ns}}', {
          status: { phase: 'Active', conditions: [{ type: 'X', status: 'True' }] },
          metadata: { labels: { z: '1' } },
        }),
        namespaces.sub('status').replace('{{ns}}', object('v1', 'Namespace', '{{ns}}', { status: { phase: 'Foo' } })),
        namespaces.merge('{{ns}}', { metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } } }),
        ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) =>
          namespaces.delete(name, 'dryRun=All'),
        ),
        namespaces.create(object('v1', 'Namespace', '{{ns}}-3', {}, { finalizers: ['x.io/y'] })),
        namespaces.delete('{{ns}}-3', 'propagationPolicy=Foreground'),
        namespaces
          .sub('finalize')
          .replace('{{ns}}-3', object('v1', 'Namespace', '{{ns}}-3', {}, { finalizers: ['x.io/y'] })),
        namespaces.get('{{ns}}-3'),
        namespaces.merge('{{ns}}-3', { metadata: { finalizers: null } }),
        namespaces.get('{{ns}}-3'),
        namespaces.create(object('v1', 'Namespace', '{{ns}}-4'), 'dryRun=All'),
        namespaces.delete('{{ns}}-4'),
        namespaces.sub('finalize').replace('{{ns}}-4', object('v1', 'Namespace', '{{ns}}-4')),
      ],
    },
    {
      name: 'custom resource definitions',
      steps: [
        prepared(define(richThing())),
        things.create(thing('a', {}, { finalizers: ['x.io/y'] })),
        things.create(thing('b')),
        definitions.delete('things.{{ns}}.example.com', 'dryRun=All'),
        definitions.delete('things.{{ns}}.example.com', '', undefined, { settle: 'informed' }),
        things.create(thing('c')),
        things.merge('a', { metadata: { finalizers: null } }, '', { settle: 'informed' }),
      ],
    },
    {
      name: 'collections',
      steps: [
        prepared(pods.create(pod('a'))),
        prepared(pods.create(pod('b', { nodeName: 'n1' }))),
        pods.deleteAll('dryRun=All'),
        pods.deleteAll(),
        pods.list(),
        pods.deleteAll('gracePeriodSeconds=0'),
        pods.list(),
        prepared(deployments.create(deployment('a'))),
        prepared(deployments.create(deployment('b'))),
        deployments.deleteAll('propagationPolicy=Foreground'),
        deployments.list(),
        deployments.deleteAll('propagationPolicy=Background'),
        deployments.list(),
        resource('services').deleteAll(),
        resource('events').deleteAll(),
        clusterResource('storageclasses', 'storage.k8s.io/v1').deleteAll('labelSelector=none%3D{{ns}}'),
        resource('jobs', 'batch/v1').create(job('j')),
        resource('jobs', 'batch/v1').deleteAll(),
        resource('jobs', 'batch/v1').list(),
      ],
    },
  ],
}
