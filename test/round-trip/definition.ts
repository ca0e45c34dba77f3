/** A CustomResourceDefinition, which is not among the manifests, with a schema that uses all features. */
import type { JsonObject } from '../../src/api/json.ts'
import type { KindManifests } from '../differential/manifests/index.ts'

const spec: JsonObject = {
  type: 'object',
  required: ['size'],
  description: 'all of it',
  properties: {
    size: {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 9,
      exclusiveMaximum: true,
      multipleOf: 1,
      default: 3,
      enum: [1, 3, 5],
    },
    ratio: { type: 'number', minimum: 0.5 },
    name: {
      type: 'string',
      pattern: '^[a-z]+$',
      minLength: 1,
      maxLength: 9,
      example: 'abc',
      externalDocs: { url: 'https://example.com', description: 'more' },
    },
    nothing: { type: 'string', nullable: true, default: null },
    either: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    inner: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    labels: {
      type: 'object',
      additionalProperties: { type: 'string' },
      'x-kubernetes-map-type': 'atomic',
      minProperties: 0,
      maxProperties: 5,
    },
    tags: {
      type: 'array',
      items: { type: 'string', maxLength: 5 },
      'x-kubernetes-list-type': 'set',
      maxItems: 5,
      minItems: 0,
    },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port'],
      items: { type: 'object', required: ['port'], properties: { port: { type: 'integer' } } },
    },
    some: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      not: { required: ['c'] },
      anyOf: [{}],
      allOf: [{ minProperties: 1 }],
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'self.size < 5 || has(self.name)',
      message: 'name the large ones',
      messageExpression: '"a name for " + self.name',
      reason: 'FieldValueInvalid',
      fieldPath: '.size',
    },
    {
      rule: '!oldSelf.hasValue() || self.size >= oldSelf.value().size',
      message: 'it may not shrink',
      optionalOldSelf: true,
    },
  ],
}
const status: JsonObject = {
  type: 'object',
  properties: { replicas: { type: 'integer' }, selector: { type: 'string' } },
}

const version = { served: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } } }

const full: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'trips.round-trip.example.com', labels: { app: 'full' }, annotations: { note: 'full object' } },
  spec: {
    group: 'round-trip.example.com',
    scope: 'Namespaced',
    preserveUnknownFields: false,
    names: {
      plural: 'trips',
      singular: 'trip',
      kind: 'Trip',
      listKind: 'TripList',
      shortNames: ['tp'],
      categories: ['all'],
    },
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { service: { namespace: 'a', name: 'b', path: '/c', port: 8443 }, caBundle: '' },
      },
    },
    versions: [
      {
        ...version,
        name: 'v1',
        storage: true,
        deprecated: true,
        deprecationWarning: 'old',
        selectableFields: [{ jsonPath: '.spec.name' }],
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.size',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: [
          {
            name: 'Size',
            type: 'integer',
            format: 'int32',
            description: 'how large',
            priority: 1,
            jsonPath: '.spec.size',
          },
        ],
      },
      {
        name: 'v2',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

/** A controller inside the server writes the status at any time, so only dry runs are used. */
export const definition: KindManifests = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
  minimal: full,
  full,
  change: {},
  bad: [],
  tended: true,
}
