/** Core kinds that hold configuration: ConfigMap, Secret, ServiceAccount, LimitRange, ResourceQuota, Event, Namespace. */
import { badMetadata, fullMetadata, long, variants, type KindManifests } from './manifest.ts'

const core = { group: '', version: 'v1' } as const

export const coreConfig: readonly KindManifests[] = [
  {
    ...core, resource: 'configmaps', kind: 'ConfigMap', namespaced: true,
    minimal: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'min' } },
    full: {
      apiVersion: 'v1', kind: 'ConfigMap', metadata: fullMetadata('full'),
      data: { a: '1', 'b.conf': 'x = 1\ny = 2\n', '_c-d': '' }, binaryData: { bin: 'AAEC' }, immutable: false,
    },
    change: { data: { a: '2' } },
    bad: variants({
      ...badMetadata,
      'key with slash': { data: { 'a/b': 'x' } },
      'key of dots': { data: { '...': 'y' } },
      'key too long': { data: { [long(254)]: 'x' } },
      'key in both': { binaryData: { a: 'AA==' } },
      'number as text': { data: { a: 1 } },
      'bad base64': { binaryData: { bin: '!' } },
      'immutable text': { immutable: 'yes' },
    }),
  },
  {
    ...core, resource: 'secrets', kind: 'Secret', namespaced: true,
    minimal: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'min' } },
    full: {
      apiVersion: 'v1', kind: 'Secret', metadata: fullMetadata('full'),
      type: 'kubernetes.io/basic-auth', data: { username: 'YWRtaW4=' }, stringData: { password: 'hidden' }, immutable: false,
    },
    change: { stringData: { password: 'other' } },
    bad: variants({
      ...badMetadata,
      'other type': { type: 'Opaque' },
      'tls without key': { type: 'kubernetes.io/tls' },
      'docker config without data': { type: 'kubernetes.io/dockerconfigjson' },
      'docker config no json': { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'e30x' } },
      'token without account': { type: 'kubernetes.io/service-account-token' },
      'ssh without key': { type: 'kubernetes.io/ssh-auth' },
      'bad key': { data: { 'a b': 'AA==' } },
      'bad base64': { data: { username: '***' } },
    }),
  },
  {
    ...core, resource: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true,
    minimal: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'min' } },
    full: {
      apiVersion: 'v1', kind: 'ServiceAccount', metadata: fullMetadata('full'),
      secrets: [{ name: 'one' }, { name: 'two' }], imagePullSecrets: [{ name: 'pull' }], automountServiceAccountToken: false,
    },
    change: { automountServiceAccountToken: true },
    bad: variants({
      ...badMetadata,
      'secrets no list': { secrets: { name: 'one' } },
      'automount text': { automountServiceAccountToken: 'no' },
      'pull secret text': { imagePullSecrets: ['pull'] },
    }),
  },
  {
    ...core, resource: 'limitranges', kind: 'LimitRange', namespaced: true,
    minimal: { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'min' } },
    full: {
      apiVersion: 'v1', kind: 'LimitRange', metadata: fullMetadata('full'),
      spec: {
        limits: [
          { type: 'Pod', max: { cpu: '64', memory: '512Gi' }, min: { cpu: '1m', memory: '1Mi' }, maxLimitRequestRatio: { cpu: '50' } },
          {
            type: 'Container', max: { cpu: '32', memory: '256Gi' }, min: { cpu: '1m' },
            default: { cpu: '16', memory: '1Gi' }, defaultRequest: { cpu: '10m' }, maxLimitRequestRatio: { memory: '1000' },
          },
          { type: 'PersistentVolumeClaim', max: { storage: '10Ti' }, min: { storage: '1Mi' } },
        ],
      },
    },
    change: { spec: { limits: [{ type: 'Container', max: { cpu: '31' } }] } },
    bad: variants({
      ...badMetadata,
      'min over max': { spec: { limits: [{ type: 'Pod', max: { cpu: '1' }, min: { cpu: '2' } }] } },
      'default over max': { spec: { limits: [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '2' } }] } },
      'default for pods': { spec: { limits: [{ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }] } },
      'type twice': { spec: { limits: [{ type: 'Pod' }, { type: 'Pod' }] } },
      'unknown type': { spec: { limits: [{ type: 'pod', max: { cpu: '1' } }] } },
      'claim without storage': { spec: { limits: [{ type: 'PersistentVolumeClaim' }] } },
      'ratio below one': { spec: { limits: [{ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }] } },
      'bad quantity': { spec: { limits: [{ type: 'Pod', max: { cpu: 'much' } }] } },
      'bad resource': { spec: { limits: [{ type: 'Pod', max: { 'a b': '1' } }] } },
    }),
  },
  {
    ...core, resource: 'resourcequotas', kind: 'ResourceQuota', namespaced: true,
    minimal: { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'min' } },
    full: {
      apiVersion: 'v1', kind: 'ResourceQuota', metadata: fullMetadata('full'),
      spec: {
        hard: { 'requests.cpu': '1000', 'requests.memory': '1Ti', 'limits.cpu': '1000', pods: '1000' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In', values: ['never-used'] },
            { scopeName: 'Terminating', operator: 'Exists' },
          ],
        },
      },
    },
    change: { spec: { hard: { pods: '1001' } } },
    status: { status: { hard: { pods: '1000' }, used: { pods: '3' } } },
    badStatus: variants({
      'negative use': { status: { used: { pods: '-1' } } },
      'fraction of a pod': { status: { used: { pods: '500m' } } },
    }),
    bad: variants({
      ...badMetadata,
      'negative': { spec: { hard: { pods: '-1' } } },
      'fraction of a pod': { spec: { hard: { pods: '1500m' } } },
      'unknown scope': { spec: { scopes: ['Other'] } },
      'scopes that exclude each other': { spec: { scopes: ['BestEffort', 'NotBestEffort'] } },
      'scope without values': { spec: { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } } },
      'scope with values': { spec: { scopeSelector: { matchExpressions: [{ scopeName: 'Terminating', operator: 'In', values: ['x'] }] } } },
      'bad resource': { spec: { hard: { 'no such thing': '1' } } },
      'resource outside scope': { spec: { hard: { services: '1' }, scopes: ['BestEffort'], scopeSelector: null } },
    }),
  },
  {
    ...core, resource: 'namespaces', kind: 'Namespace', namespaced: false,
    minimal: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'manifest-min' } },
    full: {
      apiVersion: 'v1', kind: 'Namespace', metadata: fullMetadata('manifest-full'), spec: { finalizers: ['kubernetes', 'example.com/hold'] },
    },
    change: { metadata: { labels: { team: 'a' } } },
    status: { status: { conditions: [{ type: 'NamespaceContentRemaining', status: 'True', reason: 'Some', message: 'some content' }] } },
    badStatus: variants({ 'terminating while alive': { status: { phase: 'Terminating' } } }),
    bad: variants({
      ...badMetadata,
      'finalizers change': { spec: { finalizers: ['example.com/other'] } },
      'bad spec finalizer': { spec: { finalizers: ['a b', 'plain'] } },
      'name label differs': { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } },
      'spec text': { spec: 'x' },
    }),
  },
  {
    ...core, resource: 'events', kind: 'Event', namespaced: true,
    minimal: { apiVersion: 'v1', kind: 'Event', metadata: { name: 'core-min' }, involvedObject: { namespace: 'NAMESPACE' } },
    full: {
      apiVersion: 'v1', kind: 'Event', metadata: fullMetadata('core-full'),
      involvedObject: {
        apiVersion: 'v1', kind: 'Pod', name: 'p', namespace: 'NAMESPACE', uid: '11111111-2222-3333-4444-555555555555',
        resourceVersion: '7', fieldPath: 'spec.containers{c}',
      },
      reason: 'Started', message: 'Started the container', type: 'Normal', count: 3,
      firstTimestamp: '2026-01-02T03:04:05Z', lastTimestamp: '2026-01-02T03:05:05Z',
      source: { component: 'kubelet', host: 'node-1' },
      reportingComponent: 'example.com/kubelet', reportingInstance: 'node-1', action: 'Starting',
      eventTime: '2026-01-02T03:04:05.123456Z',
      series: { count: 2, lastObservedTime: '2026-01-02T03:05:05.000001Z' },
      related: { kind: 'Node', name: 'node-1' },
    },
    change: { count: 4, series: { count: 3 } },
    bad: variants({
      ...badMetadata,
      'other namespace': { involvedObject: { namespace: 'other' } },
      'no reason': { reason: '' },
      'no action': { action: '' },
      'unknown type': { type: 'Odd' },
      'no controller': { reportingComponent: '' },
      'controller not qualified': { reportingComponent: 'a b' },
      'no instance': { reportingInstance: '' },
      'note too long': { message: long(1025) },
      'reason too long': { reason: long(129) },
      'single of a series': { series: { count: 1 } },
      'no event time': { eventTime: null },
      'count text': { count: 'x' },
    }),
  },
]
