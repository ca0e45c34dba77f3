/**
 * A kind in two versions with different fields, and the responses of its conversion webhook: the correct one and all
 * invalid ones.
 */
import type { JsonObject } from '../../../api/json.ts'

const integer = { type: 'integer' }
const subresources = (replicas: string): JsonObject => ({
  status: {},
  scale: { specReplicasPath: replicas, statusReplicasPath: '.status.aboard' },
})

function version(name: string, spec: JsonObject, more: JsonObject): JsonObject {
  const status = { type: 'object', properties: { aboard: integer, port: { type: 'string' } } }
  return {
    name,
    served: true,
    storage: name === 'v1',
    ...more,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec }, status } } },
  }
}

/** v1 has metres and crew as numbers; v2 has a length with its unit, hands, and a validation rule for them. */
export const versions: JsonObject[] = [
  version(
    'v1',
    { size: { ...integer, default: 1 }, crew: integer, note: { type: 'string' } },
    {
      subresources: subresources('.spec.crew'),
      additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    },
  ),
  version(
    'v2',
    {
      length: { type: 'string', maxLength: 6 },
      hands: { ...integer, 'x-kubernetes-validations': [{ rule: 'self < 50', message: 'too many hands' }] },
      flag: { type: 'string', default: 'none' },
    },
    {
      subresources: subresources('.spec.hands'),
      additionalPrinterColumns: [{ name: 'Length', type: 'string', jsonPath: '.spec.length' }],
      selectableFields: [{ jsonPath: '.spec.length' }],
    },
  ),
]

export function boatDefinition(clientConfig: JsonObject, more: JsonObject = {}): JsonObject {
  const webhook = { conversionReviewVersions: ['v1'], clientConfig }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boats.sea.io' },
    spec: {
      group: 'sea.io',
      scope: 'Namespaced',
      names: { plural: 'boats', kind: 'Boat' },
      versions,
      conversion: { strategy: 'Webhook', webhook },
      ...more,
    },
  }
}

export const boat = (of: string, name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: `sea.io/${of}`,
  kind: 'Boat',
  metadata: { name, ...metadata },
  spec,
})

/** The conversion that an author would write. Objects in v2 have their size in an annotation. */
export function converted(object: JsonObject, to: string): JsonObject {
  // Field tracking converts parts of objects, too.
  const { metadata = {}, status } = object as { readonly metadata?: JsonObject; readonly status?: JsonObject }
  const spec = (object['spec'] ?? {}) as JsonObject
  const part = (name: string, value: unknown): JsonObject => (value === undefined ? {} : { [name]: value as string })
  const isDown = to === 'sea.io/v2'
  const annotations = {
    ...(metadata['annotations'] as JsonObject | undefined),
    ...(isDown ? { 'sea.io/size': String(spec['size']) } : {}),
  }
  const next = isDown
    ? { length: `${String(spec['size'])}m`, ...part('hands', spec['crew']), ...part('flag', spec['note']) }
    : {
        ...part('size', spec['length'] === undefined ? undefined : parseInt(String(spec['length']), 10)),
        ...part('crew', spec['hands']),
        ...part('note', spec['flag']),
      }
  return {
    apiVersion: to,
    kind: object['kind'] as string,
    metadata: { ...metadata, annotations },
    spec: next,
    ...part('status', status),
  }
}

/** How the webhook responds. Other failures are HTTP status codes. */
export type Mode =
  | 'right'
  | 'undeclared'
  | 'failure'
  | 'bare-failure'
  | 'fewer'
  | 'renamed'
  | 'other-uid'
  | 'other-namespace'
  | 'other-version'
  | 'other-kind'
  | 'bad-label'
  | 'number-label'
  | 'no-metadata'
  | 'no-review'
  | 'no-response'
  | 'other-review'
  | 'status-500'
  | 'status-404'
  | 'no-json'
  | 'hung-up'
  | 'up-only'
  | 'down-only'
  | 'other-rest'

export function answer(
  mode: Mode,
  request: { readonly uid: string; readonly objects: readonly JsonObject[]; readonly desiredAPIVersion: string },
): JsonObject {
  const { uid, objects, desiredAPIVersion } = request
  const isRefused =
    mode === 'failure' ||
    (mode === 'up-only' && desiredAPIVersion === 'sea.io/v2') ||
    (mode === 'down-only' && desiredAPIVersion === 'sea.io/v1')
  const response = (parts: JsonObject): JsonObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: { uid, ...parts },
  })
  if (isRefused) return response({ result: { status: 'Failure', message: 'no such boat' } })
  if (mode === 'bare-failure') return response({ result: { status: 'Failure' } })
  if (mode === 'no-review') return { kind: 'Other', apiVersion: 'v1' }
  if (mode === 'no-response') return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' }
  if (mode === 'other-review') return response({ uid: 'another', result: { status: 'Success' }, convertedObjects: [] })
  const made = objects.map((object) => {
    const next = converted(object, desiredAPIVersion)
    const metadata = next['metadata'] as JsonObject
    switch (mode) {
      case 'renamed':
        return { ...next, metadata: { ...metadata, name: 'other' } }
      case 'other-uid':
        return { ...next, metadata: { ...metadata, uid: 'other' } }
      case 'other-namespace':
        return { ...next, metadata: { ...metadata, namespace: 'other' } }
      case 'other-version':
        return { ...next, apiVersion: 'sea.io/v9' }
      case 'other-kind':
        return { ...next, kind: 'Ship' }
      case 'bad-label':
        return { ...next, metadata: { ...metadata, labels: { 'not valid': 'x y' } } }
      case 'number-label':
        return { ...next, metadata: { ...metadata, labels: { a: 1 } } }
      case 'no-metadata':
        return { ...next, metadata: {} }
      case 'undeclared':
        return { ...next, spec: { ...(next['spec'] as JsonObject), unknown: 'x' } }
      case 'other-rest':
        return { ...next, metadata: { ...metadata, finalizers: ['sea.io/x'], generation: 9, labels: { made: 'yes' } } }
      default:
        return next
    }
  })
  return response({ result: { status: 'Success' }, convertedObjects: mode === 'fewer' ? made.slice(1) : made })
}
