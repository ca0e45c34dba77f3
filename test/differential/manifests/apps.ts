/** apps/v1. */
import type { JsonObject } from '../../../src/api/json.ts'
import { badMetadata, fullMetadata, variants, type KindManifests } from './manifest.ts'
import { badPodSpecsAt, fullPodSpec, minimalPodSpec } from './pod-specs.ts'

const apps = { group: 'apps', version: 'v1' } as const

const minimalSpec: JsonObject = {
  selector: { matchLabels: { app: 'min' } },
  template: { metadata: { labels: { app: 'min' } }, spec: minimalPodSpec },
}
const fullTemplate: JsonObject = {
  metadata: { labels: { app: 'full', other: 'x' }, annotations: { a: 'b' } },
  spec: fullPodSpec,
}
const fullSelector: JsonObject = {
  matchLabels: { app: 'full' },
  matchExpressions: [{ key: 'other', operator: 'In', values: ['x', 'y'] }],
}

const badWorkload: Readonly<Record<string, JsonObject>> = {
  ...badMetadata,
  'no selector': { spec: { selector: null } },
  'empty selector': { spec: { selector: { matchLabels: null, matchExpressions: null } } },
  'selector of others': { spec: { selector: { matchLabels: { app: 'other' } } } },
  'bad selector': { spec: { selector: { matchExpressions: [{ key: 'other', operator: 'Near' }] } } },
  'no template': { spec: { template: null } },
  'restart never': { spec: { template: { spec: { restartPolicy: 'Never' } } } },
  'seconds below zero': { spec: { minReadySeconds: -1 } },
  ...badPodSpecsAt('spec', 'template', 'spec'),
}

const condition = (type: string): JsonObject => ({
  type,
  status: 'True',
  reason: 'R',
  message: 'm',
  lastTransitionTime: '2026-01-02T03:04:05Z',
})

