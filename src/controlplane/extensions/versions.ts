/**
 * The versions of a custom resource: an object in another version than the one it is stored in, or written through.
 * Without a conversion webhook only the apiVersion changes. Every version prunes by its own schema, and what is read
 * from storage gets the defaults of the version in which it is stored.
 */
import { setOwn } from '../../api/json.ts'
import { apiVersionOf, parseApiVersion, type KubeObject } from '../../api/object.ts'
import { ApiError, apiError } from '../../api/status.ts'
import type { CallExternal } from '../contract/external-calls.ts'
import type { ConvertedObject, VersionConversion, VersionConverter, VersionView } from '../contract/resource.ts'
import { UnmarshalError } from '../../shape/decode.ts'
import type { Shape } from '../../shape/shape.ts'
import { decodeCustom } from '../../structural/decode.ts'
import { applyDefaults } from '../../structural/default.ts'
import type { Schema } from '../../structural/schema.ts'
import { customShape } from '../../structural/shape.ts'

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
  readonly #converter: VersionConverter | undefined

  /** Without a converter objects are only renamed. */
  constructor(
    group: string,
    kind: string,
    versions: readonly CustomVersion[],
    storage: string,
    converter: VersionConverter | undefined,
  ) {
    this.#converter = converter
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

  /** How the version `own` sees storage. `rereads`: something is defaulted only when it is read back. */
  view(own: string, rereads: boolean): VersionView {
    const apiVersion = apiVersionOf(this.#group, own)
    const isStorageVersion = apiVersion === this.#storage
    return {
      isStorageVersion,
      rereads,
      toStored: (object) => (isStorageVersion ? object : this.#renamed(object, this.#storage)),
      fromStored: (object) => {
        const read = this.#read(object)
        return read.apiVersion === apiVersion ? read : this.#renamed(read, apiVersion)
      },
    }
  }

  /** The same where a webhook converts; undefined where none does. */
  conversion(own: string, rereads: boolean): VersionConversion | undefined {
    const converter = this.#converter
    if (converter === undefined) return undefined
    return {
      apiVersion: apiVersionOf(this.#group, own),
      storage: this.#storage,
      rereads,
      read: (object) => this.#read(object),
      convert: (object, apiVersion, ask) => this.#fitted(this.#asked(converter, object, apiVersion, ask), apiVersion),
      convertAll: async (objects, apiVersion) =>
        (await converter(objects, apiVersion)).map((object) => this.#fitted(object, apiVersion)),
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
    const read = decodeCustom(object, version.schema, 'stored').object
    applyDefaults(read, version.schema)
    return read
  }

  #renamed(object: KubeObject, apiVersion: string): KubeObject {
    const { schema } = this.#byApiVersion.get(apiVersion) as CustomVersion
    const renamed = decodeCustom(object, schema).object
    setOwn(renamed, 'apiVersion', apiVersion)
    return renamed
  }

  /** What a webhook made, as the version keeps it. */
  #fitted(object: KubeObject, apiVersion: string): KubeObject {
    try {
      return this.#renamed(object, apiVersion)
    } catch (error) {
      if (!(error instanceof UnmarshalError)) throw error
      throw apiError.internal(error.message)
    }
  }

  /** A failure is an answer, too: who asks says what becomes of it. */
  #asked(converter: VersionConverter, object: KubeObject, apiVersion: string, ask: CallExternal): KubeObject {
    const outcome = ask(`${apiVersion} ${JSON.stringify(object)}`, async () => {
      try {
        return (await converter([object], apiVersion))[0] as KubeObject
      } catch (error) {
        if (error instanceof ApiError) return error
        throw error
      }
    })
    if (outcome instanceof ApiError) throw outcome
    return outcome
  }

  /** For field ownership: nothing is pruned, so what the other version does not declare is an error there. */
  convert(object: KubeObject, apiVersion: string, subresource: string, ask: CallExternal): ConvertedObject {
    const shape = this.shapeOf(apiVersion)
    const version = this.#byApiVersion.get(apiVersion)
    if (shape === undefined || version === undefined) return { problem: this.#noSuchVersion(object, apiVersion) }
    const resetPaths = subresource === 'status' && version.hasStatus ? specOnly : nothing
    if (this.#converter === undefined || object.apiVersion === apiVersion) {
      return { object: { ...object, apiVersion }, shape, unchecked: true, resetPaths }
    }
    try {
      return { object: this.#asked(this.#converter, object, apiVersion, ask), shape, unchecked: true, resetPaths }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { problem: error.message }
    }
  }

  #noSuchVersion(object: KubeObject, apiVersion: string): string {
    if (parseApiVersion(apiVersion)?.group === this.#group) {
      return `request to convert CR to an invalid group/version: ${apiVersion}`
    }
    return (
      `${object.apiVersion}, Kind=${this.#kind} is unstructured and is not suitable for converting to ` +
      JSON.stringify(apiVersion)
    )
  }
}
