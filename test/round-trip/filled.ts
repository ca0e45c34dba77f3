/** Objects of the built-in kinds with every field of their schema, at every depth, each with a unique value. */
import type { Json, JsonObject } from '../../src/api/json.ts'
import { protobuf, schemas, type TypeSchema } from '../../src/facts/facts.ts'

export interface BuiltInKind {
  readonly apiVersion: string
  readonly kind: string
  /** The OpenAPI name. */
  readonly type: string
}

/** Which form to use for types with two: int or string, schema or list of schemas. */
export type Form = 'first' | 'second'

/**
 * Each kind of each group and version, including lists and options. Kinds of all groups are included once, for meta/v1.
 */
export function builtInKinds(): BuiltInKind[] {
  return [...schemas().entries()].flatMap(([type, schema]) => {
    return (schema['x-kubernetes-group-version-kind'] ?? [])
      .filter(({ group, version }) => isHome(type, group, version))
      .map(({ group, version, kind }) => ({ apiVersion: group === '' ? version : `${group}/${version}`, kind, type }))
  })
}

/** DeleteOptions and WatchEvent are kinds of all groups and versions, including alpha and beta. */
function isHome(type: string, group: string, version: string): boolean {
  return !type.includes('.meta.v1.') || (group === '' && version === 'v1')
}

export function filledObject({ apiVersion, kind, type }: BuiltInKind, form: Form): JsonObject {
  return { kind, apiVersion, ...(new Filling(form).typed(type, []) as JsonObject) }
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'
const schemaProps = `${extensions}.JSONSchemaProps`

class Filling {
  readonly #form: Form
  /** Makes values unique, so that none can be mistaken for another. */
  #count = 0

  constructor(form: Form) {
    this.#form = form
  }

  /** `within`: the enclosing types; recursion ends at a type that is already among them. */
  typed(type: string, within: readonly string[]): Json {
    const special = this.#special(type, within)
    if (special !== undefined) return special
    const schema = schemas().get(type)
    if (schema === undefined) throw new Error(`no schema for ${type}`)
    const object: JsonObject = {}
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (isTypeMeta(type, name) || within.includes(innermost(property))) continue
      object[name] = this.#value(name, property, [...within, type])
    }
    return object
  }

  #value(name: string, schema: TypeSchema, within: readonly string[]): Json {
    const type = typeOf(schema)
    if (type !== undefined) return this.typed(type, within)
    if (schema.items !== undefined)
      return [this.#value(name, schema.items, within), this.#value(name, schema.items, within)]
    if (schema.additionalProperties !== undefined) {
      const entry = (): [string, Json] => [
        `${name}-${++this.#count}`,
        this.#value(name, schema.additionalProperties ?? {}, within),
      ]
      return Object.fromEntries([entry(), entry()])
    }
    return this.#scalar(name, schema)
  }

  #scalar(name: string, { type, format }: TypeSchema): Json {
    const number = ++this.#count
    if (type === 'boolean') return true
    if (type === 'integer') return this.#first ? number : -number
    if (type === 'number') return number + 0.5
    if (type === 'string' && format === 'byte') return Buffer.from(`${name}-${number}`).toString('base64')
    if (type === 'string') return this.#first ? `${name}-${number}` : `${name}-é✓-${number}`
    throw new Error(`no value for ${name}: ${type} ${format}`)
  }

  /** Types whose JSON form is not an object with their fields. */
  #special(type: string, within: readonly string[]): Json | undefined {
    const number = ++this.#count
    const second = String(number % 60).padStart(2, '0')
    const minute = String(Math.floor(number / 60) % 60).padStart(2, '0')
    const schema = (): Json =>
      within.filter((each) => each === schemaProps).length > 1 ? { type: 'object' } : this.typed(schemaProps, within)
    switch (type) {
      case `${meta}.Time`:
        return `2026-01-02T03:${minute}:${second}Z`
      case `${meta}.MicroTime`:
        return `2026-01-02T03:${minute}:${second}.${String(number).padStart(6, '0')}Z`
      case `${meta}.FieldsV1`:
        return { 'f:spec': { [`f:field-${number}`]: {} } }
      case 'io.k8s.apimachinery.pkg.runtime.RawExtension':
        return { raw: { number, list: [null, true, 'é'] } }
      case 'io.k8s.apimachinery.pkg.api.resource.Quantity':
        return this.#first ? `${number}Mi` : `${number}m`
      case 'io.k8s.apimachinery.pkg.util.intstr.IntOrString':
        return this.#first ? number : `${number}%`
      case `${extensions}.JSON`:
        return this.#first ? { any: [number, 'é', null] } : number
      case `${extensions}.JSONSchemaPropsOrBool`:
        return this.#first ? true : schema()
      case `${extensions}.JSONSchemaPropsOrArray`:
        return this.#first ? schema() : [schema(), { type: 'string' }]
      case `${extensions}.JSONSchemaPropsOrStringArray`:
        return this.#first ? [`property-${number}`] : schema()
      default:
        return undefined
    }
  }

  get #first(): boolean {
    return this.#form === 'first'
  }
}

function typeOf({ $ref, allOf }: TypeSchema): string | undefined {
  return ($ref ?? allOf?.[0]?.$ref)?.replace('#/components/schemas/', '')
}

/** The type of the items of a list or map, or of the value itself; '' for a scalar. */
function innermost(schema: TypeSchema): string {
  const inner = schema.items ?? schema.additionalProperties
  return inner === undefined ? (typeOf(schema) ?? '') : innermost(inner)
}

/** Nested messages have no kind and apiVersion: an object inside another loses them. */
function isTypeMeta(type: string, name: string): boolean {
  if (name !== 'kind' && name !== 'apiVersion') return false
  const message = protobuf().get(type.replace(/^io\.k8s\./, 'k8s.io.').replaceAll('-', '_'))
  return message !== undefined && message[name] === undefined
}
