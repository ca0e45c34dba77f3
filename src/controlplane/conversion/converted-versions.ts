/**
 * What one version of a custom resource shows of what is stored, where a webhook converts: each stored version is
 * converted once for all lists and watches, which share the result and its text. It goes with the definition: another
 * one converts anew.
 */
import { deepFreeze } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { withResourceVersion } from '../registry/metadata.ts'
import type { VersionConversion } from '../contract/resource.ts'
import { convertedVersion, rememberView, viewOf, type Stored } from '../storage/store.ts'

interface Waiting {
  readonly raw: Stored
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export class ConvertedVersions {
  readonly conversion: VersionConversion
  /** What is being converted. */
  readonly #coming = new Map<Stored, Promise<void>>()
  readonly #waiting: Waiting[] = []
  #isConverting = false

  constructor(conversion: VersionConversion) {
    this.conversion = conversion
  }

  /** Undefined: it is in another version, and was not converted yet. Throws an ApiError for a version that is none. */
  get(raw: Stored): Stored | undefined {
    const { conversion } = this
    const known = viewOf(raw, conversion.apiVersion, conversion)
    return known ?? (this.isOwn(raw) ? this.#add(raw, conversion.read(raw.object)) : undefined)
  }

  /** Nobody has to be asked for it. */
  isOwn({ object }: Stored): boolean {
    return object.apiVersion === this.conversion.apiVersion
  }

  /** `object`: what `raw` is in this version. */
  put(raw: Stored, object: KubeObject): Stored {
    return this.#add(raw, withResourceVersion(object, raw.revision))
  }

  /** Of what was written in this very version, and is read as it was written. */
  putSame(raw: Stored): Stored {
    return this.#remember(raw, raw)
  }

  #add(raw: Stored, object: KubeObject): Stored {
    return this.#remember(raw, convertedVersion(raw, deepFreeze(object)))
  }

  #remember(raw: Stored, shown: Stored): Stored {
    return rememberView(raw, this.conversion.apiVersion, this.conversion, shown)
  }

  /** Converts all of these, whether they are known or not. Rejects with an ApiError. */
  async convert(raws: readonly Stored[]): Promise<readonly KubeObject[]> {
    const { conversion } = this
    const objects = await conversion.convertAll(
      raws.map((raw) => withoutResourceVersion(conversion.read(raw.object))),
      conversion.apiVersion,
    )
    raws.forEach((raw, index) => this.put(raw, objects[index] as KubeObject))
    return objects
  }

  /** Resolves when it is known. What is asked for while others are converted goes together, after them. */
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
    // All changes of one turn go together.
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

  /** One that cannot be converted keeps no other from it. */
  async #convertEach(batch: readonly Waiting[]): Promise<void> {
    for (const each of batch) {
      await this.#convertBatch([each]).catch((error: unknown) => {
        this.#coming.delete(each.raw)
        each.reject(error)
      })
    }
  }
}

/** As it lies in storage, which keeps no resourceVersion in the object. */
export function withoutResourceVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
