/** Names, labels, annotations, finalizers and owner references: what each kind accepts, and its messages otherwise. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Step, Topic } from '../case.ts'
import { configMap, deployment, job, object, pod, richThing, service, workload } from '../objects.ts'
import { clusterResource, define, prepared, resource, thing, things } from '../steps.ts'
import type { Requests } from '../steps.ts'

const configMaps = resource('configmaps')
const services = resource('services')
const rbacVersion = 'rbac.authorization.k8s.io/v1'

const oddNames = [
  'A',
  'a..b',
  '-a',
  'a-',
  '.a',
  'a_b',
  'a/b',
  '..',
  '.',
  'a%b',
  'ü',
  'a b',
  '1a',
  'a.b',
  'a:b',
  'x'.repeat(64),
]

/**
 * Creates an object with each name, as a dry run: cluster-scoped names then do not conflict with those of other cases.
 */
const tried = (at: Requests, body: (name: string) => JsonObject, names: readonly string[] = oddNames): Step[] => {
  return names.map((name) => at.create(body(name), 'dryRun=All'))
}

const meta = (metadata: JsonObject) => configMap('m', {}, metadata)
const owner = (more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: 'p',
  uid: 'u',
  ...more,
})
const owned = (...ownerReferences: JsonObject[]) => meta({ ownerReferences })

const badMetadata: readonly JsonObject[] = [
  { labels: { 'bad key': 'x' } },
  { labels: { k: 'bad value!' } },
  { labels: { ['k'.repeat(64)]: 'v'.repeat(64) } },
  { labels: { 'a/b/c': 'x' } },
  { labels: { '/n': 'y' } },
  { labels: { 'n/': 'z' } },
  { labels: { 'Upper.io/n': 'x' } },
  { labels: { [`${'d'.repeat(254)}/n`]: 'x' } },
  { labels: { '': 'x' } },
  { labels: { k: '-v' } },
  { labels: { k: 'v'.repeat(63), 'x.io/K_1.2': 'A' } },
  { annotations: { 'bad key': 'x' } },
  { annotations: { 'x/y/z': 'q' } },
  { annotations: { 'Upper.IO/N': 'any value!' } },
  { annotations: { ['k'.repeat(64)]: 'x' } },
  { finalizers: ['bad'] },
  { finalizers: ['a b/c', ''] },
  { finalizers: ['orphan', 'foregroundDeletion'] },
  { finalizers: ['x.io/a', 'x.io/a'] },
  { finalizers: ['kubernetes'] },
  { finalizers: ['x.io/a/b'] },
  { finalizers: ['orphan'] },
  { finalizers: ['foregroundDeletion'] },
  { finalizers: [] },
  { labels: {}, annotations: {}, ownerReferences: [] },
  { labels: null, annotations: null, finalizers: null, ownerReferences: null },
  { labels: { a: null }, annotations: { b: null } },
  { generation: -3 },
  { generateName: 'Bad_' },
  { generateName: 'good-' },
  { namespace: 'Bad_' },
  { managedFields: [{ manager: 'x', operation: 'Foo' }] },
  {
    labels: { 'bad key': 'x' },
    annotations: { 'bad key': 'x' },
    finalizers: ['bad'],
    ownerReferences: [{}],
    generateName: 'B_',
    generation: -1,
  },
]

