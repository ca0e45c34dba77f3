/** Disruption budgets with evictions, and resource quotas. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Step as Request } from '../../differential/case.ts'
import { byHand, configMap, deployment, object, pod, replicaSet, service } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import {
  budgets,
  configMaps,
  count,
  deployments,
  each,
  look,
  observed,
  podIs,
  pods,
  quotas,
  replicaSets,
  rest,
  rolledOut,
  services,
  until,
} from '../steps.ts'

const budget = (spec: JsonObject): Act =>
  budgets.create(
    object('policy/v1', 'PodDisruptionBudget', 'web', { spec: { selector: { matchLabels: { app: 'web' } }, ...spec } }),
  )
const own = budgets.get('web').path
const evict = (name: string): Request => ({
  method: 'POST',
  path: `${pods.path}/${name}/eviction`,
  body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
})
const allReady = each(pods.path, (name) => [podIs(name, true)])
/** Pods without a controller; an upper-case name is not ready. */
const made = (names: readonly string[]): readonly Act[] => [
  ...names.map((name) => pods.create(pod(name.toLowerCase(), byHand))),
  rest,
  ...names.map((name) => podIs(name.toLowerCase(), name === name.toLowerCase())),
]
const allowed = (disruptions: number): Act => until(own, { 'status.disruptionsAllowed': disruptions })
const quota = (hard: JsonObject, more: JsonObject = {}): Act =>
  quotas.create(object('v1', 'ResourceQuota', 'q', { spec: { hard, ...more } }))
const used = (amounts: Readonly<Record<string, Json>>): Act => ({
  until: quotas.get('q').path,
  says: JSON.stringify(amounts),
  holds: (found) =>
    Object.entries(amounts).every(
      ([name, amount]) =>
        ((found?.['status'] as JsonObject | undefined)?.['used'] as JsonObject | undefined)?.[name] === amount,
    ),
})
const small = (cpu: string): JsonObject => ({
  containers: [{ name: 'c', image: 'i:1', resources: { requests: { cpu, memory: '64Mi' }, limits: { cpu: '1' } } }],
})

export const budgetScenarios: readonly Scenario[] = [
  {
    name: 'budget-min-available',
    steps: [
      ...made(['a', 'b', 'c']),
      budget({ minAvailable: 2 }),
      allowed(1),
      look('one'),
      evict('a'),
      rest,
      evict('b'),
    ],
  },
  {
    name: 'budget-max-unavailable-percent',
    steps: [
      replicaSets.create(replicaSet({ replicas: 4 }, byHand)),
      count(pods.path, 4),
      rest,
      allReady,
      budget({ maxUnavailable: '50%' }),
      allowed(2),
      look('two'),
      each(pods.path, (name) => [evict(name)], 2),
      rest,
    ],
  },
  {
    name: 'budget-of-deployment',
    steps: [
      deployments.create(deployment({ replicas: 3 })),
      rolledOut('web'),
      budget({ maxUnavailable: 1 }),
      allowed(1),
      deployments.merge('web', { spec: { replicas: 5 } }),
      rolledOut('web'),
    ],
  },
  {
    name: 'budget-not-enough',
    steps: [...made(['a', 'B']), budget({ minAvailable: 2 }), observed(own), rest, evict('a'), evict('b')],
  },
  {
    name: 'budget-always-allow',
    steps: [
      ...made(['a', 'B']),
      budget({ minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
      observed(own),
      rest,
      evict('a'),
      evict('b'),
    ],
  },
  {
    name: 'budget-if-healthy',
    steps: [
      ...made(['a', 'b', 'C']),
      budget({ minAvailable: 2, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }),
      observed(own),
      rest,
      evict('c'),
    ],
  },
  {
    name: 'budget-pods-without-controller',
    steps: [...made(['a', 'b']), budget({ maxUnavailable: 1 }), observed(own)],
  },
  { name: 'budget-no-pods', steps: [budget({ minAvailable: 1 }), observed(own)] },
  {
    name: 'budget-two-of-them',
    steps: [
      ...made(['a']),
      budget({ minAvailable: 0 }),
      budgets.create(
        object('policy/v1', 'PodDisruptionBudget', 'too', {
          spec: { minAvailable: 0, selector: { matchLabels: { app: 'web' } } },
        }),
      ),
      observed(own),
      rest,
      evict('a'),
    ],
  },
  {
    name: 'budget-pending-pod',
    early: true,
    steps: [
      pods.create(pod('a', { nodeSelector: { none: 'such' } })),
      budget({ minAvailable: 1 }),
      observed(own),
      rest,
      evict('a'),
    ],
  },
  {
    name: 'budget-changed',
    steps: [
      ...made(['a', 'b', 'c']),
      budget({ minAvailable: 2 }),
      allowed(1),
      budgets.merge('web', { spec: { minAvailable: '100%' } }),
      allowed(0),
    ],
  },
  { name: 'eviction-without-budget', steps: [...made(['a']), evict('a'), evict('missing')] },

  {
    name: 'quota-counts',
    steps: [
      quota({
        pods: '5',
        services: '2',
        configmaps: '3',
        'count/deployments.apps': '1',
        'requests.cpu': '2',
        'limits.cpu': '4',
        'requests.memory': '1Gi',
      }),
      used({ pods: '0' }),
      pods.create(pod('a', small('100m'))),
      pods.create(pod('b', small('250m'))),
      rest,
      services.create(service()),
      configMaps.create(configMap('x')),
      used({ pods: '2', configmaps: '2', 'requests.cpu': '350m' }),
      look('used'),
      pods.delete('a'),
      used({ pods: '1', 'requests.cpu': '250m' }),
    ],
  },
  {
    name: 'quota-refuses',
    steps: [
      quota({ configmaps: '2' }),
      used({ configmaps: '1' }),
      configMaps.create(configMap('x')),
      configMaps.create(configMap('y')),
      configMaps.delete('x'),
      used({ configmaps: '1' }),
      configMaps.create(configMap('z')),
      used({ configmaps: '2' }),
    ],
  },
  {
    name: 'quota-of-scope',
    steps: [
      quota({ pods: '3' }, { scopes: ['BestEffort'] }),
      used({ pods: '0' }),
      pods.create(pod('a')),
      pods.create(pod('b', small('1'))),
      used({ pods: '1' }),
    ],
  },
  {
    name: 'quota-later',
    steps: [
      configMaps.create(configMap('x')),
      pods.create(pod('a')),
      until(pods.get('a').path, { 'status.phase': 'Running' }),
      quota({ pods: '1', configmaps: '10' }),
      used({ pods: '1', configmaps: '2' }),
      quotas.merge('q', { spec: { hard: { pods: '3', configmaps: null, services: '1' } } }),
      used({ pods: '1', services: '0' }),
    ],
  },
]
