/** Scenarios of ServiceAccount admission: the accounts of pods, their token volumes, pull secrets and secrets. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Act, Scenario } from '../scenario.ts'
import { accounts, deployments, look, pods, rolledOut, until } from '../steps.ts'

const container = { name: 'c', image: 'i:1' }
const path = '/var/run/secrets/kubernetes.io/serviceaccount'

/** A pod with the defaults for its account. */
const pod = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [container], terminationGracePeriodSeconds: 1, ...spec },
})
const account = (name: string, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, ...metadata },
  ...more,
})
const runs = (name: string): Act => until(pods.get(name).path, { 'status.phase': 'Running' })
const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } }
const strict = { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } }
const fromSecret = (name: string): JsonObject => ({ secretRef: { name } })

export const tokenScenarios: readonly Scenario[] = [
  {
    name: 'token-mounted',
    steps: [
      pods.create(pod('a', { initContainers: [{ name: 'i', image: 'i:1' }] })),
      pods.create(pod('b', { volumes: [{ name: 'v', emptyDir: {} }] })),
      runs('a'),
      runs('b'),
    ],
  },
  {
    name: 'token-of-deployment',
    steps: [
      deployments.create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
        },
      }),
      rolledOut('web'),
    ],
  },
  {
    name: 'token-not-mounted',
    steps: [
      accounts.create(account('without', { automountServiceAccountToken: false })),
      pods.create(pod('by-account', { serviceAccountName: 'without' })),
      pods.create(pod('by-pod', { automountServiceAccountToken: false })),
      pods.create(pod('mounted', { serviceAccountName: 'without', automountServiceAccountToken: true })),
      runs('by-account'),
      runs('by-pod'),
      runs('mounted'),
    ],
  },
  {
    name: 'token-mounted-by-user',
    steps: [
      pods.create(
        pod('a', {
          containers: [
            { ...container, volumeMounts: [{ name: 'v', mountPath: path }] },
            { name: 'd', image: 'i:1' },
          ],
          volumes: [{ name: 'v', emptyDir: {} }],
        }),
      ),
      pods.create(pod('b', { volumes: [{ name: 'kube-api-access-mine', emptyDir: {} }] })),
      runs('a'),
      runs('b'),
    ],
  },
  {
    name: 'token-pull-secrets',
    steps: [
      accounts.create(account('pulls', { imagePullSecrets: [{ name: 'p' }, { name: 'q' }] })),
      pods.create(pod('a', { serviceAccountName: 'pulls' })),
      pods.create(pod('b', { serviceAccountName: 'pulls', imagePullSecrets: [{ name: 'own' }] })),
      runs('a'),
      runs('b'),
    ],
  },
  {
    name: 'token-no-account',
    steps: [
      pods.create(pod('a', { serviceAccountName: 'absent' })),
      deployments.create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [container], serviceAccountName: 'late', automountServiceAccountToken: false },
          },
        },
      }),
      until(deployments.get('web').path, { 'status.conditions[ReplicaFailure].status': 'True' }),
      look('failing'),
      accounts.create(account('late')),
      rolledOut('web'),
    ],
    anyNumber: ['FailedCreate'],
  },
  {
    name: 'token-strict-account',
    steps: [
      accounts.create(account('strict', { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }] }, strict)),
      ...[
        { volumes: [{ name: 'v', secret: { secretName: 'other' } }] },
        { initContainers: [{ name: 'i', image: 'i:1', envFrom: [fromSecret('other')] }] },
        {
          containers: [
            { ...container, env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }] },
          ],
        },
        { imagePullSecrets: [{ name: 'other' }] },
        { containers: [{ ...container, envFrom: [fromSecret('s')] }] },
      ].map((spec, i) => pods.create(pod(`p${i}`, { serviceAccountName: 'strict', ...spec }))),
      pods.sub('ephemeralcontainers').strategic('p4', {
        spec: { ephemeralContainers: [{ name: 'e', image: 'i:1', envFrom: [fromSecret('other')] }] },
      }),
    ],
  },
  {
    name: 'token-mirror-pods',
    steps: [
      pods.create(pod('a', { serviceAccountName: 'default' }, mirror)),
      pods.create(pod('b', { imagePullSecrets: [{ name: 's' }] }, mirror)),
      pods.create(
        pod(
          'c',
          { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
          mirror,
        ),
      ),
    ],
  },
]