export const names: Topic = {
  name: 'names',
  cases: [
    {
      name: 'of ConfigMaps',
      steps: tried(configMaps, (name) => configMap(name), [...oddNames, '', 'x'.repeat(253), 'x'.repeat(254)]),
    },
    { name: 'of Pods', steps: tried(resource('pods'), (name) => pod(name)) },
    { name: 'of Services', steps: tried(services, (name) => service(name)) },
    {
      name: 'of Namespaces',
      steps: tried(clusterResource('namespaces'), (name) => object('v1', 'Namespace', name)),
    },
    { name: 'of Nodes', steps: tried(clusterResource('nodes'), (name) => object('v1', 'Node', name)) },
    {
      name: 'of ServiceAccounts',
      steps: tried(resource('serviceaccounts'), (name) => object('v1', 'ServiceAccount', name)),
    },
    { name: 'of Secrets', steps: tried(resource('secrets'), (name) => object('v1', 'Secret', name)) },
    { name: 'of Endpoints', steps: tried(resource('endpoints'), (name) => object('v1', 'Endpoints', name)) },
    { name: 'of Deployments', steps: tried(resource('deployments', 'apps/v1'), (name) => deployment(name)) },
    {
      name: 'of StatefulSets',
      steps: tried(resource('statefulsets', 'apps/v1'), (name) => workload('StatefulSet', name)),
    },
    {
      name: 'of Jobs',
      steps: tried(resource('jobs', 'batch/v1'), (name) => job(name), ['A', 'a..b', 'a_b', '1a', 'a.b']),
    },
    {
      name: 'of CronJobs',
      steps: tried(
        resource('cronjobs', 'batch/v1'),
        (name) => {
          return object('batch/v1', 'CronJob', name, {
            spec: { schedule: '* * * * *', jobTemplate: { spec: job('x')['spec'] as JsonObject } },
          })
        },
        [...oddNames, 'x'.repeat(52), 'x'.repeat(53)],
      ),
    },
    {
      name: 'of Roles',
      steps: tried(resource('roles', rbacVersion), (name) => object(rbacVersion, 'Role', name)),
    },
    {
      name: 'of ClusterRoles',
      steps: tried(clusterResource('clusterroles', rbacVersion), (name) => object(rbacVersion, 'ClusterRole', name)),
    },
    {
      name: 'of RoleBindings',
      steps: tried(resource('rolebindings', rbacVersion), (name) => {
        return object(rbacVersion, 'RoleBinding', name, {
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
        })
      }),
    },
    {
      name: 'of Leases',
      steps: tried(resource('leases', 'coordination.k8s.io/v1'), (name) =>
        object('coordination.k8s.io/v1', 'Lease', name),
      ),
    },
    {
      name: 'of StorageClasses',
      steps: tried(clusterResource('storageclasses', 'storage.k8s.io/v1'), (name) =>
        object('storage.k8s.io/v1', 'StorageClass', name, { provisioner: 'x' }),
      ),
    },
    {
      name: 'of PriorityClasses',
      steps: tried(
        clusterResource('priorityclasses', 'scheduling.k8s.io/v1'),
        (name) => object('scheduling.k8s.io/v1', 'PriorityClass', name, { value: 5 }),
        [...oddNames, 'system-x'],
      ),
    },
    {
      name: 'of NetworkPolicies',
      steps: tried(resource('networkpolicies', 'networking.k8s.io/v1'), (name) =>
        object('networking.k8s.io/v1', 'NetworkPolicy', name, { spec: { podSelector: {} } }),
      ),
    },
    {
      name: 'of PodDisruptionBudgets',
      steps: tried(resource('poddisruptionbudgets', 'policy/v1'), (name) =>
        object('policy/v1', 'PodDisruptionBudget', name, { spec: { selector: {} } }),
      ),
    },
    {
      name: 'of custom resources',
      steps: [
        prepared(define(richThing())),
        ...tried(things, (name) => thing(name)),
        things.create({ ...thing('x'), metadata: {} }),
      ],
    },
    {
      name: 'none and generated',
      steps: [
        configMaps.create({ metadata: {} }),
        configMaps.create({}),
        configMaps.create({ metadata: null }),
        configMaps.create({ metadata: { name: '' } }),
        ...['Ü', '-', 'a_', 'Bad_', 'a.', '1-', 'x'.repeat(300)].flatMap((generateName) => [
          configMaps.create(configMap('p', {}, { generateName }), 'dryRun=All'),
          services.create(service('p', {}, { generateName }), 'dryRun=All'),
        ]),
        ...['a', 'a-', 'x'.repeat(58), `${'x'.repeat(57)}-zzz`].map((generateName) =>
          configMaps.create({
            metadata: { generateName },
          }),
        ),
        services.create({ ...service('s'), metadata: { generateName: 's-' } }),
        configMaps.create({ metadata: { name: 'n', generateName: 'Bad_' } }),
        configMaps.create({ metadata: { name: 'n', generateName: 'good-' } }),
        configMaps.create({ metadata: { name: 'n', generateName: 'good-' } }),
        configMaps.create({ metadata: { generateName: 5 } }),
        configMaps.create({ metadata: { generateName: 'dry-' } }, 'dryRun=All'),
        configMaps.apply(
          'g',
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'q-' } },
          'fieldManager=m',
        ),
        configMaps.apply('g', configMap('g', {}, { generateName: 'q-' }), 'fieldManager=m'),
      ],
    },
    {
      name: 'labels and annotations on create',
      steps: badMetadata.map((metadata) => configMaps.create(meta(metadata), 'dryRun=All')),
    },
    {
      name: 'labels and annotations on update',
      steps: [
        prepared(configMaps.create(configMap('m'))),
        ...badMetadata.map((metadata) => configMaps.replace('m', meta(metadata), 'dryRun=All')),
      ],
    },
    {
      name: 'labels and annotations by patch',
      steps: [
        prepared(configMaps.create(configMap('m'))),
        ...badMetadata.map((metadata) => configMaps.merge('m', { metadata }, 'dryRun=All')),
      ],
    },
    {
      name: 'labels and annotations of custom resources',
      steps: [
        prepared(define(richThing())),
        prepared(things.create(thing('t'))),
        ...badMetadata.map((metadata) => things.create(thing('m', {}, metadata), 'dryRun=All')),
        ...badMetadata.map((metadata) => things.merge('t', { metadata }, 'dryRun=All')),
      ],
    },
    {
      name: 'metadata that an update of a custom resource keeps',
      steps: [
        prepared(define(richThing())),
        prepared(things.create(thing('t', {}, { finalizers: ['nodomain'] }))),
        things.merge('t', { metadata: { finalizers: ['nodomain', 'another'] } }),
        things.merge('t', { metadata: { finalizers: ['a.io/b'] } }),
        things.merge('t', { metadata: { managedFields: [] } }),
        things.merge('t', { metadata: { finalizers: [], labels: { a: '1' } } }),
        things.get('t'),
      ],
    },
    {
      name: 'owner references',
      steps: [
        ...[
          [{}],
          [owner({ apiVersion: 'a/b/c' })],
          [owner({ apiVersion: '' })],
          [owner({ kind: '' })],
          [owner({ name: '' })],
          [owner({ uid: '' })],
          [owner({ kind: 'Event' })],
          [owner({ apiVersion: 'events.k8s.io/v1', kind: 'Event' })],
          [owner({ controller: true }), owner({ uid: 'v', name: 'q', controller: true })],
          [owner(), owner()],
          [owner(), owner({ controller: false })],
          [owner(), owner({ blockOwnerDeletion: true })],
          [owner(), owner({ uid: 'v' }), owner(), owner({ uid: 'v' })],
          [owner({ blockOwnerDeletion: true, controller: true })],
          [owner({ foo: 1 })],
        ].map((references) => configMaps.create(owned(...references), 'dryRun=All')),
        configMaps.create(owned(owner())),
        configMaps.json('m', [{ op: 'add', path: '/metadata/ownerReferences/-', value: owner() }]),
        configMaps.merge('m', { metadata: { ownerReferences: [owner(), owner({ controller: false })] } }),
        configMaps.strategic('m', { metadata: { ownerReferences: [owner({ uid: 'z' })] } }),
        configMaps.strategic('m', { metadata: { ownerReferences: [{ $patch: 'delete', uid: 'u' }] } }),
        configMaps.replace('m', owned({})),
        configMaps.replace('m', owned(owner(), owner())),
        configMaps.apply('m', owned(owner(), owner()), 'fieldManager=z'),
        configMaps.apply('m', owned(owner({ uid: 'y' })), 'fieldManager=z'),
        configMaps.merge('m', { metadata: { ownerReferences: null } }),
      ],
    },
  ],
}
