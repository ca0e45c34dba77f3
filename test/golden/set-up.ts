/** Requests that were not recorded, although later responses show their effects. They are sent and not compared. */
import type { Json, JsonObject } from '../../src/api/json.ts'

function post(setup: string, path: string, body: Json): JsonObject {
  return { n: 0, setup, method: 'POST', path, tok: 'admintoken', headers: {}, body, status: 201, resHeaders: {} }
}

export const beforeDiscovery: readonly JsonObject[] = [
  post(
    'the custom resource whose endpoints discovery shows',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.ex.io' },
      spec: {
        group: 'ex.io',
        scope: 'Namespaced',
        names: { plural: 'foos', singular: 'foo', kind: 'Foo' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: { type: 'object', properties: { a: { type: 'string' } } },
                  status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        ],
      },
    },
  ),
]

/**
 * Pods of kinds whose controllers the embedded cluster does not have: they use up a quota that a Deployment exceeds
 * later. Their owners have the recorded uids.
 */
export const beforeControllers: readonly JsonObject[] = [
  pod(
    { kind: 'DaemonSet', name: 'daemonset', uid: 'ffe82279-22b6-4ad7-ab83-bc830b7290e6', apiVersion: 'apps/v1' },
    'daemonset-vrk27',
    {
      labels: { app: 'a', 'controller-revision-hash': '655b7dcf57', 'pod-template-generation': '1' },
    },
    {
      containers: [{ name: 'c', image: 'img:1' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node1'] }] }],
          },
        },
      },
      tolerations: [
        tolerationOf('not-ready', 'NoExecute'),
        tolerationOf('unreachable', 'NoExecute'),
        tolerationOf('disk-pressure', 'NoSchedule'),
        tolerationOf('memory-pressure', 'NoSchedule'),
        tolerationOf('pid-pressure', 'NoSchedule'),
        tolerationOf('unschedulable', 'NoSchedule'),
      ],
    },
  ),
  pod(
    { kind: 'Job', name: 'job', uid: 'f57b56f3-9ff2-4c6d-9525-5ad47f452402', apiVersion: 'batch/v1' },
    'job-5kfnn',
    {
      labels: {
        'batch.kubernetes.io/controller-uid': 'f57b56f3-9ff2-4c6d-9525-5ad47f452402',
        'batch.kubernetes.io/job-name': 'job',
        'controller-uid': 'f57b56f3-9ff2-4c6d-9525-5ad47f452402',
        'job-name': 'job',
      },
      finalizers: ['batch.kubernetes.io/job-tracking'],
    },
    { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' },
  ),
  pod(
    {
      kind: 'ReplicationController',
      name: 'replicationcontroller',
      uid: '2f29363e-1794-43d1-9936-ffe0d8984e1f',
      apiVersion: 'v1',
    },
    'replicationcontroller-5rmkh',
    {
      labels: { app: 'a' },
    },
    { containers: [{ name: 'c', image: 'img:1' }] },
  ),
  pod(
    { kind: 'StatefulSet', name: 'statefulset', uid: '548fa35a-936e-41a3-b570-f13d6ddd9859', apiVersion: 'apps/v1' },
    'statefulset-0',
    {
      labels: {
        app: 'a',
        'apps.kubernetes.io/pod-index': '0',
        'controller-revision-hash': 'statefulset-8965cb899',
        'statefulset.kubernetes.io/pod-name': 'statefulset-0',
      },
    },
    {
      containers: [{ name: 'c', image: 'img:1' }],
      hostname: 'statefulset-0',
      subdomain: 's',
      volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'd-statefulset-0' } }],
    },
  ),
]

function pod(owner: Record<string, string>, name: string, metadata: JsonObject, spec: JsonObject): JsonObject {
  const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }]
  return post(
    'a pod of a controller that is not there',
    '/api/v1/namespaces/default/pods?fieldManager=kube-controller-manager',
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, generateName: `${owner['name'] ?? ''}-`, ...metadata, ownerReferences },
      spec,
    },
  )
}

function tolerationOf(name: string, effect: string): JsonObject {
  return { key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }
}
