/** policy/v1. */
import { badMetadata, fullMetadata, variants, type KindManifests } from './manifest.ts'

export const policyManifests: readonly KindManifests[] = [
  {
    group: 'policy',
    version: 'v1',
    resource: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    namespaced: true,
    minimal: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'min' } },
    full: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: fullMetadata('full'),
      spec: {
        maxUnavailable: '30%',
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] },
      },
    },
    change: { spec: { maxUnavailable: 2, selector: { matchLabels: { app: 'api' } } } },
    status: {
      status: {
        observedGeneration: 1,
        disruptionsAllowed: 1,
        currentHealthy: 3,
        desiredHealthy: 2,
        expectedPods: 3,
        disruptedPods: { p: '2026-01-02T03:04:05Z' },
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'True',
            reason: 'SufficientPods',
            message: '',
            lastTransitionTime: '2026-01-02T03:04:05Z',
            observedGeneration: 1,
          },
        ],
      },
    },
    badStatus: variants({
      'below zero': { status: { disruptionsAllowed: -1, currentHealthy: -1, desiredHealthy: -1, expectedPods: -1 } },
      'bad condition': {
        status: { conditions: [{ type: 'A b', status: 'Odd', reason: '', message: '', lastTransitionTime: null }] },
      },
    }),
    bad: variants({
      ...badMetadata,
      'both bounds': { spec: { minAvailable: 1 } },
      'percentage too high': { spec: { maxUnavailable: '101%' } },
      'no percentage': { spec: { maxUnavailable: 'some' } },
      'below zero': { spec: { maxUnavailable: -1 } },
      'min below zero': { spec: { maxUnavailable: null, minAvailable: -1 } },
      'bad selector': { spec: { selector: { matchLabels: { 'a b': 'c' } } } },
      'unknown operator': { spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } } },
      'unknown policy': { spec: { unhealthyPodEvictionPolicy: 'Odd' } },
    }),
  },
]
