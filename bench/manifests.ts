/**
 * The objects that a run writes. Slots of `template.ts` mark what differs. They are small, as most real objects are.
 */
import type { Json } from '../src/api/json.ts'
import { objectSlot, sequenceSlot } from './template.ts'

export const namespace = 'coxswain-bench'

export interface Kind {
  readonly apiVersion: string
  readonly kind: string
  /** `/api/v1/namespaces/NAMESPACE/configmaps` */
  readonly collection: string
  /** The CustomResourceDefinition of a custom resource. */
  readonly definition?: Json
  /** Everything except type and metadata. `value` is a text that writes may change. */
  fields(value: string): { [field: string]: Json }
}

/** The kind for reads, patches, applies and lists. It has a status. */
export interface PatchedKind extends Kind {
  mergePatch(value: string): Json
  statusPatch(value: string): Json
}

export const collection = (apiVersion: string, plural: string): string =>
  `${apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`}/namespaces/${namespace}/${plural}`

const podSpec: Json = {
  containers: [
    {
      name: 'web',
      image: 'nginx:1.27',
      ports: [{ containerPort: 80, name: 'http' }],
      env: [{ name: 'LOG_LEVEL', value: 'info' }],
      resources: { requests: { cpu: '100m', memory: '64Mi' } },
    },
  ],
}

export const configMap: Kind = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  collection: collection('v1', 'configmaps'),
  fields: (value) => ({ data: { 'app.properties': 'color=blue\nlevel=info\n', value } }),
}

export const pod: Kind = {
  apiVersion: 'v1',
  kind: 'Pod',
  collection: collection('v1', 'pods'),
  fields: () => ({ spec: podSpec }),
}

export const deployment: PatchedKind = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  collection: collection('apps/v1', 'deployments'),
  fields: (value) => ({
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' }, annotations: { value } }, spec: podSpec },
    },
  }),
  mergePatch: (value) => ({ spec: { template: { metadata: { annotations: { value } } } } }),
  statusPatch: (value) => ({
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Bench', message: value }] },
  }),
}

export interface DefinitionFacts {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly spec: Json
}

/** A CustomResourceDefinition with one version, v1, and a small status. */
export function definition({ group, kind, plural, spec }: DefinitionFacts): Json {
  const status = { type: 'object', properties: { phase: { type: 'string' }, value: { type: 'string' } } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        },
      ],
    },
  }
}

export const customGroup = 'bench.coxswain.dev'

export const widgetSpec: Json = {
  type: 'object',
  properties: {
    color: { type: 'string', enum: ['red', 'blue'] },
    value: { type: 'string', maxLength: 100 },
    replicas: { type: 'integer', minimum: 0, default: 1 },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, name: { type: 'string' } },
      },
    },
  },
}

export const widget: PatchedKind = {
  apiVersion: `${customGroup}/v1`,
  kind: 'Widget',
  collection: collection(`${customGroup}/v1`, 'widgets'),
  definition: definition({ group: customGroup, kind: 'Widget', plural: 'widgets', spec: widgetSpec }),
  fields: (value) => ({ spec: { color: 'blue', value, ports: [{ port: 80, name: 'http' }] } }),
  mergePatch: (value) => ({ spec: { value } }),
  statusPatch: (value) => ({ status: { phase: 'Running', value } }),
}

/** An object as JSON text. Its name ends with the number of the object, its value with that of the request. */
export function manifest(kind: Kind, prefix: string): string {
  return JSON.stringify({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name: `${prefix}-${objectSlot}`, namespace, labels: { app: 'web' } },
    ...kind.fields(`v-${sequenceSlot}`),
  })
}
