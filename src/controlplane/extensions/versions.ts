/**
 * The versions of a custom resource: an object in another version than the one it is stored in, or written through
 * (conversion strategy None). Only the apiVersion changes; every version prunes by its own schema, and what is read from
 * storage gets the defaults of the version in which it is stored. Conversion webhooks are not called: what would need one
 * fails as if it could not be reached.
 */
import { setOwn, type Json, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, parseApiVersion, type KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import type { ConvertedObject, VersionView } from '../registry/resource.ts'
import type { Shape } from '../shape/shape.ts'
import { decodeCustom } from './structural/decode.ts'
import { applyDefaults } from './structural/default.ts'
import type { Schema } from './structural/schema.ts'
import { customShape } from './structural/shape.ts'

/** What one version of a CRD says, served or not. */
export interface CustomVersion {
  readonly name: string
  readonly schema: Schema
  readonly hasStatus: boolean
}

const specOnly = [['spec']]
const nothing: readonly (readonly string[])[] = []

export class CustomVersions {
  readonly #group: string
  readonly #kind: string
  readonly #byApiVersion = new Map<string, CustomVersion>()
  readonly #shapes = new Map<string, Shape>()
  readonly #storage: string
  readonly #refusal: (() => string) | undefined

  /** `refusal` says why objects cannot be converted; undefined: they can. */
  constructor(
    group: string, kind: string, versions: readonly CustomVersion[], storage: string, refusal: (() => string) | undefined,
  ) {
    this.#refusal = refusal
    this.#group = group
    this.#kind = kind
    this.#storage = apiVersionOf(group, storage)
    for (const version of versions) this.#byApiVersion.set(apiVersionOf(group, version.name), version)
  }

  shapeOf(apiVersion: string): Shape | undefined {
    const version = this.#byApiVersion.get(apiVersion)
    if (version === undefined) return undefined
    let shape = this.#shapes.get(apiVersion)
    if (shape === undefined) {
      shape = customShape(version.schema)
      this.#shapes.set(apiVersion, shape)
    }
    return shape
  }

  /**
   * How the version `own` sees storage. What was written through this very view in the stored version is already as it
   * would be read, unless `rereads`: then something is defaulted only on the way back.
   */
  view(own: string, rereads: boolean): VersionView {
    const apiVersion = apiVersionOf(this.#group, own)
    const settled = new WeakSet<KubeObject>()
    return {
      toStored: (object) => {
        if (apiVersion !== this.#storage) return this.#renamed(object, this.#storage)
        if (!rereads) settled.add(object)
        return object
      },
      fromStored: (object) => {
        if (settled.has(object)) return object
        const read = this.#read(object)
        return read.apiVersion === apiVersion ? read : this.#renamed(read, apiVersion)
      },
    }
  }

  schemaOf(apiVersion: string): Schema | undefined {
    return this.#byApiVersion.get(apiVersion)?.schema
  }

  /** As the schema of its own version reads it: pruned, and with defaults. */
  #read(object: KubeObject): KubeObject {
    const version = this.#byApiVersion.get(object.apiVersion ?? '')
    if (version === undefined) {
      throw apiError.internal(`request to convert CR from an invalid group/version: ${object.apiVersion ?? ''}`)
    }
    const read = decodeCustom(object as unknown as JsonObject, version.schema, 'stored').object
    applyDefaults(read as unknown as Json, version.schema)
    return read
  }

  #renamed(object: KubeObject, apiVersion: string): KubeObject {
    if (this.#refusal !== undefined) throw apiError.internal(this.#refused(object, this.#refusal()))
    const { schema } = this.#byApiVersion.get(apiVersion) as CustomVersion
    const renamed = decodeCustom(object as unknown as JsonObject, schema).object
    setOwn(renamed as unknown as JsonObject, 'apiVersion', apiVersion)
    return renamed
  }

  /** For field ownership: nothing is pruned, so what the other version does not declare is an error there. */
  convert(object: KubeObject, apiVersion: string, subresource: string): ConvertedObject {
    const shape = this.shapeOf(apiVersion)
    const version = this.#byApiVersion.get(apiVersion)
    if (shape === undefined || version === undefined) return { problem: this.#noSuchVersion(object, apiVersion) }
    if (this.#refusal !== undefined) return { problem: this.#refused(object, this.#refusal()) }
    const resets = subresource === 'status' && version.hasStatus
    return { object: { ...object, apiVersion }, shape, unchecked: true, resetPaths: resets ? specOnly : nothing }
  }

  #refused(object: KubeObject, why: string): string {
    return `conversion webhook for ${object.apiVersion ?? ''}, Kind=${this.#kind} failed: ${why}`
  }

  #noSuchVersion(object: KubeObject, apiVersion: string): string {
    if (parseApiVersion(apiVersion)?.group === this.#group) {
      return `request to convert CR to an invalid group/version: ${apiVersion}`
    }
    return `${object.apiVersion}, Kind=${this.#kind} is unstructured and is not suitable for converting to ${JSON.stringify(apiVersion)}`
  }
}
