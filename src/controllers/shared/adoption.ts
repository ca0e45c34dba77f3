/**
 * Claims objects for an owner: adopts those that match its selector and have no controller, and releases those that no
 * longer match. An owner in deletion adopts nothing, and objects in deletion are not adopted.
 */
import {
  ApiError,
  controllerOf,
  keyOf,
  type ApiObject,
  type Kind,
  type Live,
  type LiveObject,
  type ObjectKey,
  type ReconcileContext,
} from '../../index.ts'
import { controllerReference, type MapReads } from '../../controller/index.ts'
import type { InformerOptions } from '../../cache/index.ts'
import { labelSelectorFrom, type Selector } from '../../api/index.ts'
import { keysInNamespace } from './keys-in-namespace.ts'

const orphanIndex = 'coxswain.dev/free'

/** The cache options of a claimed kind, with an index that finds objects without a controller. */
export const adoptableInformer: InformerOptions<ApiObject> = {
  indexes: { [orphanIndex]: (object) => (controllerOf(object) === undefined ? [''] : []) },
}

const noOwners: readonly ObjectKey[] = []

/** For `map`: the objects of a kind that may adopt an object, since it has no controller and their selector matches. */
export function adoptersOf<Owner extends ApiObject>(
  kind: Kind<Owner>,
  selectorOf: (owner: Live<Owner>) => Parameters<typeof labelSelectorFrom>[0],
): (object: LiveObject, reads: MapReads) => readonly ObjectKey[] {
  return (object, reads) =>
    controllerOf(object) === undefined
      ? keysInNamespace(reads, kind, object, (owner) =>
          labelSelectorFrom(selectorOf(owner)).matches(object.metadata.labels),
        )
      : noOwners
}

export interface AdoptionOptions<Owner extends ApiObject, Owned extends ApiObject> {
  readonly context: ReconcileContext<Owner>
  readonly kind: Kind<Owned>
  readonly selector: Selector
  /** Objects not matched by `isMember` are handled like those that the selector does not match. Default: all match. */
  readonly isMember?: ((object: Live<Owned>) => boolean) | undefined
  /** Objects not matched by `among` keep their owner. */
  readonly among?: ((object: Live<Owned>) => boolean) | undefined
  /** A finalizer that adopted objects get and released ones lose. Default: none. */
  readonly finalizer?: string | undefined
}

/** The objects that the owner controls afterwards. */
export async function adoptAndRelease<Owner extends ApiObject, Owned extends ApiObject>(
  claims: AdoptionOptions<Owner, Owned>,
): Promise<Live<Owned>[]> {
  const { context, kind, selector, isMember = () => true, among = () => true } = claims
  const matches = (object: Live<Owned>): boolean => selector.matches(object.metadata.labels) && isMember(object)
  const isKept = context.object.metadata.deletionTimestamp === undefined
  const claimed: Live<Owned>[] = []
  for (const object of (await context.owned(kind)).filter(among)) {
    if (matches(object)) claimed.push(object)
    else if (isKept) await release(object, claims)
  }
  if (!isKept) return claimed
  const free = await context.list(kind, { index: { index: orphanIndex, value: '' } })
  for (const object of free.filter(among)) {
    if (object.metadata.deletionTimestamp !== undefined || !matches(object)) continue
    const adopted = await adopt(object, claims)
    if (adopted !== undefined) claimed.push(adopted)
  }
  return claimed
}

/** Only an owner that still exists on the server may adopt: the cache may lag behind its deletion. */
async function adopt<Owner extends ApiObject, Owned extends ApiObject>(
  object: Live<Owned>,
  { context, kind, finalizer }: AdoptionOptions<Owner, Owned>,
): Promise<Live<Owned> | undefined> {
  const { object: owner, kind: ownerKind, client, signal } = context
  const fresh = await unlessGone(client.get(ownerKind, keyOf(owner), { signal }))
  if (fresh?.metadata.uid !== owner.metadata.uid || fresh.metadata.deletionTimestamp !== undefined) return undefined
  const ownerReferences = [controllerReference(ownerKind, owner)]
  const finalizers = finalizer === undefined ? {} : { finalizers: [finalizer] }
  const patch = { metadata: { uid: object.metadata.uid, ownerReferences, ...finalizers } }
  return unlessGone(client.patch(kind, keyOf(object), { type: 'strategic', patch }, { signal }))
}

async function release<Owner extends ApiObject, Owned extends ApiObject>(
  object: Live<Owned>,
  { context, kind, finalizer }: AdoptionOptions<Owner, Owned>,
): Promise<void> {
  const { object: owner, client, signal } = context
  const ownerReferences = [{ $patch: 'delete', uid: owner.metadata.uid }]
  const finalizers = finalizer === undefined ? {} : { '$deleteFromPrimitiveList/finalizers': [finalizer] }
  const patch = { metadata: { uid: object.metadata.uid, ownerReferences, ...finalizers } }
  await unlessGone(client.patch(kind, keyOf(object), { type: 'strategic', patch }, { signal }))
}

/** An object that is gone or was replaced under its name is no error: there is nothing to claim. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 422 || error.code === 409)) return undefined
    throw error
  }
}
