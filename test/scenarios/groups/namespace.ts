/** Deleted namespaces, and the objects that every namespace has. */
import { define, thing, thingDefinition, things } from '../../differential/steps.ts'
import { byHand, configMap, deployment, pod, service } from '../objects.ts'
import type { Scenario } from '../scenario.ts'
import {
  accounts,
  configMaps,
  count,
  deployments,
  exists,
  gone,
  look,
  namespaces,
  podEnds,
  podIs,
  pods,
  rest,
  rolledOut,
  services,
  until,
} from '../steps.ts'

const own = namespaces.get('{{ns}}').path
const condition = (type: string, status: string): ReturnType<typeof until> =>
  until(own, { [`status.conditions[${type}].status`]: status })

export const namespaceScenarios: readonly Scenario[] = [
  {
    name: 'namespace-with-content',
    steps: [
      deployments.create(deployment({ replicas: 2 })),
      rolledOut('web'),
      services.create(service()),
      configMaps.create(configMap('a')),
      rest,
      namespaces.delete('{{ns}}'),
      gone(own),
    ],
  },
  { name: 'namespace-empty', steps: [namespaces.delete('{{ns}}'), gone(own)] },
  {
    name: 'namespace-finalizers',
    steps: [
      configMaps.create(configMap('a', { finalizers: ['example.com/keep'] })),
      configMaps.create(configMap('b', { finalizers: ['example.com/keep', 'example.com/other'] })),
      configMaps.create(configMap('c')),
      namespaces.delete('{{ns}}'),
      condition('NamespaceFinalizersRemaining', 'True'),
      look('waiting'),
      configMaps.merge('a', { metadata: { finalizers: null } }),
      configMaps.merge('b', { metadata: { finalizers: null } }),
      gone(own),
    ],
  },
  {
    name: 'namespace-pods-end-first',
    steps: [
      pods.create(pod('a', { ...byHand, terminationGracePeriodSeconds: 8 })),
      configMaps.create(configMap('b')),
      rest,
      podIs('a', true),
      namespaces.delete('{{ns}}'),
      condition('NamespaceDeletionDiscoveryFailure', 'False'),
      look('waiting'),
      podEnds('a'),
      gone(own),
    ],
  },
  {
    name: 'namespace-refuses',
    steps: [
      configMaps.create(configMap('a', { finalizers: ['example.com/keep'] })),
      namespaces.delete('{{ns}}'),
      condition('NamespaceFinalizersRemaining', 'True'),
      configMaps.create(configMap('late')),
      deployments.create(deployment()),
      look('waiting'),
      configMaps.merge('a', { metadata: { finalizers: null } }),
      gone(own),
    ],
  },
  {
    name: 'namespace-custom-resources',
    steps: [
      define(thingDefinition({ spec: { type: 'object' } })),
      { until: things.path, says: 'served', holds: (found) => found !== null },
      things.create(thing('a', {}, { finalizers: ['example.com/keep'] })),
      things.create(thing('b')),
      namespaces.delete('{{ns}}'),
      condition('NamespaceFinalizersRemaining', 'True'),
      look('waiting'),
      things.merge('a', { metadata: { finalizers: null } }),
      gone(own),
    ],
  },
  { name: 'account-deleted', steps: [accounts.delete('default'), exists(accounts.get('default').path)] },
  {
    name: 'account-own',
    steps: [
      accounts.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'mine' } }),
      pods.create(pod('a', { serviceAccountName: 'mine' })),
      until(pods.get('a').path, { 'status.phase': 'Running' }),
    ],
  },
  {
    name: 'root-ca-deleted',
    steps: [
      exists(configMaps.get('kube-root-ca.crt').path),
      configMaps.delete('kube-root-ca.crt'),
      exists(configMaps.get('kube-root-ca.crt').path),
    ],
  },
  {
    name: 'root-ca-changed',
    steps: [
      exists(configMaps.get('kube-root-ca.crt').path),
      configMaps.merge('kube-root-ca.crt', {
        data: { 'ca.crt': 'mine', more: 'x' },
        metadata: { labels: { mine: 'too' } },
      }),
      {
        until: configMaps.get('kube-root-ca.crt').path,
        says: 'restored',
        holds: (found) => JSON.stringify(found?.['data'] ?? null).includes('CERTIFICATE'),
      },
      count(configMaps.path, 1),
    ],
  },
]
