/** Core kinds with pod specs: Pod, PodTemplate, ReplicationController. */
import { badMetadata, fullMetadata, variants, type KindManifests } from './manifest.ts'
import { badPodSpecsAt, fullPodSpec, minimalPodSpec } from './pod-specs.ts'

const core = { group: '', version: 'v1' } as const

export const corePods: readonly KindManifests[] = [
  {
    ...core,
    resource: 'pods',
    kind: 'Pod',
    namespaced: true,
    minimal: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'min' }, spec: minimalPodSpec },
    full: { apiVersion: 'v1', kind: 'Pod', metadata: fullMetadata('full'), spec: fullPodSpec },
    change: { spec: { activeDeadlineSeconds: 100 }, metadata: { labels: { more: 'yes' } } },
    status: {
      status: {
        phase: 'Running',
        hostIP: '192.0.2.1',
        hostIPs: [{ ip: '192.0.2.1' }],
        podIP: '192.0.2.2',
        podIPs: [{ ip: '192.0.2.2' }],
        startTime: '2026-01-02T03:04:05Z',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' }],
        containerStatuses: [
          {
            name: 'main',
            image: 'i',
            imageID: 'id',
            ready: true,
            restartCount: 1,
            state: { running: { startedAt: '2026-01-02T03:04:05Z' } },
          },
        ],
      },
    },
    badStatus: variants({
      'bad pod ip': { status: { podIPs: [{ ip: 'x' }] } },
      'bad host ip': { status: { hostIPs: [{ ip: 'x' }] } },
      'container of no name': {
        status: { containerStatuses: [{ name: 'other', image: 'i', imageID: 'id', ready: true, restartCount: 0 }] },
      },
    }),
    bad: variants({
      ...badMetadata,
      ...badPodSpecsAt('spec'),
      'other node': { spec: { nodeName: 'not-a-node' } },
      'deadline below zero': { spec: { activeDeadlineSeconds: -5 } },
      'gate on a running pod': { spec: { schedulingGates: [{ name: 'example.com/gate' }] } },
      'other image pulled': { spec: { containers: [{ name: 'main', image: 'other' }] } },
      'unknown priority class': { spec: { priorityClassName: 'not-there' } },
      'priority of its own': { spec: { priority: 7 } },
      'bad os': { spec: { os: { name: 'beos' } } },
    }),
  },
  {
    ...core,
    resource: 'podtemplates',
    kind: 'PodTemplate',
    namespaced: true,
    minimal: { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'min' }, template: { spec: minimalPodSpec } },
    full: {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: fullMetadata('full'),
      template: { metadata: { labels: { app: 'full' }, annotations: { a: 'b' } }, spec: fullPodSpec },
    },
    change: { template: { metadata: { labels: { more: 'yes' } } } },
    bad: variants({
      ...badMetadata,
      ...badPodSpecsAt('template', 'spec'),
      'no template': { template: null },
      'bad template label': { template: { metadata: { labels: { 'a b': 'c' } } } },
    }),
  },
  {
    ...core,
    resource: 'replicationcontrollers',
    kind: 'ReplicationController',
    namespaced: true,
    minimal: {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: 'min' },
      spec: { template: { metadata: { labels: { app: 'min' } }, spec: minimalPodSpec } },
    },
    full: {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: fullMetadata('full'),
      spec: {
        replicas: 2,
        minReadySeconds: 5,
        selector: { app: 'full' },
        template: { metadata: { labels: { app: 'full', other: 'x' }, annotations: { a: 'b' } }, spec: fullPodSpec },
      },
    },
    change: { spec: { replicas: 3, minReadySeconds: 0 } },
    status: {
      status: { replicas: 2, readyReplicas: 1, availableReplicas: 1, fullyLabeledReplicas: 2, observedGeneration: 1 },
    },
    badStatus: variants({
      'below zero': { status: { replicas: -1 } },
      'more ready than there': { status: { replicas: 1, readyReplicas: 2, availableReplicas: 3 } },
    }),
    bad: variants({
      ...badMetadata,
      ...badPodSpecsAt('spec', 'template', 'spec'),
      'replicas below zero': { spec: { replicas: -1 } },
      'seconds below zero': { spec: { minReadySeconds: -1 } },
      'selector of others': { spec: { selector: { app: 'other' } } },
      'no selector': { spec: { selector: { app: null } } },
      'no template': { spec: { template: null } },
    }),
  },
]
