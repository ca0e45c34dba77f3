/** What a custom resource of the fuzzer is, and the words its schema is written in. */
import type { JsonObject } from '../../../../src/api/json.ts'

export const fuzzGroup = 'fuzz.example.com'

export interface Shape {
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  /** The versions that are served, the stored one first. */
  readonly versions: readonly string[]
  readonly scale: boolean
  readonly definition: JsonObject
  /** An object with everything in it. */
  readonly full: JsonObject
  readonly minimal: JsonObject
  /** Merge patches on the full object, right and wrong ones. */
  readonly changes: readonly JsonObject[]
  /** A merge patch on the status; undefined without that subresource. */
  readonly status: JsonObject | undefined
  /** Field selectors that only this kind has. */
  readonly selectors: readonly string[]
}

/** The schema of a version below its root, and what else the version has: columns, subresources. */
export interface VersionInput {
  readonly properties: JsonObject
  /** Beside the properties of the root: rules, unknown fields. */
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
  /** Beside v1, which is stored. */
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

/** A list of objects by these keys; those without a default are required. */
export function keyed(keys: readonly string[], properties: JsonObject, more: JsonObject = {}): JsonObject {
  const required = keys.filter((key) => !Object.hasOwn(properties[key] as JsonObject, 'default'))
  return list(object(properties, required.length === 0 ? {} : { required }), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [...keys],
    ...more,
  })
}

/** A schema with rules of the expression language. */
export function ruled(schema: JsonObject, ...rules: readonly (string | JsonObject)[]): JsonObject {
  return { ...schema, 'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)) }
}

export const withStatus = { subresources: { status: {} } }
