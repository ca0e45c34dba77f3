/**
 * Stored objects in one version of a custom resource, if a webhook converts. Each stored version is converted once for
 * all lists and watches, which share the object and its encoding. A changed definition starts with a new instance.
 */
import { deepFreeze } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { withResourceVersion } from '../registry/metadata.ts'
import type { VersionConversion } from '../contract/resource.ts'
import { conversionOf, convertedVersion, rememberConversion, type Stored } from '../storage/store.ts'

interface Waiting {
  readonly raw: Stored
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export class ConvertedVersions {
  readonly conversion: VersionConversion
  /** Conversions in progress. */
  readonly #coming = new Map<Stored, Promise<void>>()
  readonly #waiting: Waiting[] = []
  #isConverting = false

  constructor(conversion: VersionConversion) {
    this.conversion = conversion
  }

  /**
   * Undefined if it is in another version and was not converted yet. Throws an ApiError if the kind has no such
   * version.
   */
  get(raw: Stored): Stored | undefined {
    const { conversion } = this
    const known = conversionOf(raw, conversion.apiVersion, conversion)
    return known ?? (this.isOwn(raw) ? this.#add(raw, conversion.read(raw.object)) : undefined)
  }

  /** Whether the object is stored in this version, so that no webhook is needed. */
  isOwn({ object }: Stored): boolean {
    return object.apiVersion === this.conversion.apiVersion
  }

  /** `object`: `raw` converted to this version. */
  put(raw: Stored, object: KubeObject): Stored {
    return this.#add(raw, withResourceVersion(object, raw.revision))
  }

  /** For an object that was written in this version and is served as written. */
  putSame(raw: Stored): Stored {
    return this.#remember(raw, raw)
  }

  #add(raw: Stored, object: KubeObject): Stored {
    return this.#remember(raw, convertedVersion(raw, deepFreeze(object)))
  }

  #remember(raw: Stored, shown: Stored): Stored {
    return rememberConversion(raw, this.conversion.apiVersion, this.conversion, shown)
  }

  /** Converts all of these, cached or not. Rejects with an ApiError. */
  async convert(raws: readonly Stored[]): Promise<readonly KubeObject[]> {
    const { conversion } = this
    const objects = await conversion.convertAll(
      raws.map((raw) => withoutResourceVersion(conversion.read(raw.object))),
      conversion.apiVersion,
    )
    raws.forEach((raw, index) => this.put(raw, objects[index] as KubeObject))
    return objects
  }

  /** Resolves when the conversion is cached. Requests during a conversion form the next batch. */
  async prepare(raw: Stored): Promise<void> {
    if (this.get(raw) !== undefined) return
    let coming = this.#coming.get(raw)
    if (coming === undefined) {
      coming = new Promise((resolve, reject) => this.#waiting.push({ raw, resolve, reject }))
      this.#coming.set(raw, coming)
      if (!this.#isConverting) void this.#convertWaiting()
    }
    await coming
  }

  async #convertWaiting(): Promise<void> {
    this.#isConverting = true
    // All events of one turn go into one review.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      await this.#convertBatch(batch).catch(() => this.#convertEach(batch))
    }
    this.#isConverting = false
  }

  async #convertBatch(batch: readonly Waiting[]): Promise<void> {
    await this.convert(batch.map(({ raw }) => raw))
    for (const { raw, resolve } of batch) {
      this.#coming.delete(raw)
      resolve()
    }
  }

  /** One at a time, so that an object that cannot be converted does not fail the others. */
  async #convertEach(batch: readonly Waiting[]): Promise<void> {
    for (const each of batch) {
      await this.#convertBatch([each]).catch((error: unknown) => {
        this.#coming.delete(each.raw)
        each.reject(error)
      })
    }
  }
}

/** The object as in storage, without resourceVersion. */
export function withoutResourceVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
