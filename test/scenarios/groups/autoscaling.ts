/**
 * Autoscalers. The reference cluster serves no metrics, as most new clusters: covers the resulting conditions, and
 * everything that needs no metrics.
 */
import type { JsonObject } from '../../../src/api/json.ts'
import { resource } from '../../differential/steps.ts'
import { deployment, object } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import { deployments, replicaSets, rest, rolledOut, until } from '../steps.ts'

const autoscalers = resource('horizontalpodautoscalers', 'autoscaling/v2')

const target = (kind: string, name: string, apiVersion = 'apps/v1'): JsonObject => ({
  scaleTargetRef: { apiVersion, kind, name },
})
const cpu = (averageUtilization: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})
const memory = (averageValue: string): JsonObject => ({
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue } },
})
const external: JsonObject = {
  type: 'External',
  external: { metric: { name: 'lag' }, target: { type: 'Value', value: '5' } },
}
const external2: JsonObject = {
  type: 'External',
  external: {
    metric: { name: 'lag', selector: { matchLabels: { queue: 'a' } } },
    target: { type: 'AverageValue', averageValue: '5' },
  },
}
const scaler = (spec: JsonObject = {}): JsonObject =>
  object('autoscaling/v2', 'HorizontalPodAutoscaler', 'web', {
    spec: { ...target('Deployment', 'web'), minReplicas: 2, maxReplicas: 4, metrics: [cpu(50)], ...spec },
  })

const requests: JsonObject = {
  containers: [{ name: 'c', image: 'i:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } }],
}
const web = (replicas: number): readonly Act[] => [
  deployments.create(deployment({ replicas }, requests)),
  rolledOut('web'),
]
const says = (type: string, reason: string): Act =>
  until(autoscalers.get('web').path, { [`status.conditions[${type}].reason`]: reason })
const scaled = (replicas: number): readonly Act[] => [
  until(deployments.get('web').path, { 'spec.replicas': replicas }),
  rolledOut('web'),
]

export const autoscalingScenarios: readonly Scenario[] = (
  [
    {
      name: 'autoscale-without-metrics',
      steps: [...web(3), autoscalers.create(scaler()), says('ScalingActive', 'FailedGetResourceMetric')],
    },
    {
      name: 'autoscale-without-any-metric',
      steps: [
        ...web(3),
        autoscalers.create(scaler({ metrics: [external, cpu(50)] })),
        says('ScalingActive', 'FailedGetExternalMetric'),
      ],
    },
    {
      name: 'autoscale-without-external',
      steps: [
        ...web(3),
        autoscalers.create(scaler({ metrics: [external2] })),
        says('ScalingActive', 'FailedGetExternalMetric'),
      ],
    },
    {
      name: 'autoscale-too-few',
      steps: [
        ...web(1),
        autoscalers.create(scaler({ metrics: [memory('10Mi')] })),
        ...scaled(2),
        says('ScalingActive', 'FailedGetResourceMetric'),
      ],
    },
    {
      name: 'autoscale-too-many',
      steps: [...web(6), autoscalers.create(scaler()), ...scaled(4), says('ScalingActive', 'FailedGetResourceMetric')],
    },
    {
      name: 'autoscale-none',
      steps: [
        ...web(2),
        deployments.merge('web', { spec: { replicas: 0 } }),
        rolledOut('web'),
        rest,
        autoscalers.create(scaler()),
        says('ScalingActive', 'ScalingDisabled'),
      ],
    },
    { name: 'autoscale-no-target', steps: [autoscalers.create(scaler()), says('AbleToScale', 'FailedGetScale')] },
    {
      name: 'autoscale-no-such-kind',
      steps: [
        autoscalers.create(scaler(target('Nothing', 'web', 'example.com/v1'))),
        says('AbleToScale', 'FailedGetScale'),
      ],
    },
    {
      name: 'autoscale-replica-set',
      steps: [
        replicaSets.create({ ...deployment({ replicas: 1 }, requests), kind: 'ReplicaSet' }),
        until(replicaSets.get('web').path, { 'status.availableReplicas': 1 }),
        autoscalers.create(scaler(target('ReplicaSet', 'web'))),
        until(replicaSets.get('web').path, { 'status.availableReplicas': 2 }),
        says('ScalingActive', 'FailedGetResourceMetric'),
      ],
    },
  ] satisfies readonly Scenario[]
).map((scenario) => ({
  also: [autoscalers.path],
  anyNumber: ['FailedGetResourceMetric', 'FailedGetExternalMetric', 'FailedComputeMetricsReplicas', 'FailedGetScale'],
  ...scenario,
}))
