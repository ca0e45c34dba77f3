/**
 * Writes to the objects that one object controls. An apply is skipped if it would change nothing. An existing object
 * with another owner is an error, also if the cache does not have it. Changes by other writers are repaired and
 * reported as drift.
 */
import { isConflict, isInvalid, isNotFound } from '../api/error-reasons.ts'
import { equalJson, isObject, setOwn, type FrozenJson, type Json, type JsonObject } from '../api/json.ts'
import { keyOf, keyText, type ApiObject, type Live, type LiveObject, type ObjectKey } from '../api/live-object.ts'
import { apiError } from '../api/status.ts'
import type { Cache } from '../cache/cache.ts'
import type { Partially } from '../client/client.ts'
import type { Kind } from '../schema/kind.ts'
import { appliedEntry, firstDifference, type FieldPath } from './apply-difference.ts'
import type { OwnerMemory } from './applied-memory.ts'
import type { Applied, ApplyOwnedOptions } from './context.ts'
import { BeingDeletedError, NotOwnedError } from './errors.ts'
import { fieldText, isOwnedByOthers, lastOtherOwner, owns } from './field-owners.ts'
import { withoutUndefined } from './json-body.ts'
import { controllerOf, controllerReference } from './owner-references.ts'

export interface OwnedObjectsOptions<T extends ApiObject> {
  readonly cache: Cache
  readonly kind: Kind<T>
  readonly owner: Live<T>
  /** The field manager. */
  readonly manager: string
  readonly signal: AbortSignal
  readonly memory: OwnerMemory
  /**
   * The owner's current generation was reconciled before: if nothing is remembered about an object, fields that others
   * own are drift.
   */
  readonly isObserved: boolean
}

export class OwnedObjects<T extends ApiObject> {
  readonly #options: OwnedObjectsOptions<T>

  constructor(options: OwnedObjectsOptions<T>) {
    this.#options = options
  }

  async apply<Other extends ApiObject>(
    kind: Kind<Other>,
    wanted: Partially<Other>,
    options: ApplyOwnedOptions = {},
  ): Promise<Applied<Other>> {
    const { cache, signal } = this.#options
    const body = this.#manifest(kind, wanted, options.owned ?? true)
    const existing = await cache.get(kind, keyOf(body as unknown as ApiObject), { signal })
    return existing === undefined ? this.#create(kind, body, options) : this.#change(kind, body, existing, options)
  }

  async delete<Other extends ApiObject>(kind: Kind<Other>, key: ObjectKey): Promise<boolean> {
    const { cache, signal, memory } = this.#options
    const existing = await cache.get(kind, key, { signal })
    if (existing === undefined) return false
    this.#refuseForeign(kind, existing, false)
    memory.forget(kind, key)
    if (existing.metadata.deletionTimestamp !== undefined) return true
    try {
      await cache.client.delete(kind, key, { uid: existing.metadata.uid, propagationPolicy: 'Background', signal })
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }

  async #create<Other extends ApiObject>(
    kind: Kind<Other>,
    body: JsonObject,
    options: ApplyOwnedOptions,
  ): Promise<Applied<Other>> {
    const { memory } = this.#options
    const isOwned = options.owned ?? true
    // No object has this version: the server creates one, or fails (409) if one exists after all.
    const guarded = isOwned ? withMetadata(body, { resourceVersion: '1' }) : body
    try {
      const object = await this.#send<Other>(kind, guarded)
      const outcome = memory.knows(kind, body) ? 'drift' : 'created'
      memory.inPlace(kind, body)
      return { object, outcome }
    } catch (error) {
      const found =
        isOwned && isConflict(error) ? await this.#live(kind, keyOf(body as unknown as ApiObject)) : undefined
      if (found === undefined) throw error
      return this.#change(kind, body, found, options)
    }
  }

