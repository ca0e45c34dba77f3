/** metadata.generation: which kinds have one, and which changes increase it. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case, Topic } from '../case.ts'
import { configMap, controller, deployment, job, object, pod, richThing, service, workload } from '../objects.ts'
import { clusterResource, define, prepared, resource, thing, thingDefinition, things } from '../steps.ts'
import type { Requests } from '../steps.ts'

/**
 * Creates an object, changes its metadata and its content, sends a no-op update, changes its status, and deletes it
 * with a finalizer.
 */
const life = (name: string, at: Requests, body: JsonObject, change: JsonObject, status?: JsonObject): Case => {
  const own = (body['metadata'] as JsonObject)['name'] as string
  return {
    name,
    steps: [
      at.create(body),
      at.merge(own, { metadata: { labels: { l: '1' } } }),
      at.merge(own, { metadata: { annotations: { a: '1' } } }),
      at.merge(own, { metadata: { generation: 9 } }),
      at.merge(own, change),
      at.merge(own, change),
      at.merge(own, {}),
      ...(status === undefined
        ? []
        : [
            at.sub('status').merge(own, { status }),
            at.sub('status').merge(own, { status, metadata: { annotations: { b: '1' } } }),
            at.merge(own, { status: {} }),
          ]),
      at.merge(own, { metadata: { finalizers: ['x.io/y'] } }),
      at.delete(own),
      at.delete(own),
      at.merge(own, { metadata: { finalizers: null } }),
      at.get(own),
    ],
  }
}

const apps = (plural: string): Requests => resource(plural, 'apps/v1')
const replicas = { spec: { replicas: 4 } }
const image = { spec: { template: { spec: { containers: [{ name: 'c', image: 'j:2' }] } } } }
const unique = '{{ns}}'