export const appsManifests: readonly KindManifests[] = [
  {
    ...apps,
    resource: 'deployments',
    kind: 'Deployment',
    namespaced: true,
    minimal: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'min' }, spec: minimalSpec },
    full: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: fullMetadata('full'),
      spec: {
        replicas: 3,
        minReadySeconds: 5,
        revisionHistoryLimit: 3,
        progressDeadlineSeconds: 100,
        paused: true,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%', maxUnavailable: 1 } },
        selector: fullSelector,
        template: fullTemplate,
      },
    },
    change: { spec: { replicas: 5, paused: null, template: { metadata: { labels: { version: '2' } } } } },
    status: {
      status: {
        observedGeneration: 1,
        replicas: 3,
        updatedReplicas: 3,
        readyReplicas: 2,
        availableReplicas: 2,
        unavailableReplicas: 1,
        conditions: [condition('Available')],
        collisionCount: 1,
      },
    },
    badStatus: variants({
      'below zero': { status: { replicas: -1 } },
      'more ready than there': { status: { replicas: 1, readyReplicas: 2 } },
      'more available than ready': { status: { replicas: 3, readyReplicas: 1, availableReplicas: 2 } },
    }),
    bad: variants({
      ...badWorkload,
      'replicas below zero': { spec: { replicas: -1 } },
      'deadline below ready time': { spec: { progressDeadlineSeconds: 5 } },
      'history below zero': { spec: { revisionHistoryLimit: -1 } },
      'unknown strategy': { spec: { strategy: { type: 'Blue' } } },
      'recreate with rolling update': { spec: { strategy: { type: 'Recreate' } } },
      'nothing may be unavailable': { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
      'surge no percentage': { spec: { strategy: { rollingUpdate: { maxSurge: '50', maxUnavailable: '101%' } } } },
    }),
  },
  {
    ...apps,
    resource: 'replicasets',
    kind: 'ReplicaSet',
    namespaced: true,
    minimal: { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'min' }, spec: minimalSpec },
    full: {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: fullMetadata('full'),
      spec: { replicas: 2, minReadySeconds: 3, selector: fullSelector, template: fullTemplate },
    },
    change: { spec: { replicas: 0 } },
    status: {
      status: {
        observedGeneration: 1,
        replicas: 2,
        fullyLabeledReplicas: 2,
        readyReplicas: 1,
        availableReplicas: 1,
        conditions: [condition('ReplicaFailure')],
      },
    },
    badStatus: variants({
      'below zero': { status: { replicas: -1 } },
      'more ready than there': { status: { replicas: 1, readyReplicas: 2 } },
    }),
    bad: variants({ ...badWorkload, 'replicas below zero': { spec: { replicas: -1 } } }),
  },
  {
    ...apps,
    resource: 'statefulsets',
    kind: 'StatefulSet',
    namespaced: true,
    minimal: {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'min' },
      spec: { ...minimalSpec, serviceName: 'svc' },
    },
    full: {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: fullMetadata('full'),
      spec: {
        replicas: 2,
        serviceName: 'svc',
        podManagementPolicy: 'Parallel',
        revisionHistoryLimit: 4,
        minReadySeconds: 2,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
        ordinals: { start: 3 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
        selector: fullSelector,
        template: fullTemplate,
        volumeClaimTemplates: [
          {
            metadata: { name: 'data', labels: { a: 'b' } },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
    change: { spec: { replicas: 4, updateStrategy: { rollingUpdate: { partition: 0 } } } },
    status: {
      status: {
        observedGeneration: 1,
        replicas: 2,
        readyReplicas: 1,
        currentReplicas: 2,
        updatedReplicas: 1,
        availableReplicas: 1,
        currentRevision: 'a',
        updateRevision: 'b',
        collisionCount: 0,
      },
    },
    badStatus: variants({
      'below zero': { status: { replicas: -1 } },
      'more ready than there': { status: { replicas: 1, readyReplicas: 2 } },
      'collisions below zero': { status: { collisionCount: -1 } },
    }),
    bad: variants({
      ...badWorkload,
      'replicas below zero': { spec: { replicas: -1 } },
      'other service': { spec: { serviceName: 'other' } },
      'unknown policy': { spec: { podManagementPolicy: 'Odd' } },
      'partition below zero': { spec: { updateStrategy: { rollingUpdate: { partition: -1 } } } },
      'on delete with partition': { spec: { updateStrategy: { type: 'OnDelete' } } },
      'unknown retention': { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Keep' } } },
      'ordinals below zero': { spec: { ordinals: { start: -1 } } },
      'other claims': { spec: { volumeClaimTemplates: [] } },
    }),
  },
  {
    ...apps,
    resource: 'daemonsets',
    kind: 'DaemonSet',
    namespaced: true,
    minimal: { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'min' }, spec: minimalSpec },
    full: {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: fullMetadata('full'),
      spec: {
        minReadySeconds: 3,
        revisionHistoryLimit: 2,
        selector: fullSelector,
        template: fullTemplate,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '20%' } },
      },
    },
    change: { spec: { minReadySeconds: 4, template: { metadata: { labels: { version: '2' } } } } },
    status: {
      status: {
        currentNumberScheduled: 1,
        numberMisscheduled: 0,
        desiredNumberScheduled: 2,
        numberReady: 1,
        observedGeneration: 1,
        updatedNumberScheduled: 1,
        numberAvailable: 1,
        numberUnavailable: 1,
      },
    },
    badStatus: variants({ 'below zero': { status: { numberReady: -1, currentNumberScheduled: -2 } } }),
    bad: variants({
      ...badWorkload,
      'history below zero': { spec: { revisionHistoryLimit: -1 } },
      'nothing may be unavailable': { spec: { updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
      'surge and unavailable': { spec: { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } } },
      'unknown strategy': { spec: { updateStrategy: { type: 'Odd' } } },
    }),
  },
  {
    ...apps,
    resource: 'controllerrevisions',
    kind: 'ControllerRevision',
    namespaced: true,
    minimal: { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'min' }, revision: 1, data: {} },
    full: {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: fullMetadata('full'),
      revision: 7,
      data: { apiVersion: 'v1', kind: 'Thing', spec: { a: [1, 2.5, null, true], b: { c: 'd' } } },
    },
    change: { revision: 8 },
    bad: variants({
      ...badMetadata,
      'revision below zero': { revision: -1 },
      'no data': { data: null },
      'other data': { data: { spec: { b: { c: 'e' } } } },
      'revision text': { revision: 'x' },
      'data text': { data: 'x' },
    }),
  },
]
