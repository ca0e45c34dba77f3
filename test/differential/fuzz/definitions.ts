/** Custom resources of several shapes that the fuzzer works on. They are made once per run, on both servers. */
import type { JsonObject } from '../../../src/api/json.ts'

export const fuzzGroup = 'fuzz.example.com'

export interface Shape {
  readonly kind: string
  readonly plural: string
  readonly scale: boolean
  readonly status: boolean
  readonly definition: JsonObject
  /** An object with everything in it. */
  readonly full: JsonObject
  readonly minimal: JsonObject
}

interface ShapeInput {
  readonly kind: string
  readonly properties: JsonObject
  readonly root?: JsonObject
  readonly full: JsonObject
  readonly minimal?: JsonObject
  readonly subresources?: JsonObject
  readonly more?: JsonObject
}

function shape({ kind, properties, root = {}, full, minimal = {}, subresources, more = {} }: ShapeInput): Shape {
  const plural = `${kind.toLowerCase()}s`
  const object = (name: string, content: JsonObject): JsonObject => ({
    apiVersion: `${fuzzGroup}/v1`, kind, metadata: { name }, ...content,
  })
  return {
    kind,
    plural,
    scale: subresources?.['scale'] !== undefined,
    status: subresources?.['status'] !== undefined,
    definition: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${fuzzGroup}` },
      spec: {
        group: fuzzGroup,
        scope: 'Namespaced',
        names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: [
          {
            name: 'v1', served: true, storage: true,
            schema: { openAPIV3Schema: { type: 'object', ...root, properties } },
            ...(subresources === undefined ? {} : { subresources }),
            ...more,
          },
        ],
      },
    },
    full: object('full', full),
    minimal: object('min', minimal),
  }
}

const text = { type: 'string' }
const whole = { type: 'integer', format: 'int32' }

export const shapes: readonly Shape[] = [
  shape({
    kind: 'Gadget',
    properties: {
      spec: {
        type: 'object',
        required: ['color'],
        properties: {
          color: { ...text, enum: ['red', 'green', 'blue'], default: 'red' },
          replicas: { ...whole, minimum: 0, maximum: 10, default: 1 },
          size: { ...text, maxLength: 5, pattern: '^[a-z]*$' },
          ports: {
            type: 'array', maxItems: 4, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port', 'protocol'],
            items: {
              type: 'object', required: ['port'],
              properties: { port: whole, protocol: { ...text, default: 'TCP' }, name: text },
            },
          },
          tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
          args: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: text },
          limits: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
        },
      },
      status: {
        type: 'object',
        properties: { phase: text, replicas: whole, selector: text, ready: { type: 'boolean', nullable: true } },
      },
    },
    full: {
      spec: {
        color: 'green', replicas: 3, size: 'abc', ports: [{ port: 80, name: 'http' }, { port: 80, protocol: 'UDP' }],
        tags: ['a', 'b'], args: ['x', 'y', 'x'], limits: { cpu: 1, memory: '1Gi' },
      },
    },
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
    },
    more: {
      additionalPrinterColumns: [
        { name: 'Color', type: 'string', jsonPath: '.spec.color' }, { name: 'Size', type: 'string', jsonPath: '.spec.size', priority: 1 },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
      selectableFields: [{ jsonPath: '.spec.color' }],
    },
  }),
  shape({
    kind: 'Bag',
    properties: {
      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: { type: 'boolean' }, count: { type: 'integer' } } },
      data: { type: 'object', additionalProperties: text },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    full: { spec: { known: true, count: 5, free: { deep: [1, { a: 'b' }] }, list: ['x', 2] }, data: { k: 'v', l: 'w' } },
  }),
  shape({
    kind: 'Nest',
    properties: {
      spec: {
        type: 'object', 'x-kubernetes-map-type': 'granular',
        properties: {
          strategy: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { type: text, amount: { type: 'number', minimum: 0 } } },
          rules: {
            type: 'array', minItems: 1,
            items: { type: 'object', required: ['host'], properties: { host: { ...text, minLength: 1 }, paths: { type: 'array', items: text }, weight: { type: 'number', multipleOf: 0.5 } } },
          },
          choice: { type: 'object', oneOf: [{ required: ['left'] }, { required: ['right'] }], properties: { left: text, right: text } },
          nullableText: { ...text, nullable: true },
          when: { ...text, format: 'date-time' },
          template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      status: { type: 'object', properties: { seen: { type: 'integer', format: 'int64' } } },
    },
    full: {
      spec: {
        strategy: { type: 'Slow', amount: 1.5 }, rules: [{ host: 'a', paths: ['/x', '/y'], weight: 1.5 }, { host: 'b' }],
        choice: { left: 'l' }, nullableText: null, when: '2026-01-01T00:00:00Z',
        template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'inner', labels: { a: 'b' } }, spec: { any: 1 } },
      },
    },
    subresources: { status: {} },
  }),
]
