/** Minimal bodies for many cases. */
import type { Json, JsonObject } from '../../src/api/json.ts'
import { thingDefinition } from './steps.ts'

export const configMap = (name: string, data: JsonObject = { a: '1' }, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

/** Without a node, so that only requests change it. */
export const pod = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i:1' }], ...spec },
})

export const service = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, ...metadata },
  spec: { ports: [{ port: 80 }], ...spec },
})

const template = (spec: JsonObject): JsonObject => ({
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'i:1' }], ...spec },
})

/** A Deployment, ReplicaSet, StatefulSet or DaemonSet with `podSpec` in its template. */
export const workload = (
  kind: string,
  name: string,
  spec: JsonObject = {},
  podSpec: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, ...metadata },
  spec: { selector: { matchLabels: { app: 'x' } }, template: template(podSpec), ...spec },
})

export const deployment = (
  name: string,
  spec: JsonObject = {},
  podSpec: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => {
  return workload('Deployment', name, spec, podSpec, metadata)
}

export const controller = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name },
  spec: { selector: { app: 'x' }, template: template({}), ...spec },
})

export const job = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, ...metadata },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i:1' }] } }, ...spec },
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

/** A CRD with many features: defaults, sets, list maps, free-form objects, status and scale. */
export const richThing = (more: JsonObject = {}): JsonObject =>
  thingDefinition(
    {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'string' },
          count: { type: 'integer', minimum: 0 },
          level: { type: 'integer', default: 2 },
          tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          ports: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['port', 'protocol'],
            items: {
              type: 'object',
              required: ['port'],
              properties: {
                port: { type: 'integer' },
                protocol: { type: 'string', default: 'TCP' },
                name: { type: 'string' },
              },
            },
          },
          steps: {
            type: 'array',
            items: { type: 'object', properties: { run: { type: 'string' }, as: { type: 'string' } } },
          },
          whole: {
            type: 'object',
            'x-kubernetes-map-type': 'atomic',
            properties: { a: { type: 'string' }, b: { type: 'string' } },
          },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          either: { 'x-kubernetes-int-or-string': true },
        },
      },
      status: {
        type: 'object',
        properties: { replicas: { type: 'integer' }, selector: { type: 'string' }, phase: { type: 'string' } },
      },
    },
    {
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.count',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
      ...more,
    },
  )

/** A query string: `a=b&c=d` with escaped values. */
export const query = (values: Readonly<Record<string, string | number | boolean>>): string => {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    .join('&')
}

/** The body as text, for requests with other content types or other spellings. */
export const text = (value: Json): string => JSON.stringify(value)