export const generation: Topic = {
  name: 'generation',
  cases: [
    life(
      'of Pods',
      resource('pods'),
      pod('p'),
      { spec: { containers: [{ name: 'c', image: 'j:2' }] } },
      { phase: 'Running' },
    ),
    life('of Deployments', apps('deployments'), deployment('d'), replicas, { replicas: 1 }),
    life('of ReplicaSets', apps('replicasets'), workload('ReplicaSet', 'r'), replicas, { replicas: 1 }),
    life('of StatefulSets', apps('statefulsets'), workload('StatefulSet', 's'), replicas, { replicas: 1 }),
    life('of DaemonSets', apps('daemonsets'), workload('DaemonSet', 'd'), image, {
      numberReady: 1,
      currentNumberScheduled: 1,
      desiredNumberScheduled: 1,
      numberMisscheduled: 0,
    }),
    life('of ReplicationControllers', resource('replicationcontrollers'), controller('r'), replicas, { replicas: 1 }),
    life(
      'of PodTemplates',
      resource('podtemplates'),
      object('v1', 'PodTemplate', 't', { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } }),
      { template: { metadata: { labels: { a: 'b' } } } },
    ),
    life('of Jobs', resource('jobs', 'batch/v1'), job('j'), { spec: { parallelism: 3 } }, { active: 1 }),
    life(
      'of CronJobs',
      resource('cronjobs', 'batch/v1'),
      object('batch/v1', 'CronJob', 'c', {
        spec: { schedule: '* * * * *', jobTemplate: { spec: job('x')['spec'] as JsonObject } },
      }),
      { spec: { suspend: true } },
      { lastScheduleTime: '2020-01-01T00:00:00Z' },
    ),
    life(
      'of Ingresses',
      resource('ingresses', 'networking.k8s.io/v1'),
      object('networking.k8s.io/v1', 'Ingress', 'i', {
        spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
      }),
      { spec: { ingressClassName: 'x' } },
      { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
    ),
    life(
      'of IngressClasses',
      clusterResource('ingressclasses', 'networking.k8s.io/v1'),
      object('networking.k8s.io/v1', 'IngressClass', unique, { spec: { controller: 'x.io/y' } }),
      { spec: { parameters: { kind: 'X', name: 'x' } } },
    ),
    life(
      'of NetworkPolicies',
      resource('networkpolicies', 'networking.k8s.io/v1'),
      object('networking.k8s.io/v1', 'NetworkPolicy', 'n', { spec: { podSelector: {} } }),
      { spec: { podSelector: { matchLabels: { a: 'b' } } } },
    ),
    life(
      'of PodDisruptionBudgets',
      resource('poddisruptionbudgets', 'policy/v1'),
      object('policy/v1', 'PodDisruptionBudget', 'b', { spec: { selector: {}, minAvailable: 1 } }),
      { spec: { minAvailable: 2 } },
      { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 },
    ),
    life(
      'of PriorityClasses',
      clusterResource('priorityclasses', 'scheduling.k8s.io/v1'),
      object('scheduling.k8s.io/v1', 'PriorityClass', unique, { value: 5 }),
      { description: 'x' },
    ),
    life(
      'of EndpointSlices',
      resource('endpointslices', 'discovery.k8s.io/v1'),
      object('discovery.k8s.io/v1', 'EndpointSlice', 'e', { addressType: 'IPv4', endpoints: [] }),
      { endpoints: [{ addresses: ['10.1.1.1'] }] },
    ),
    life(
      'of MutatingWebhookConfigurations',
      clusterResource('mutatingwebhookconfigurations', 'admissionregistration.k8s.io/v1'),
      object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', unique),
      {
        webhooks: [
          {
            name: 'a.x.io',
            clientConfig: { url: 'https://a.invalid' },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      },
    ),
    life(
      'of ValidatingWebhookConfigurations',
      clusterResource('validatingwebhookconfigurations', 'admissionregistration.k8s.io/v1'),
      object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', unique),
      {
        webhooks: [
          {
            name: 'a.x.io',
            clientConfig: { url: 'https://a.invalid' },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      },
    ),
    life(
      'of Services',
      resource('services'),
      service('s', { clusterIP: 'None' }),
      { spec: { sessionAffinity: 'ClientIP' } },
      { loadBalancer: {} },
    ),
    life('of ConfigMaps', resource('configmaps'), configMap('c'), { data: { a: '2' } }),
    life('of Secrets', resource('secrets'), object('v1', 'Secret', 's'), { stringData: { a: '2' } }),
    life('of ServiceAccounts', resource('serviceaccounts'), object('v1', 'ServiceAccount', 's'), {
      automountServiceAccountToken: false,
    }),
    life(
      'of PersistentVolumeClaims',
      resource('persistentvolumeclaims'),
      object('v1', 'PersistentVolumeClaim', 'v', {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      { spec: { volumeName: 'x' } },
      { phase: 'Pending' },
    ),
    life(
      'of Nodes',
      clusterResource('nodes'),
      object('v1', 'Node', unique),
      { spec: { unschedulable: true } },
      { capacity: { cpu: '1' } },
    ),
    life(
      'of ResourceQuotas',
      resource('resourcequotas'),
      object('v1', 'ResourceQuota', 'q', { spec: { hard: { pods: '5' } } }),
      { spec: { hard: { pods: '6' } } },
      { hard: { pods: '5' } },
    ),
    life('of LimitRanges', resource('limitranges'), object('v1', 'LimitRange', 'l', { spec: { limits: [] } }), {
      spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] },
    }),
    life('of Endpoints', resource('endpoints'), object('v1', 'Endpoints', 'e'), {
      subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 1 }] }],
    }),
    life(
      'of HorizontalPodAutoscalers',
      resource('horizontalpodautoscalers', 'autoscaling/v2'),
      object('autoscaling/v2', 'HorizontalPodAutoscaler', 'h', {
        spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
      }),
      { spec: { maxReplicas: 4 } },
      { currentReplicas: 1, desiredReplicas: 1 },
    ),
    life(
      'of Roles',
      resource('roles', 'rbac.authorization.k8s.io/v1'),
      object('rbac.authorization.k8s.io/v1', 'Role', 'r'),
      { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    ),
    life(
      'of StorageClasses',
      clusterResource('storageclasses', 'storage.k8s.io/v1'),
      object('storage.k8s.io/v1', 'StorageClass', unique, { provisioner: 'x' }),
      { allowVolumeExpansion: true },
    ),
    life('of Leases', resource('leases', 'coordination.k8s.io/v1'), object('coordination.k8s.io/v1', 'Lease', 'l'), {
      spec: { holderIdentity: 'x' },
    }),
    life('of Events', resource('events'), object('v1', 'Event', 'e', { involvedObject: { namespace: '{{ns}}' } }), {
      message: 'x',
    }),
    {
      name: 'of EndpointSlices when labels change',
      steps: [
        resource('endpointslices', 'discovery.k8s.io/v1').create(
          object('discovery.k8s.io/v1', 'EndpointSlice', 'e', { addressType: 'IPv4', endpoints: [] }),
        ),
        resource('endpointslices', 'discovery.k8s.io/v1').merge('e', { metadata: { labels: { z: '1' } } }),
        resource('endpointslices', 'discovery.k8s.io/v1').replace(
          'e',
          object(
            'discovery.k8s.io/v1',
            'EndpointSlice',
            'e',
            { addressType: 'IPv4', endpoints: [] },
            { generation: 50 },
          ),
        ),
      ],
    },
    {
      name: 'of custom resources with status',
      steps: [
        prepared(define(richThing())),
        things.create(thing('a', { spec: { size: 's' } }, { generation: 7 })),
        things.merge('a', { metadata: { labels: { a: '1' } } }),
        things.merge('a', { spec: { size: 'm' } }),
        things.merge('a', { spec: { size: 'm' } }),
        things.merge('a', { status: { phase: 'x' } }),
        things.sub('status').merge('a', { status: { phase: 'x' } }),
        things.sub('status').merge('a', { status: { phase: 'x' } }),
        things.sub('status').merge('a', { status: { phase: 'y' }, spec: { size: 'q' } }),
        things.merge('a', { metadata: { generation: 50 } }),
        things.sub('scale').merge('a', { spec: { replicas: 3 } }),
        things.merge('a', { metadata: { finalizers: ['x.io/y'] } }),
        things.delete('a'),
        things.delete('a'),
        things.merge('a', { spec: { size: 'z' } }),
        things.merge('a', { metadata: { finalizers: null } }),
        things.create(thing('a')),
      ],
    },
    {
      name: 'of custom resources without status',
      steps: [
        prepared(
          define(
            thingDefinition({
              spec: { type: 'object', properties: { a: { type: 'string' } } },
              status: { type: 'object', properties: { b: { type: 'string' } } },
              other: { type: 'string' },
            }),
          ),
        ),
        things.create(thing('a', { spec: { a: '1' }, status: { b: '1' } })),
        things.merge('a', { status: { b: '2' } }),
        things.merge('a', { other: 'x' }),
        things.merge('a', { metadata: { annotations: { a: '1' } } }),
        things.merge('a', { spec: { a: '1' } }),
        things.sub('status').merge('a', {}),
        things.sub('status').get('a'),
        things.delete('a'),
      ],
    },
    {
      name: 'of CustomResourceDefinitions',
      steps: [
        define(richThing()),
        clusterResource('customresourcedefinitions', 'apiextensions.k8s.io/v1').merge(
          'things.{{ns}}.example.com',
          { metadata: { labels: { a: '1' } } },
          '',
          { settle: 'informed' },
        ),
        clusterResource('customresourcedefinitions', 'apiextensions.k8s.io/v1').merge(
          'things.{{ns}}.example.com',
          { spec: { names: { shortNames: ['tg'] } } },
          'fieldManager=m',
        ),
      ],
    },
  ],
}
