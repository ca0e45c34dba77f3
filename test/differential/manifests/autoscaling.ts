/** autoscaling/v1 and v2: one kind in two versions. */
import { badMetadata, fullMetadata, variants, type KindManifests } from './manifest.ts'

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }

export const autoscalingManifests: readonly KindManifests[] = [
  {
    group: 'autoscaling',
    version: 'v2',
    resource: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    namespaced: true,
    minimal: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'min-v2' },
      spec: { scaleTargetRef: target, maxReplicas: 3 },
    },
    full: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: fullMetadata('full-v2'),
      spec: {
        scaleTargetRef: target,
        minReplicas: 2,
        maxReplicas: 10,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          {
            type: 'ContainerResource',
            containerResource: {
              name: 'memory',
              container: 'c',
              target: { type: 'AverageValue', averageValue: '100Mi' },
            },
          },
          {
            type: 'Pods',
            pods: {
              metric: { name: 'rps', selector: { matchLabels: { a: 'b' } } },
              target: { type: 'AverageValue', averageValue: '1k' },
            },
          },
          {
            type: 'Object',
            object: {
              metric: { name: 'queue' },
              describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
              target: { type: 'Value', value: '30' },
            },
          },
          {
            type: 'External',
            external: { metric: { name: 'lag' }, target: { type: 'AverageValue', averageValue: '5' } },
          },
        ],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 10,
            selectPolicy: 'Max',
            policies: [
              { type: 'Pods', value: 4, periodSeconds: 60 },
              { type: 'Percent', value: 100, periodSeconds: 15 },
            ],
          },
          scaleDown: {
            stabilizationWindowSeconds: 300,
            selectPolicy: 'Disabled',
            policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }],
          },
        },
      },
    },
    change: { spec: { maxReplicas: 12 } },
    status: {
      status: {
        observedGeneration: 1,
        currentReplicas: 2,
        desiredReplicas: 3,
        lastScaleTime: '2026-01-02T03:04:05Z',
        currentMetrics: [
          { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40, averageValue: '200m' } } },
          { type: 'External', external: { metric: { name: 'lag' }, current: { value: '3' } } },
        ],
        conditions: [
          {
            type: 'AbleToScale',
            status: 'True',
            reason: 'R',
            message: 'm',
            lastTransitionTime: '2026-01-02T03:04:05Z',
          },
        ],
      },
    },
    badStatus: variants({ 'below zero': { status: { currentReplicas: -1, desiredReplicas: -2 } } }),
    bad: variants({
      ...badMetadata,
      'max below min': { spec: { maxReplicas: 1 } },
      'max zero': { spec: { maxReplicas: 0 } },
      'min zero': { spec: { minReplicas: 0 } },
      'no target': { spec: { scaleTargetRef: { kind: '', name: '' } } },
      'bad target': { spec: { scaleTargetRef: { kind: 'a/b', name: 'c/d' } } },
      'unknown metric type': { spec: { metrics: [{ type: 'Odd' }] } },
      'metric without source': { spec: { metrics: [{ type: 'Pods' }] } },
      'two targets': {
        spec: {
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 1, averageValue: '1' } },
            },
          ],
        },
      },
      'no target value': {
        spec: { metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }] },
      },
      'bad policy': { spec: { behavior: { scaleUp: { policies: [{ type: 'Odd', value: 0, periodSeconds: 1801 }] } } } },
      'window too long': { spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 3601 } } } },
      'unknown select': { spec: { behavior: { scaleUp: { selectPolicy: 'Some' } } } },
    }),
  },
  {
    group: 'autoscaling',
    version: 'v1',
    resource: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    namespaced: true,
    minimal: {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'min-v1' },
      spec: { scaleTargetRef: target, maxReplicas: 3 },
    },
    full: {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: fullMetadata('full-v1'),
      spec: { scaleTargetRef: target, minReplicas: 2, maxReplicas: 10, targetCPUUtilizationPercentage: 60 },
    },
    change: { spec: { maxReplicas: 12, targetCPUUtilizationPercentage: 70 } },
    status: {
      status: {
        observedGeneration: 1,
        currentReplicas: 2,
        desiredReplicas: 3,
        currentCPUUtilizationPercentage: 55,
        lastScaleTime: '2026-01-02T03:04:05Z',
      },
    },
    badStatus: variants({ 'below zero': { status: { currentReplicas: -1, desiredReplicas: -2 } } }),
    bad: variants({
      ...badMetadata,
      'max below min': { spec: { maxReplicas: 1 } },
      'max zero': { spec: { maxReplicas: 0 } },
      'min zero': { spec: { minReplicas: 0 } },
      'no target': { spec: { scaleTargetRef: { kind: '', name: '' } } },
      'bad target': { spec: { scaleTargetRef: { kind: 'a/b', name: 'c/d' } } },
      'percentage zero': { spec: { targetCPUUtilizationPercentage: 0 } },
      'bad metrics annotation': {
        metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': 'not json' } },
      },
      'max text': { spec: { maxReplicas: 'x' } },
    }),
  },
]
