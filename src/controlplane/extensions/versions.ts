/**
 * Converts custom resources between versions. Without a conversion webhook only the apiVersion changes. Every version
 * prunes by its own schema, and reads from storage get the defaults of the version in which the object is stored.
 */
import { getOwn, isObject, setOwn, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, parseApiVersion, type KubeObject } from '../../api/object.ts'
import { ApiError, apiError } from '../../api/status.ts'
import type { CallExternal } from '../contract/external-calls.ts'
import type { ConvertedObject, VersionConversion, VersionConverter, VersionView } from '../contract/resource.ts'
import { UnmarshalError } from '../../shape/decode.ts'
import type { Shape } from '../../shape/shape.ts'
import { decodeCustom } from '../../structural/decode.ts'
import { applyDefaults } from '../../structural/default.ts'
import { objectOf, textOf } from '../../structural/reading.ts'
import { compileSchema, type Schema } from '../../structural/schema.ts'
import { customShape } from '../../structural/shape.ts'

/** One version of a CRD, served or not. Its schema is compiled on first use: there may be thousands of versions. */
export class CustomVersion {
  readonly name: string
  readonly hasStatus: boolean
  readonly #definition: JsonObject
  #schema: Schema | undefined

  constructor(definition: JsonObject) {
    this.#definition = definition
    this.name = textOf(definition, 'name')
    this.hasStatus = isObject(getOwn(objectOf(definition, 'subresources'), 'status'))
  }

  get schema(): Schema {
    return (this.#schema ??= compileSchema(objectOf(this.#definition, 'schema')['openAPIV3Schema']))
  }
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

  /** Without a converter only the apiVersion changes. */
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

  /** The view of the version `own` on storage. `rereads`: some defaults are only set when an object is read back. */
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

  /** Same with a conversion webhook; undefined if there is none. */
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

  /** Prunes and defaults a stored object with the schema of its own version. */
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

  /** Prunes the result of a webhook with the schema of the version. */
  #fitted(object: KubeObject, apiVersion: string): KubeObject {
    try {
      return this.#renamed(object, apiVersion)
    } catch (error) {
      if (!(error instanceof UnmarshalError)) throw error
      throw apiError.internal(error.message)
    }
  }

  /** Errors are results, too, so that a replay throws the same error again. */
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

  /** For field ownership: nothing is pruned, so a field that the other version does not declare is an error. */
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
