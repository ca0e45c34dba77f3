/** Former differences that the fuzzer found, each reduced to a minimal case. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Step, Topic } from '../case.ts'
import { configMap, controller, deployment, job, object, pod, service, workload } from '../objects.ts'
import { define, resource, thing, thingDefinition, things } from '../steps.ts'
import { foundForms } from './found-forms.ts'
import { foundLater } from './found-later.ts'
import { signingRequestCases } from './signing-requests.ts'

const configMaps = resource('configmaps')
const secrets = resource('secrets')
const accounts = resource('serviceaccounts')
const services = resource('services')
const pods = resource('pods')
const claims = resource('persistentvolumeclaims')
const ranges = resource('limitranges')
const controllers = resource('replicationcontrollers')
const deployments = resource('deployments', 'apps/v1')
const daemonSets = resource('daemonsets', 'apps/v1')
const replicaSets = resource('replicasets', 'apps/v1')
const statefulSets = resource('statefulsets', 'apps/v1')
const jobs = resource('jobs', 'batch/v1')
const cronJobs = resource('cronjobs', 'batch/v1')
const leases = resource('leases', 'coordination.k8s.io/v1')
const ingresses = resource('ingresses', 'networking.k8s.io/v1')
const policies = resource('networkpolicies', 'networking.k8s.io/v1')
const bindings = resource('rolebindings', 'rbac.authorization.k8s.io/v1')
const slices = resource('endpointslices', 'discovery.k8s.io/v1')
const autoscalers = resource('horizontalpodautoscalers', 'autoscaling/v2')

const lease = (spec: JsonObject): JsonObject => object('coordination.k8s.io/v1', 'Lease', 'a', { spec })
const ingress = (spec: JsonObject, metadata: JsonObject = {}): JsonObject =>
  object('networking.k8s.io/v1', 'Ingress', 'a', { spec }, metadata)
const limits = (...all: JsonObject[]): JsonObject => object('v1', 'LimitRange', 'a', { spec: { limits: all } })
const claim = (spec: JsonObject = {}): JsonObject =>
  object('v1', 'PersistentVolumeClaim', 'a', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  })
const binding = (roleRef: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  object(
    'rbac.authorization.k8s.io/v1',
    'RoleBinding',
    'a',
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view', ...roleRef },
    },
    metadata,
  )
const policy = (spec: JsonObject, metadata: JsonObject = {}): JsonObject =>
  object('networking.k8s.io/v1', 'NetworkPolicy', 'a', { spec: { podSelector: {}, ...spec } }, metadata)
const autoscaler = (spec: JsonObject): JsonObject =>
  object('autoscaling/v2', 'HorizontalPodAutoscaler', 'a', {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3, ...spec },
  })
const slice = (endpoint: JsonObject): JsonObject =>
  object('discovery.k8s.io/v1', 'EndpointSlice', 'a', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'], conditions: {}, ...endpoint }],
    ports: [],
  })
const dataSource = (apiGroup: string): JsonObject => ({ apiGroup, kind: 'VolumeSnapshot', name: 'snap' })
const affinity = (weight: Json, key = 'zone'): JsonObject => ({
  nodeAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight, preference: { matchExpressions: [{ key, operator: 'Exists' }] } },
    ],
  },
})
const podAffinity = (topologyKey: string): JsonObject => ({
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app: 'x' } } }],
  },
})
const scale = (replicas: number): JsonObject =>
  object('autoscaling/v1', 'Scale', 'a', { spec: { replicas } }, { namespace: '{{ns}}' })
const by = (manager: string, force = false): string => `fieldManager=${manager}${force ? '&force=true' : ''}`
const badLabel = { labels: { app: '-' } }

const times: readonly Json[] = [
  '',
  'x',
  7,
  true,
  {},
  [],
  '2026-1-02T03:04:05Z',
  '2026-13-02T03:04:05Z',
  '2026-02-30T03:04:05Z',
  '2026-01-02T3:04:05Z',
  '2026-01-02T24:04:05Z',
  '2026-01-02 03:04:05Z',
  '2026-01-02T03:04:05',
  '2026-01-02T03:04:05Z-2',
  '2026-01-02T03:04:05.5Z',
  '2026-01-02T03:04:05,5Z',
  '2026-01-02T03:04:05+25:00',
  '2026-01-02T03:04:05+02:61',
  '2026-01-02T03:04:05+02:00',
  'ü"',
]

/** Values of wrong types that come from a patch, whose result is decoded from a value and not from text. */
const convertedValues = (change: (spec: JsonObject) => Step): Step[] => [
  change(affinity(1.5)),
  change(affinity(2_147_483_648)),
  change(affinity('x')),
  change(affinity(true)),
]

