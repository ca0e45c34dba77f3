/** The type of the fuzzer's custom resources, and functions to write their schemas. */
import type { JsonObject } from '../../../../src/api/json.ts'

export const fuzzGroup = 'fuzz.example.com'

export interface Shape {
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  /** The served versions, the storage version first. */
  readonly versions: readonly string[]
  readonly scale: boolean
  readonly definition: JsonObject
  /** An object with all fields. */
  readonly full: JsonObject
  readonly minimal: JsonObject
  /** Merge patches for the full object, valid and invalid ones. */
  readonly changes: readonly JsonObject[]
  /** A merge patch for the status; undefined without that subresource. */
  readonly status: JsonObject | undefined
  /** Field selectors that only this kind has. */
  readonly selectors: readonly string[]
}

/** The properties of a version's schema, and other fields of the version: columns, subresources. */
export interface VersionInput {
  readonly properties: JsonObject
  /** Other fields of the root schema: rules, unknown fields. */
  readonly root?: JsonObject
  readonly more?: JsonObject
}

export interface ShapeInput extends VersionInput {
  readonly kind: string
  readonly full: JsonObject
  readonly minimal?: JsonObject
  readonly changes?: readonly JsonObject[]
  readonly status?: JsonObject
  readonly selectors?: readonly string[]
  readonly clusterScoped?: boolean
  /** Further versions besides v1, which is the storage version. */
  readonly otherVersions?: Readonly<Record<string, VersionInput>>
}

export function shape(input: ShapeInput): Shape {
  const { kind, full, minimal = {}, changes = [], selectors = [], clusterScoped = false, otherVersions = {} } = input
  const plural = `${kind.toLowerCase()}s`
  const versions = { v1: input, ...otherVersions }
  const object = (content: JsonObject): JsonObject => ({
    apiVersion: `${fuzzGroup}/v1`,
    kind,
    metadata: {},
    ...content,
  })
  return {
    kind,
    plural,
    changes,
    selectors,
    namespaced: !clusterScoped,
    versions: Object.keys(versions),
    scale: (input.more?.['subresources'] as JsonObject | undefined)?.['scale'] !== undefined,
    status: input.status,
    definition: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${fuzzGroup}` },
      spec: {
        group: fuzzGroup,
        scope: clusterScoped ? 'Cluster' : 'Namespaced',
        names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: Object.entries(versions).map(([name, { properties, root = {}, more = {} }]) => ({
          name,
          served: true,
          storage: name === 'v1',
          schema: { openAPIV3Schema: { type: 'object', ...root, properties } },
          ...more,
        })),
      },
    },
    full: object(full),
    minimal: object(minimal),
  }
}

export const text = { type: 'string' }
export const whole = { type: 'integer' }
export const flag = { type: 'boolean' }
export const either = { 'x-kubernetes-int-or-string': true }
export const free = { 'x-kubernetes-preserve-unknown-fields': true }
export const bag = { type: 'object', ...free }
export const atomicMap = { 'x-kubernetes-map-type': 'atomic' }

export const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})
export const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
export const map = (values: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties: values,
  ...more,
})
export const set = (items: JsonObject, more: JsonObject = {}): JsonObject =>
  list(items, { 'x-kubernetes-list-type': 'set', ...more })

/** A list of objects with these keys; keys without a default are required. */
export function keyed(keys: readonly string[], properties: JsonObject, more: JsonObject = {}): JsonObject {
  const required = keys.filter((key) => !Object.hasOwn(properties[key] as JsonObject, 'default'))
  return list(object(properties, required.length === 0 ? {} : { required }), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [...keys],
    ...more,
  })
}

/** Adds CEL rules to a schema. */
export function ruled(schema: JsonObject, ...rules: readonly (string | JsonObject)[]): JsonObject {
  return { ...schema, 'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)) }
}

export const withStatus = { subresources: { status: {} } }
