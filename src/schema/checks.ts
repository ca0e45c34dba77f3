/**
 * Defaulting and validation of custom objects without a server. Uses the code of the embedded control plane, which is
 * compared with a real server. Validation needs all of CEL, so it is loaded on first use.
 */
import { causeMessage, causeReason, type FieldError } from '../api/field-error.ts'
import { isObject, type Json, type JsonObject } from '../api/json.ts'
import { validateObjectMeta } from '../api/object-meta.ts'
import type { KubeObject } from '../api/object.ts'
import type { StatusCause } from '../api/status.ts'
import { decodeCustom, EmbeddedError } from '../structural/decode.ts'
import { applyDefaults } from '../structural/default.ts'
import { compileSchema, type Schema } from '../structural/schema.ts'
import type { CustomResourceDefinition } from './builtin/apiextensions-v1.ts'

type Problems = (object: unknown, old: object | undefined) => StatusCause[]

/** Defaulting and validation for one version of a kind. Its schema is compiled once, on first use. */
export class CustomChecks {
  readonly #definition: CustomResourceDefinition
  #schema: Schema | undefined
  #problems: Promise<Problems> | undefined

  /** `definition` has one version. */
  constructor(definition: CustomResourceDefinition) {
    this.#definition = definition
  }

  /**
   * The object as a server would store it: with defaults, without unknown fields and meaningless nulls. Shares nothing
   * with `object`.
   */
  defaulted(object: object): KubeObject {
    const {
      group,
      names,
      versions: [version],
    } = this.#definition.spec
    const schema = this.#compiledSchema
    const decoded = decodeCustom(asJson(object), schema).object
    applyDefaults(decoded, schema)
    return { ...decoded, apiVersion: `${group}/${version?.name ?? ''}`, kind: names.kind }
  }

  get #compiledSchema(): Schema {
    const [version] = this.#definition.spec.versions
    return (this.#schema ??= compileSchema(version?.schema?.openAPIV3Schema as Json | undefined))
  }

  /** Why a server would reject the object; with `old`, as an update of that object. Empty if it would not. */
  async problems(object: unknown, old: object | undefined): Promise<StatusCause[]> {
    this.#problems ??= this.#compileProblems()
    return (await this.#problems)(object, old)
  }

  async #compileProblems(): Promise<Problems> {
    const [{ objectErrors }, { compileRules }, { compileCelRule }] = await Promise.all([
      import('../structural/object-errors.ts'),
      import('../structural/rules/check-rules.ts'),
      import('../structural/rules/cel-rules.ts'),
    ])
    const schema = this.#compiledSchema
    const {
      scope,
      versions: [version],
    } = this.#definition.spec
    const checked = { schema, scale: version?.subresources?.scale, rules: compileRules(schema, compileCelRule) }
    const namespaced = scope === 'Namespaced'
    return (given, old) => {
      if (!isObject(given)) return [{ reason: 'FieldValueTypeInvalid', message: 'an object is expected', field: '' }]
      let object: KubeObject
      try {
        object = this.defaulted(given)
      } catch (error) {
        return [decodeCause(error)]
      }
      const errors = validateObjectMeta(named(object, namespaced), { namespaced, nameRule: 'subdomain' })
      const before = old === undefined ? undefined : this.defaulted(old)
      const found = objectErrors(checked, object, before, () => undefined)
      return [...errors, ...found].map(asCause)
    }
  }
}

/** The server sets the namespace of the request and generates a name, so missing ones are not errors. */
function named({ metadata }: KubeObject, namespaced: boolean): KubeObject['metadata'] {
  const name = metadata.name ?? (metadata.generateName === undefined ? undefined : 'generated')
  return {
    ...metadata,
    ...(name === undefined ? {} : { name }),
    ...(namespaced ? { namespace: metadata.namespace ?? 'default' } : {}),
  }
}

/** A copy as sent over the wire: without undefined values. */
function asJson(object: object): JsonObject {
  return JSON.parse(JSON.stringify(object)) as JsonObject
}

/** A server responds with 400 if metadata, of the object or of an embedded one, cannot be decoded. */
function decodeCause(error: unknown): StatusCause {
  if (error instanceof EmbeddedError) return asCause(error.error)
  if (!(error instanceof Error) || error.name !== 'UnmarshalError') throw error
  return { reason: 'FieldValueInvalid', message: error.message, field: 'metadata' }
}

function asCause(error: FieldError): StatusCause {
  return { reason: causeReason(error), message: causeMessage(error), field: error.field }
}
