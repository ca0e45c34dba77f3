/** Further differences that the fuzzer found, mostly for objects whose stored form differs from the served one. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case } from '../case.ts'
import { object, pod, service } from '../objects.ts'
import { clusterResource, resource } from '../steps.ts'

const services = resource('services')
const ingresses = resource('ingresses', 'networking.k8s.io/v1')
const policies = resource('networkpolicies', 'networking.k8s.io/v1')
const configMaps = resource('configmaps')
const secrets = resource('secrets')
const quotas = resource('resourcequotas')
const pods = resource('pods')
const claims = resource('persistentvolumeclaims')
const newer = resource('horizontalpodautoscalers', 'autoscaling/v2')
const older = resource('horizontalpodautoscalers', 'autoscaling/v1')
const nodes = clusterResource('nodes')
const slices = clusterResource('resourceslices', 'resource.k8s.io/v1')

const by = (manager: string, force = false): string => `fieldManager=${manager}${force ? '&force=true' : ''}`
const node = (status: JsonObject): JsonObject => object('v1', 'Node', '{{ns}}', { status })
const autoscaler = (
  version: string,
  spec?: JsonObject,
  more: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => {
  return object(
    `autoscaling/${version}`,
    'HorizontalPodAutoscaler',
    'a',
    { ...(spec === undefined ? {} : { spec }), ...more },
    metadata,
  )
}
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const cpu = (averageUtilization: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})
const memory = {
  type: 'ContainerResource',
  containerResource: { name: 'memory', container: 'c', target: { type: 'AverageValue', averageValue: '100Mi' } },
}
const lag = (kind: 'value' | 'averageValue'): JsonObject => {
  return {
    type: 'External',
    external: { metric: { name: 'lag' }, target: { type: kind === 'value' ? 'Value' : 'AverageValue', [kind]: '5' } },
  }
}
const rate = { type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '1k' } } }

export const foundForms: readonly Case[] = [
  {
    name: 'services that come to be through their status: what is stored, what is shown, what the next write adds',
    steps: [
      services.sub('status').replace('a', service('a')),
      services.get('a'),
      services.sub('status').get('a'),
      services.table('a'),
      services.merge('a', { spec: { type: 'NodePort' } }),
      services.sub('status').get('a'),
      services
        .sub('status')
        .apply(
          'b',
          service('b', { type: 'LoadBalancer', ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }),
          by('m'),
        ),
      services.apply('b', service('b'), by('m')),
      services.apply('b', service('b'), by('m')),
      services.sub('status').replace('c', service('c', { clusterIP: 'None' })),
      services.get('c'),
      services.sub('status').get('c'),
      services.list(),
      services.watch('timeoutSeconds=1&resourceVersion={{0.metadata.resourceVersion}}'),
      services.json('c', []),
      services.sub('status').get('c'),
      services.sub('status').replace('d', service('d', { clusterIP: 'None', selector: { a: 'b' } })),
      services.get('d'),
      services.delete('d'),
    ],
  },
  {
    name: 'a service that becomes a name keeps its policy for traffic, though nobody is shown it',
    steps: [
      services.create(service('a', { internalTrafficPolicy: 'Local' })),
      services.merge('a', { spec: { type: 'ExternalName', externalName: 'x.example.com' } }),
      services.get('a'),
      services.sub('status').get('a'),
      services.list(),
      services.merge('a', { spec: { type: 'ClusterIP' } }),
      services.delete('a'),
    ],
  },
  {
    name: 'a headless service gives up a family, prefers two, and loses one that it did not give up',
    steps: [
      services.create(service('a', { clusterIP: 'None' })),
      services.merge('a', { spec: { ipFamilyPolicy: 'SingleStack' } }),
      services.merge('a', { spec: { ipFamilyPolicy: 'PreferDualStack' } }),
      services.merge('a', { spec: { ipFamilies: ['IPv4'] } }),
      services.merge('a', { spec: { selector: { a: 'b' }, ipFamilyPolicy: 'SingleStack' } }),
      services.merge('a', { spec: { ipFamilyPolicy: 'PreferDualStack' } }),
      services.merge('a', { spec: { selector: null } }),
    ],
  },
  {
    name: 'warnings of addresses in the status of a load balancer',
    steps: [
      services.create(service('a', { type: 'LoadBalancer' })),
      services
        .sub('status')
        .merge('a', { status: { loadBalancer: { ingress: [{ ip: '203.0.113.09' }, { ip: '2001:DB8::1' }] } } }),
      services.sub('status').merge('a', { metadata: { labels: { a: 'b' } } }),
      ingresses.create(
        object('networking.k8s.io/v1', 'Ingress', 'a', {
          spec: { defaultBackend: { service: { name: 'x', port: { number: 1 } } } },
        }),
      ),
      ingresses
        .sub('status')
        .merge('a', { status: { loadBalancer: { ingress: [{ ip: '203.0.113.09' }, { ip: '2001:DB8::1' }] } } }),
    ],
  },
  {
    name: 'a node of which nothing can be allocated, stored without saying so',
    steps: [
      nodes.apply('{{ns}}', node({ capacity: { pods: '110' }, allocatable: {} }), by('m')),
      nodes.json('{{ns}}', []),
      nodes.json('{{ns}}', []),
      nodes.apply('{{ns}}', node({ capacity: { pods: '110' }, allocatable: {} }), by('m')),
      nodes.sub('status').replace('{{ns}}', node({ capacity: { pods: '120' }, allocatable: {} })),
      nodes.get('{{ns}}'),
      nodes.json('{{ns}}', []),
      nodes.sub('status').replace('{{ns}}', node({ capacity: { pods: '-1' }, allocatable: {} })),
      nodes.delete('{{ns}}'),
      nodes.create(node({ capacity: { pods: '-1' }, allocatable: {} })),
    ],
  },
  {
    name: 'cells of what is empty, given twice or only half known',
    steps: [
      nodes.create(
        node({
          addresses: [{ type: 'InternalIP', address: '' }],
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: 'Ready', status: 'False' },
          ],
        }),
      ),
      nodes.table('{{ns}}'),
      claims.create(
        object('v1', 'PersistentVolumeClaim', 'a', {
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            volumeAttributesClassName: '',
          },
        }),
      ),
      claims.table('a'),
      newer.create(autoscaler('v2', { scaleTargetRef: target, maxReplicas: 2, metrics: [lag('value'), rate] })),
      newer.sub('status').merge('a', {
        status: {
          desiredReplicas: 1,
          currentMetrics: [
            { type: 'External', external: { metric: { name: 'lag' }, current: {} } },
            { type: 'Pods', pods: { metric: { name: 'rps' }, current: {} } },
          ],
        },
      }),
      newer.table('a'),
      pods.create(
        pod('a', {
          initContainers: [
            { name: 'x', image: 'i' },
            { name: 's', image: 'i', restartPolicy: 'Always' },
          ],
        }),
      ),
      pods.sub('status').merge('a', {
        status: {
          phase: 'Running',
          conditions: [{ type: 'Initialized', status: 'True' }],
          initContainerStatuses: [
            { name: 'x', restartCount: 2, image: 'i', imageID: '', ready: false, state: { waiting: { reason: 'Oh' } } },
            { name: 's', restartCount: 3, image: 'i', imageID: '', ready: true, started: true, state: { running: {} } },
          ],
        },
      }),
      pods.table('a'),
    ],
  },
  {
    name: 'an empty map that is given to an immutable object, which has none',
    steps: [
      configMaps.create(object('v1', 'ConfigMap', 'a', { immutable: true })),
      configMaps.strategic('a', { binaryData: {}, data: {} }),
      configMaps.replace('a', object('v1', 'ConfigMap', 'a', { immutable: true, binaryData: null })),
      secrets.create(object('v1', 'Secret', 'a', { immutable: true })),
      secrets.strategic('a', { data: {} }),
      secrets.merge('a', { data: {}, stringData: {} }),
      secrets.replace('a', object('v1', 'Secret', 'a', { immutable: true, stringData: {} })),
    ],
  },
  {
    name: 'a quota that loses its scopes, has none of them, or one twice',
    steps: [
      quotas.create(object('v1', 'ResourceQuota', 'a', { spec: { scopes: ['NotBestEffort'] } })),
      quotas.replace('a', object('v1', 'ResourceQuota', 'a')),
      quotas.replace('a', object('v1', 'ResourceQuota', 'a', { spec: { scopes: [] } })),
      quotas.replace('a', object('v1', 'ResourceQuota', 'a', { spec: { scopes: ['NotBestEffort', 'NotBestEffort'] } })),
      ...[undefined, []].map((scopes) =>
        quotas.create(
          object('v1', 'ResourceQuota', 'b', {
            spec: {
              ...(scopes === undefined ? {} : { scopes }),
              scopeSelector: {
                matchExpressions: ['BestEffort', 'NotBestEffort'].map((scopeName) => ({
                  scopeName,
                  operator: 'Exists',
                })),
              },
            },
          }),
        ),
      ),
    ],
  },
  {
    name: 'pods that say empty names, or names that no object can have',
    steps: [
      { runtimeClassName: '' },
      { runtimeClassName: 'a/b' },
      { runtimeClassName: 'Not Valid!' },
      { preemptionPolicy: '' },
      { priorityClassName: '' },
      { priorityClassName: 'a/b' },
    ].map((spec) => pods.create(pod('a', spec), 'dryRun=All')),
  },
  {
    name: 'a number that is too large, from a strategic merge patch with an empty list beside it',
    steps: [
      policies.create(object('networking.k8s.io/v1', 'NetworkPolicy', 'a', { spec: { podSelector: {} } })),
      policies.strategic('a', { spec: { ingress: [{ ports: [{ endPort: 2_147_483_648 }] }], egress: [{ to: [] }] } }),
    ],
  },
  {
    name: 'what a resource slice does not keep counts as a change',
    steps: [
      slices.create(
        object('resource.k8s.io/v1', 'ResourceSlice', '{{ns}}', {
          spec: {
            driver: 'gpu.example.com',
            pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
            allNodes: true,
            devices: [{ name: 'a' }],
          },
        }),
      ),
      slices.apply(
        '{{ns}}',
        object('resource.k8s.io/v1', 'ResourceSlice', '{{ns}}', { spec: { devices: [{ name: 'a', taints: [{}] }] } }),
        by('m', true),
      ),
      slices.json('{{ns}}', []),
    ],
  },
  {
    name: 'an autoscaler in two versions: who owns what, and what goes when it is left out',
    steps: [
      newer.create(autoscaler('v2', { scaleTargetRef: target, maxReplicas: 3 })),
      older.apply('a', autoscaler('v1', { scaleTargetRef: {}, targetCPUUtilizationPercentage: 60 }), by('m')),
      newer.delete('a'),
      older.apply(
        'a',
        autoscaler(
          'v1',
          { scaleTargetRef: target, minReplicas: 2, maxReplicas: 10 },
          {},
          { labels: { a: 'b' }, annotations: { c: 'd' } },
        ),
        by('m'),
      ),
      newer.strategic('a', { spec: { scaleTargetRef: { kind: 'Other' }, behavior: {} } }, by('m')),
      older.merge('a', { spec: { targetCPUUtilizationPercentage: 60 } }),
      newer.apply('a', autoscaler('v2', { maxReplicas: 2 }), by('m')),
      older.apply('a', autoscaler('v1'), by('m')),
      newer.delete('a'),
      newer.apply('a', autoscaler('v2', { scaleTargetRef: target, maxReplicas: 10 }, {}, { labels: {} }), by('m')),
      older.apply('a', autoscaler('v1', undefined, {}, { labels: {} }), by('n', true)),
      newer.apply(
        'a',
        autoscaler('v2', { maxReplicas: 10, metrics: [{ resource: { target: { averageValue: 'Not Valid!' } } }] }),
        by('n'),
      ),
      newer.apply(
        'a',
        autoscaler('v2', { maxReplicas: 10, metrics: [{ resource: { target: { averageValue: 'Not Valid!' } } }] }),
        by('m'),
      ),
    ],
  },
  {
    name: 'the order of metrics, after writes through v1 that change nothing or only the status',
    steps: [
      newer.create(
        autoscaler('v2', { scaleTargetRef: target, maxReplicas: 10, metrics: [cpu(50), memory, lag('averageValue')] }),
      ),
      older.sub('status').merge('a', {}),
      newer.get('a'),
      older.sub('status').merge('a', { status: { currentReplicas: 3 } }),
      newer.get('a'),
      older.apply('a', autoscaler('v1', {}), by('m', true)),
      newer.get('a'),
      older.sub('status').apply('a', autoscaler('v1'), by('m')),
      older.sub('status').apply(
        'a',
        autoscaler('v1', undefined, {
          status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 40 },
        }),
        by('m', true),
      ),
      older.sub('status').apply(
        'a',
        autoscaler('v1', undefined, {
          status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 40 },
        }),
        by('m', true),
      ),
      newer.get('a'),
      older.merge('a', {}),
      newer.get('a'),
      older.merge('a', {}),
    ],
  },
  {
    name: 'a condition of an autoscaler twice, seen through the other version',
    steps: [
      newer.apply('a', autoscaler('v2', { scaleTargetRef: target, maxReplicas: 10 }), by('m')),
      newer.sub('status').merge('a', {
        status: {
          desiredReplicas: 1,
          conditions: [
            { type: 'AbleToScale', status: 'True' },
            { type: 'AbleToScale', status: 'False' },
          ],
        },
      }),
      older.apply('a', autoscaler('v1', { minReplicas: 2 }), by('n')),
      older.merge('a', { spec: { minReplicas: 3 } }),
      newer.get('a'),
    ],
  },
]
