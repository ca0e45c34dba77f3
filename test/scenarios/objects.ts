/** The objects of scenarios: small, and without fields that the server would not add itself. */
import type { Json, JsonObject } from '../../src/api/json.ts'

export const byHand = {
  nodeSelector: { 'kubernetes.io/hostname': 'by-hand' },
  tolerations: [{ key: 'by', operator: 'Exists' }],
} satisfies JsonObject

/** A pod spec without a service account token, which would be a volume with a random name. */
export const podSpec = (more: JsonObject = {}): JsonObject => ({
  automountServiceAccountToken: false,
  containers: [{ name: 'c', image: 'i:1' }],
  terminationGracePeriodSeconds: 1,
  ...more,
})

const labels = { app: 'web' }

export const pod = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels, ...metadata },
  spec: podSpec(spec),
})

/** A Deployment, ReplicaSet or DaemonSet `web` whose pods have the label `app: web`. */
export const workload = (
  kind: 'Deployment' | 'ReplicaSet' | 'DaemonSet',
  spec: JsonObject = {},
  template: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'web', ...metadata },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec(template) }, ...spec },
})

export const deployment = (spec: JsonObject = {}, template: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  workload('Deployment', spec, template, metadata)
export const replicaSet = (spec: JsonObject = {}, template: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  workload('ReplicaSet', spec, template, metadata)

export const daemonSet = (spec: JsonObject = {}, template: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  workload('DaemonSet', spec, template, metadata)

export const rolling = (maxSurge: Json, maxUnavailable: Json): JsonObject => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
})

/** A strategic merge patch that changes the image of the pods. */
export const image = (name: string): JsonObject => ({
  spec: { template: { spec: { containers: [{ name: 'c', image: name }] } } },
})

export const service = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', ...metadata },
  spec: { selector: labels, ports: [{ port: 80 }], ...spec },
})

export const object = (
  apiVersion: string,
  kind: string,
  name: string,
  content: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  ...content,
})

export const configMap = (name: string, metadata: JsonObject = {}): JsonObject =>
  object('v1', 'ConfigMap', name, {}, metadata)