  async #change<Other extends ApiObject>(
    kind: Kind<Other>,
    body: JsonObject,
    existing: Live<Other>,
    options: ApplyOwnedOptions,
  ): Promise<Applied<Other>> {
    const { manager, memory } = this.#options
    if (options.owned ?? true) this.#refuseForeign(kind, existing, options.adopt ?? false)
    const path = firstDifference(body, existing as FrozenJson, manager)
    if (path === undefined || memory.isIneffective(kind, body, existing)) {
      if (!memory.knows(kind, body)) memory.inPlace(kind, body)
      return { object: existing, outcome: 'unchanged' }
    }
    if (existing.metadata.deletionTimestamp !== undefined) {
      throw new BeingDeletedError(
        `${kind.kind} ${keyText(keyOf(existing))} is being deleted; it is made anew once it is gone`,
      )
    }
    return this.#put(kind, body, existing, path, options.repair ?? true)
  }

  async #put<Other extends ApiObject>(
    kind: Kind<Other>,
    body: JsonObject,
    existing: Live<Other>,
    path: FieldPath,
    repair: boolean,
  ): Promise<Applied<Other>> {
    const { memory } = this.#options
    const drift = await this.#driftOf(kind, body, existing, path)
    const guarded = withMetadata(body, { uid: existing.metadata.uid })
    if (drift !== undefined && !repair) return this.#leave(kind, body, guarded, existing, path, drift.culprit)
    const object = await this.#send<Other>(kind, guarded)
    if (object.metadata.resourceVersion === existing.metadata.resourceVersion) {
      memory.noteIneffective(kind, body, existing)
      return { object, outcome: 'unchanged' }
    }
    memory.inPlace(kind, body)
    const field = path.length === 0 ? undefined : fieldText(path)
    return drift === undefined
      ? { object, outcome: 'updated', field }
      : { object, outcome: 'drift', field, culprit: drift.culprit }
  }

  /** If in doubt, a dry run shows whether there is any difference. */
  async #leave<Other extends ApiObject>(
    kind: Kind<Other>,
    body: JsonObject,
    guarded: JsonObject,
    existing: Live<Other>,
    path: FieldPath,
    culprit: string | undefined,
  ): Promise<Applied<Other>> {
    const { memory } = this.#options
    const object = await this.#send<Other>(kind, guarded, true)
    if (!equalJson(content(object), content(existing)))
      return { object: existing, outcome: 'left', field: fieldText(path), culprit }
    memory.noteIneffective(kind, body, existing)
    return { object: existing, outcome: 'unchanged' }
  }

  /**
   * Undefined: it is not drift, but a new desired state. Caches keep only fields of appliers, so this reads from the
   * server; drift is rare.
   */
  async #driftOf<Other extends ApiObject>(
    kind: Kind<Other>,
    body: JsonObject,
    existing: Live<Other>,
    path: FieldPath,
  ): Promise<{ readonly culprit?: string | undefined } | undefined> {
    const { manager, isObserved, memory } = this.#options
    const isSameDesired = memory.isSameDesired(kind, body)
    const entry = appliedEntry(existing as JsonObject, manager)
    // A manager that still owns the field wants another value now; one that lost it lost it to another manager.
    const mayBeDrift = isSameDesired ?? (isObserved && entry !== undefined && path.length > 0 && !owns(entry, path))
    if (!mayBeDrift) return undefined
    const managers = (await this.#live(kind, keyOf(existing)))?.metadata.managedFields as Parameters<
      typeof lastOtherOwner
    >[0]
    if (isSameDesired === undefined && !isOwnedByOthers(managers, path, manager)) return undefined
    return { culprit: lastOtherOwner(managers, path, manager) }
  }

  async #send<Other extends ApiObject>(kind: Kind<Other>, body: JsonObject, dryRun = false): Promise<Live<Other>> {
    const { cache, manager, signal } = this.#options
    try {
      return await cache.client.apply(kind, body as Partially<Other>, {
        // An apply always rejects unknown fields; the other check, for duplicate fields, is not needed here.
        fieldManager: manager,
        force: true,
        fieldValidation: 'Ignore',
        signal,
        ...(dryRun ? { dryRun } : {}),
      })
    } catch (error) {
      // Another object of the same name has replaced it: a race like any other.
      if (isInvalid(error) && error.status.details?.causes?.some(({ field }) => field === 'metadata.uid') === true) {
        throw apiError.modified({ group: kind.group, resource: kind.plural }, keyOf(body as unknown as ApiObject).name)
      }
      throw error
    }
  }

  async #live<Other extends ApiObject>(kind: Kind<Other>, key: ObjectKey): Promise<Live<Other> | undefined> {
    const { cache, signal } = this.#options
    try {
      return await cache.client.get(kind, key, { signal })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  #refuseForeign(kind: Kind, existing: LiveObject, adopt: boolean): void {
    const { owner, kind: ownerKind } = this.#options
    const controller = controllerOf(existing)
    if (controller?.uid === owner.metadata.uid || (controller === undefined && adopt)) return
    const who = controller === undefined ? 'nobody controls' : `${controller.kind} ${controller.name} controls`
    throw new NotOwnedError(
      `${kind.kind} ${keyText(keyOf(existing))} exists, and ${who} it, not ${ownerKind.kind} ${owner.metadata.name}: ` +
        'rename or delete one of them',
    )
  }

  #manifest<Other extends ApiObject>(kind: Kind<Other>, wanted: Partially<Other>, owned: boolean): JsonObject {
    const { owner, kind: ownerKind } = this.#options
    const { metadata, ...rest } = wanted
    const { namespace } = owner.metadata
    const meta: JsonObject = { ...(metadata as JsonObject) }
    if (kind.namespaced && namespace !== undefined) meta['namespace'] ??= namespace
    if (owned)
      meta['ownerReferences'] = [...((meta['ownerReferences'] ?? []) as Json[]), controllerReference(ownerKind, owner)]
    return withoutUndefined(
      withEncodedSecret({ ...rest, apiVersion: kind.apiVersion, kind: kind.kind, metadata: meta }),
    )
  }
}

/** The fields that an apply may change. */
function content(object: LiveObject): JsonObject {
  const { status: _, metadata, ...rest } = object as unknown as JsonObject
  const {
    managedFields: _managed,
    resourceVersion: _version,
    generation: _generation,
    ...kept
  } = metadata as JsonObject
  return { ...rest, metadata: kept }
}

function withMetadata(body: JsonObject, fields: JsonObject): JsonObject {
  return { ...body, metadata: { ...(body['metadata'] as JsonObject), ...fields } }
}

/** `stringData` is write-only: the server stores it in `data`, and only that can be compared. */
function withEncodedSecret(object: JsonObject): JsonObject {
  const { stringData, ...rest } = object
  if (object['apiVersion'] !== 'v1' || object['kind'] !== 'Secret' || !isObject(stringData)) return object
  const data: JsonObject = { ...((rest['data'] ?? {}) as JsonObject) }
  for (const [name, text] of Object.entries(stringData))
    if (text !== undefined) setOwn(data, name, Buffer.from(String(text)).toString('base64'))
  return { ...rest, data }
}