export const found: Topic = {
  name: 'found',
  cases: [
    {
      name: 'times that are none',
      steps: times.map((time, i) => configMaps.create(configMap(`a${i}`, {}, { creationTimestamp: time }))),
    },
    {
      name: 'times with microseconds that are none',
      steps: [
        ...times,
        '2026-01-02T03:04:05Z',
        '2026-01-02T03:04:05.000001Z',
        '2026-01-02T03:04:05.000001Z-2',
        '2026-01-02T03:04:05.0000012Z',
      ].map((acquireTime) => leases.create(lease({ acquireTime }))),
    },
    {
      name: 'times in patches',
      steps: [
        leases.create(lease({})),
        leases.strategic('a', { spec: { renewTime: '2026-01-02T03:04:07Z' } }),
        leases.merge('a', { spec: { renewTime: 7 } }),
        leases.apply('a', lease({ renewTime: 'x' }), by('m')),
        leases.json('a', [{ op: 'add', path: '/spec/renewTime', value: '2026-01-02T03:04:05.000001Z-2' }]),
      ],
    },
    {
      name: 'values that read their own text, of another type',
      steps: [
        ...[true, {}, [], 1.5, 99_999_999_999].map((targetPort) =>
          services.create(service('a', { ports: [{ port: 80, targetPort }] })),
        ),
        ...[true, {}, [], 'x', ''].map((cpu) => ranges.create(limits({ type: 'Pod', max: { cpu } }))),
        ...[true, {}, 1, 'x', 'AAEC0x'].map((a) => secrets.create(object('v1', 'Secret', 'a', { data: { a } }))),
      ],
    },
    {
      name: 'the first of several wrong types',
      steps: [
        deployments.create(deployment('a', { replicas: 'x', paused: 'y' })),
        deployments.create(deployment('a', { paused: 'y', replicas: 'x' })),
        services.create(service('a', { type: 7, ports: [{ port: 80, targetPort: true }] })),
        deployments.create(deployment('a')),
        deployments.merge('a', { spec: { replicas: 'x', paused: 'y' } }),
      ],
    },
    {
      name: 'wrong types in embedded structs',
      steps: [
        ingresses.create(ingress({ rules: [{ http: { paths: [{ backend: { service: ['x'] } }] } }] })),
        pods.create(pod('a', { volumes: [{ name: 'v', configMap: { name: 7 } }] })),
        pods.create(pod('a', { volumes: [{ name: 'v', emptyDir: [] }] })),
        pods.create(pod('a', { containers: [{ name: 'c', image: 'i', livenessProbe: { httpGet: 'x' } }] })),
        pods.create(
          pod('a', {
            containers: [{ name: 'c', image: 'i', env: [{ name: 'e', valueFrom: { secretKeyRef: { name: 7 } } }] }],
          }),
        ),
      ],
    },
    {
      name: 'wrong types in a strategic merge and an apply',
      steps: [
        deployments.create(deployment('a')),
        ...convertedValues((spec) => deployments.strategic('a', { spec: { template: { spec: { affinity: spec } } } })),
        ...convertedValues((spec) => deployments.apply('a', deployment('a', {}, { affinity: spec }), by('m', true))),
        deployments.strategic('a', { metadata: { labels: { a: 7 } } }),
        deployments.strategic('a', { metadata: { labels: { a: true } } }),
        deployments.strategic('a', { spec: { template: 'x' } }),
        deployments.strategic('a', { spec: { paused: 'x', replicas: '2' } }),
        configMaps.create(configMap('a')),
        configMaps.strategic('a', { binaryData: { bin: 'AAEC0x' } }),
        configMaps.apply('a', object('v1', 'ConfigMap', 'a', { binaryData: { bin: 'AAEC0x' } }), by('m', true)),
        ranges.apply('a', limits({ type: 'Pod', max: { cpu: '1Mi-2' } }), by('m')),
        services.create(service('a')),
        services.strategic('a', { spec: { ports: [{ port: 80, targetPort: true }] } }),
        services.strategic('a', { spec: { externalIPs: 'x', selector: 7 } }),
      ],
    },
    {
      name: 'null bytes',
      steps: [
        configMaps.create(configMap('a')),
        configMaps.json('a', [{ op: 'add', path: '/binaryData', value: { bin: null } }]),
        configMaps.get('a'),
      ],
    },
    {
      name: 'empty is not absent',
      steps: [
        ...(['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet'] as const).map((kind) => {
          const body = workload(kind, 'a', {
            template: { metadata: { labels: {} }, spec: { containers: [{ name: 'c', image: 'i' }] } },
          })
          return resource(`${kind.toLowerCase()}s`, 'apps/v1').create(body)
        }),
        pods.create(pod('a', { volumes: [{ name: 'v', emptyDir: {} }] })),
        pods.merge('a', { spec: { volumes: [] } }),
        jobs.create(
          job('a', {
            template: {
              spec: {
                restartPolicy: 'Never',
                dnsConfig: { nameservers: ['192.0.2.1'] },
                containers: [{ name: 'c', image: 'i' }],
              },
            },
          }),
        ),
        jobs.merge('a', {
          spec: { template: { spec: { dnsConfig: { nameservers: [] }, securityContext: { sysctls: [] } } } },
        }),
        ingresses.create(ingress({ rules: [] })),
        ingresses.create(ingress({})),
        autoscalers.create(autoscaler({ behavior: { scaleDown: { policies: [] } } })),
      ],
    },
    {
      name: 'empty lists are stored as null',
      steps: [
        autoscalers.create(autoscaler({})),
        autoscalers
          .sub('status')
          .merge('a', { status: { currentReplicas: 1, desiredReplicas: 1, currentMetrics: [] } }),
        autoscalers.get('a'),
        cronJobs.create(
          object('batch/v1', 'CronJob', 'a', {
            spec: {
              schedule: '* * * * *',
              jobTemplate: { spec: { ...(job('x').spec as JsonObject), podFailurePolicy: { rules: [] } } },
            },
          }),
        ),
        cronJobs.get('a'),
      ],
    },
    {
      name: 'an empty list makes a generation of a network policy',
      steps: [
        policies.create(policy({})),
        policies.merge('a', { spec: { egress: [] } }),
        policies.merge('a', { spec: { egress: null } }),
        policies.merge('a', { spec: { ingress: [] } }),
      ],
    },
    {
      name: 'a resourceVersion or uid for what is not there yet',
      steps: [
        services.replace('a', service('a', {}, { resourceVersion: 'x' })),
        services.replace('a', service('a', {}, { uid: 'x' })),
        services.replace('a', service('a', {}, { uid: 'x' }), 'dryRun=All'),
        bindings.replace('a', binding({}, { resourceVersion: '7' }), 'dryRun=All'),
        jobs.replace('a', job('a', {}, { uid: 'x' })),
        jobs.create(job('a')),
        jobs.replace('a', job('a', {}, { uid: 'x' }), 'dryRun=All'),
      ],
    },
    {
      name: 'services come to be through their status',
      steps: [
        services.sub('status').apply('a', { ...service('a'), status: { loadBalancer: {} } }, by('m')),
        services.get('a'),
        services.apply('a', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } }, by('m')),
        services.sub('status').replace('b', service('b')),
        services.deleteAll(),
      ],
    },
    {
      name: 'the first write that changes nothing counts where less is stored than is served',
      steps: [
        claims.create(claim()),
        claims.merge('a', {}),
        claims.merge('a', {}),
        jobs.create(job('a')),
        jobs.strategic('a', {}),
        jobs.merge('a', {}),
        jobs.apply('b', job('b'), by('m')),
        jobs.apply('b', job('b'), by('m')),
        jobs.apply('b', job('b'), by('m')),
        configMaps.create(configMap('a')),
        configMaps.merge('a', {}),
      ],
    },
    {
      name: 'empty metadata of custom resources is stored by an apply',
      steps: [
        define(thingDefinition({ spec: { type: 'object', properties: { a: { type: 'string' } } } })),
        things.apply('a', thing('a', { spec: { a: '1' } }, { labels: {} }), by('m')),
        things.replace(
          'a',
          thing('a', { spec: { a: '1' } }, { resourceVersion: '{{1.metadata.resourceVersion}}' }),
          by('m'),
        ),
        things.merge('a', {}),
        things.apply('c', thing('c', {}, { labels: { a: '1' } }), by('m')),
        things.apply('c', thing('c', {}, { labels: {} }), by('m')),
        things.merge('c', {}),
        things.create(thing('b', { spec: { a: '1' } }, { labels: {}, finalizers: [] })),
        things.merge('b', {}),
      ],
    },
    {
      name: 'scale and status of custom resources without them',
      steps: [
        define(
          thingDefinition(
            {
              spec: {
                type: 'object',
                properties: { replicas: { type: 'integer' }, when: { type: 'string', format: 'date-time' } },
              },
              status: { type: 'object', properties: { a: { type: 'string' } } },
            },
            {
              subresources: {
                status: {},
                scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
              },
            },
          ),
        ),
        things.create(thing('a', { spec: { replicas: 1 } })),
        things.sub('status').apply('a', thing('a', { status: null }), by('m')),
        things.json('a', [{ op: 'add', path: '/spec/when', value: [] }]),
        things.merge('a', { spec: { when: null } }),
        things.apply('b', thing('b', { spec: { replicas: 1 } }), by('m')),
        things.apply('b', thing('b', { spec: {} }), by('n')),
        things.apply('b', thing('b'), by('m')),
      ],
    },
    {
      name: 'field owners and the scale',
      steps: [
        replicaSets.create(workload('ReplicaSet', 'a', { replicas: 2 }), by('m')),
        replicaSets.sub('scale').replace('a', scale(2), by('n')),
        replicaSets.get('a'),
        replicaSets.sub('scale').replace('a', scale(2), by('n')),
        replicaSets.get('a'),
        replicaSets.sub('scale').merge('a', {}, by('n')),
        deployments.create(deployment('a', { replicas: 2 }), by('m')),
        deployments.sub('scale').merge('a', {}, by('n')),
        deployments.get('a'),
      ],
    },
    {
      name: 'quantities in another notation',
      steps: ['1000', '1.5', '1024Mi', '1k'].flatMap((cpu) => [
        ranges.apply('a', limits({ type: 'Pod', max: { cpu } }), by('m')),
        ranges.replace('a', limits({ type: 'Pod', max: { cpu } }), by('n')),
        ranges.delete('a'),
      ]),
    },
    {
      name: 'what is empty in an atomic list counts as a change',
      steps: [
        policies.apply('a', policy({ ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }] }), by('m')),
        policies.replace('a', policy({ ingress: [{ ports: [{ port: 80, protocol: 'TCP' }], from: [] }] }), by('n')),
        slices.apply('a', slice({}), by('m')),
        slices.replace('a', slice({ deprecatedTopology: {} }), by('n')),
        slices.replace('a', slice({ hints: { forZones: [] } }), by('o')),
      ],
    },
    {
      name: 'empty lists of what is answered for the last time',
      steps: [
        slices.create({ ...slice({}), metadata: { name: 'a', finalizers: ['example.com/a'] } }),
        slices.delete('a'),
        slices.replace('a', { ...slice({}), endpoints: [], ports: [] }),
      ],
    },
    {
      name: 'labels of a job that are those of its template',
      steps: [{ app: 'x' }, {}].flatMap((labels) =>
        ['dryRun=All', ''].map((query) =>
          jobs.create(
            job(
              `a${Object.keys(labels).length}`,
              {
                template: {
                  metadata: { labels: { app: 'x' } },
                  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i:1' }] },
                },
              },
              { labels },
            ),
            query,
          ),
        ),
      ),
    },
    {
      name: 'ratios of limits',
      steps: [{ cpu: '1Gi' }, { cpu: '2' }, { cpu: '1m' }].map((min) =>
        ranges.create(limits({ type: 'Pod', max: { cpu: '64' }, min, maxLimitRequestRatio: { cpu: '50' } })),
      ),
    },
    {
      name: 'an apply to what has no keys',
      steps: [
        accounts.create(object('v1', 'ServiceAccount', 'a', { secrets: [{ name: 'one' }, {}] })),
        accounts.get('a'),
        accounts.apply('a', object('v1', 'ServiceAccount', 'a'), by('m')),
        accounts.apply('a', object('v1', 'ServiceAccount', 'a', { nope: 1 }), by('m')),
      ],
    },
    {
      name: 'warnings about volumes, ports and nodes',
      steps: [
        pods.create(
          pod('a', {
            volumes: [
              { name: 'v', projected: { sources: [{}] } },
              {
                name: 'w',
                projected: {
                  sources: [
                    { configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
                    { downwardAPI: { items: [{ path: 'p/q', fieldRef: { fieldPath: 'metadata.name' } }] } },
                  ],
                },
              },
              {
                name: 'x',
                configMap: {
                  name: 'c',
                  items: [
                    { key: 'k', path: 'p' },
                    { key: 'l', path: 'p/' },
                  ],
                },
              },
            ],
          }),
        ),
        pods.create(
          pod('b', {
            containers: [
              {
                name: 'c',
                image: 'i',
                ports: [{ name: 'dns', containerPort: 53, protocol: 'UDP', hostIP: '192.0.2.1' }],
              },
            ],
          }),
        ),
        pods.create(
          pod('c', {
            dnsPolicy: 'None',
            dnsConfig: { nameservers: ['::ffff:1.2.3.4'] },
            hostAliases: [{ ip: '2001:DB8::1', hostnames: ['a'] }],
            affinity: affinity(1, 'beta.kubernetes.io/os'),
            topologySpreadConstraints: [
              { maxSkew: 1, topologyKey: 'beta.kubernetes.io/arch', whenUnsatisfiable: 'ScheduleAnyway' },
            ],
          }),
        ),
      ],
    },
    {
      name: 'warnings of writes that change nothing, and of controllers',
      steps: [
        services.create(service('a', { trafficDistribution: 'PreferClose' })),
        services.apply('a', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } }, by('m')),
        services.deleteAll(),
        controllers.create(controller('a')),
        controllers.merge('a', { spec: { template: { spec: { imagePullSecrets: [{ name: 'p' }, { name: 'p' }] } } } }),
        controllers.merge('a', { spec: { minReadySeconds: 1 } }),
        jobs.deleteAll('labelSelector=nope'),
        jobs.create(job('a')),
        jobs.deleteAll(),
      ],
    },
    {
      name: 'labels and annotations that a write to the status loses',
      steps: [
        controllers.create(controller('a')),
        controllers
          .sub('status')
          .replace('a', { ...object('v1', 'ReplicationController', 'a'), status: { replicas: 1 } }),
        daemonSets.create(workload('DaemonSet', 'a')),
        daemonSets.sub('status').replace('a', workload('DaemonSet', 'a')),
      ],
    },
    {
      name: 'the order of errors',
      steps: [
        configMaps.create(object('v1', 'ConfigMap', 'a', { immutable: true })),
        configMaps.merge('a', { immutable: false, metadata: badLabel }),
        secrets.create(object('v1', 'Secret', 'a', { type: 'x' })),
        secrets.merge('a', { type: 'y', metadata: badLabel }),
        bindings.create(binding()),
        bindings.replace('a', binding({ name: 'edit' }, badLabel)),
        policies.create(policy({})),
        policies.replace('a', policy({ policyTypes: ['x'] }, badLabel)),
        jobs.create(job('a')),
        jobs.merge('a', { spec: { parallelism: -1 }, metadata: badLabel }),
        statefulSets.create(
          workload('StatefulSet', 'a', { template: { metadata: badLabel, spec: { containers: [] } } }),
        ),
      ],
    },
    {
      name: 'what of a suspended job may change',
      steps: [
        jobs.create(job('a', { suspend: true })),
        jobs.merge('a', { spec: { template: { spec: { affinity: affinity(1) } } } }),
        jobs.merge('a', { spec: { template: { spec: { affinity: podAffinity('zone') } } } }),
        jobs.merge('a', { spec: { template: { spec: { affinity: null } } } }),
      ],
    },
    {
      name: 'claims: what may not change, and the group of a data source',
      steps: [
        claims.create(claim({ dataSource: dataSource('Not Valid!') })),
        claims.create(
          claim({
            dataSource: dataSource('example.com'),
            selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] },
          }),
        ),
        claims.replace('a', claim()),
        claims.merge('a', { spec: { dataSource: { apiGroup: 'Not Valid!' } } }),
        claims.sub('status').merge('a', { status: { phase: 'Bound', capacity: { storage: '1Gi' } } }),
        claims.replace('a', claim({ resources: {} })),
        claims.merge('a', { spec: { resources: { limits: {} } } }),
      ],
    },
    {
      name: 'autoscalers: names of resources',
      steps: ['memoryx', 'a.b', 'example.com/x'].map((name) =>
        autoscalers.create(
          autoscaler({
            metrics: [
              {
                type: 'ContainerResource',
                containerResource: { name, container: 'c', target: { type: 'Utilization', averageUtilization: 50 } },
              },
            ],
          }),
        ),
      ),
    },
    {
      name: 'small rules',
      steps: [
        services.create(service('a', { type: 'NodePort', ports: [{ name: 'a', port: 53, protocol: 'UDP' }] })),
        services.merge('a', {
          spec: {
            ports: [
              { name: 'a', port: 53, protocol: 'UDP' },
              { name: 'a', port: 53, protocol: 'UDP' },
            ],
          },
        }),
        services.deleteAll(),
        ...['', 'Not Valid!'].map((apiGroup) =>
          ingresses.create(ingress({ defaultBackend: { resource: { apiGroup, kind: 'Bucket', name: 'b' } } })),
        ),
        ingresses.create(ingress({ defaultBackend: { resource: { kind: 'Bucket', name: 'b' } } })),
      ],
    },
    ...foundLater,
    ...signingRequestCases,
    ...foundForms,
  ],
}
