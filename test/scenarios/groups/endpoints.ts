/** EndpointSlices and Endpoints: the pods behind a Service. The pods are on the node by-hand, with given addresses. */
import type { JsonObject } from '../../../src/api/json.ts'
import { byHand, deployment, object, pod, replicaSet, service } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import {
  count,
  deployments,
  each,
  endpoints,
  endpointSlices,
  gone,
  podIs,
  pods,
  replicaSets,
  rest,
  rolledOut,
  services,
  until,
  look,
  podEnds,
  exists,
} from '../steps.ts'

const webSlices = `${endpointSlices.path}?labelSelector=kubernetes.io/service-name=web`

/** Pods `a`, `b`, … with the addresses 10.9.0.1, 10.9.0.2, …; an upper-case name is not ready. */
function made(names: readonly string[], spec: JsonObject = {}): readonly Act[] {
  return [
    ...names.map((name) => pods.create(pod(name.toLowerCase(), { ...byHand, ...spec }))),
    rest,
    ...names.map((name, index) => podIs(name.toLowerCase(), name === name.toLowerCase(), `10.9.0.${index + 1}`)),
    rest,
  ]
}

const port = (name: string, number: number): JsonObject => ({
  containers: [{ name: 'c', image: 'i:1', ports: [{ name, containerPort: number }] }],
})

/**
 * For upstream, missing ports differ from an empty list, so it recreates the slice in every sync, then without the
 * time.
 */
const recreatedWithoutPorts = ['endpoints.kubernetes.io/last-change-trigger-time']

export const endpointScenarios: readonly Scenario[] = [
  {
    name: 'endpoints-of-deployment',
    steps: [services.create(service()), deployments.create(deployment({ replicas: 2 })), rolledOut('web')],
  },
  {
    name: 'endpoints-ready-or-not',
    steps: [...made(['a', 'B']), services.create(service()), rest, look('one'), podIs('b', true), rest],
  },
  { name: 'endpoints-no-pods', steps: [services.create(service())] },
  {
    name: 'endpoints-named-ports',
    steps: [
      ...made(['a'], port('http', 8080)),
      pods.create(pod('b', { ...byHand, ...port('http', 9090) })),
      rest,
      podIs('b', true, '10.9.0.9'),
      rest,
      services.create(
        service({
          ports: [
            { name: 'web', port: 80, targetPort: 'http' },
            { name: 'fixed', port: 81, targetPort: 7000, protocol: 'UDP', appProtocol: 'example.com/x' },
          ],
        }),
      ),
    ],
  },
  {
    name: 'endpoints-missing-port-name',
    steps: [
      ...made(['a'], port('http', 8080)),
      services.create(service({ ports: [{ port: 80, targetPort: 'grpc' }] })),
    ],
    byChance: recreatedWithoutPorts,
  },
  {
    name: 'endpoints-headless',
    steps: [
      ...made(['a', 'b'], { hostname: 'h', subdomain: 'web' }),
      services.create(service({ clusterIP: 'None' })),
      rest,
    ],
  },
  {
    name: 'endpoints-headless-without-ports',
    steps: [...made(['a', 'B']), services.create(service({ clusterIP: 'None', ports: null }))],
    byChance: recreatedWithoutPorts,
  },
  {
    name: 'endpoints-publish-not-ready',
    steps: [...made(['a', 'B']), services.create(service({ publishNotReadyAddresses: true }))],
  },
  {
    name: 'endpoints-selector-changed',
    steps: [
      ...made(['a']),
      pods.create(pod('x', byHand, { labels: { app: 'other' } })),
      rest,
      podIs('x', true, '10.9.0.9'),
      rest,
      services.create(service()),
      rest,
      services.merge('web', { spec: { selector: { app: 'other' } } }),
      rest,
      look('other'),
      services.merge('web', { spec: { selector: { app: 'nobody' } } }),
    ],
  },
  {
    name: 'endpoints-selector-removed',
    steps: [...made(['a']), services.create(service()), rest, services.merge('web', { spec: { selector: null } })],
  },
  {
    name: 'endpoints-labels',
    steps: [
      ...made(['a']),
      services.create(service({}, { labels: { team: 'x' } })),
      rest,
      services.merge('web', { metadata: { labels: { team: 'y', more: 'z' } } }),
      rest,
    ],
  },
  {
    name: 'endpoints-port-changed',
    steps: [
      ...made(['a']),
      services.create(service()),
      rest,
      services.merge('web', { spec: { ports: [{ port: 80, targetPort: 8080, name: 'http' }] } }),
      rest,
    ],
  },
  {
    name: 'endpoints-terminating',
    steps: [
      ...made(['a', 'b']),
      services.create(service()),
      rest,
      pods.delete('a', 'gracePeriodSeconds=300'),
      rest,
      look('ending'),
      podEnds('a'),
      rest,
    ],
  },
  {
    name: 'endpoints-finished-pod',
    steps: [
      ...made(['a', 'b']),
      services.create(service()),
      rest,
      pods.sub('status').strategic('a', {
        status: {
          phase: 'Succeeded',
          conditions: [{ type: 'Ready', status: 'False', reason: 'PodCompleted', lastTransitionTime: '{{now}}' }],
        },
      }),
      rest,
    ],
  },
  {
    name: 'endpoints-service-deleted',
    steps: [
      ...made(['a']),
      services.create(service()),
      rest,
      services.delete('web'),
      count(webSlices, 0),
      gone(endpoints.get('web').path),
    ],
  },
  {
    name: 'endpoints-slice-deleted',
    steps: [
      ...made(['a']),
      services.create(service()),
      rest,
      endpointSlices.deleteAll('labelSelector=kubernetes.io/service-name=web'),
      count(webSlices, 1),
      rest,
      endpoints.delete('web'),
      exists(endpoints.get('web').path),
    ],
  },
  {
    name: 'endpoints-more-than-a-slice',
    steps: [
      replicaSets.create(replicaSet({ replicas: 130 }, byHand)),
      count(pods.path, 130, { 'spec.nodeName': 'by-hand' }),
      each(pods.path, (name, _pod, index) => [podIs(name, true, `10.9.1.${index + 1}`)]),
      until(replicaSets.get('web').path, { 'status.availableReplicas': 130 }),
      rest,
      services.create(service()),
      count(webSlices, 2),
    ],
    anyNumber: ['SuccessfulCreate'],
  },
  {
    name: 'endpoints-by-user',
    steps: [
      services.create(service({ selector: null })),
      endpoints.create(
        object('v1', 'Endpoints', 'web', {
          subsets: [
            { addresses: [{ ip: '10.9.1.1' }], notReadyAddresses: [{ ip: '10.9.1.2' }], ports: [{ port: 80 }] },
          ],
        }),
      ),
      count(webSlices, 1),
    ],
  },
  {
    name: 'endpoints-external-name',
    steps: [
      ...made(['a']),
      services.create(service({ type: 'ExternalName', externalName: 'example.com', ports: null })),
    ],
  },
]
