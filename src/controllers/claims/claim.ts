/**
 * Who controls what a selector matches: objects that match and have no controller are adopted, own ones that do not match any
 * more are released. Nothing is adopted for an owner that is being deleted, and nothing that is being deleted.
 */
import {
  ApiError, controllerOf, controllerReference, isControlledBy, keyOf,
  type ApiObject, type Client, type Kind, type Live, type Selector,
} from '../../index.ts'

export interface ClaimOptions<Owner extends ApiObject, Owned extends ApiObject> {
  readonly client: Client
  readonly signal: AbortSignal
  readonly ownerKind: Kind<Owner>
  readonly owner: Live<Owner>
  readonly kind: Kind<Owned>
  readonly selector: Selector
}

/** Those of `objects` that the owner controls afterwards. */
export async function claim<Owner extends ApiObject, Owned extends ApiObject>(objects: readonly Live<Owned>[], options: ClaimOptions<Owner, Owned>): Promise<Live<Owned>[]> {
  const claimed: Live<Owned>[] = []
  for (const object of objects) {
    const kept = await claimOne(object, options)
    if (kept !== undefined) claimed.push(kept)
  }
  return claimed
}

async function claimOne<Owner extends ApiObject, Owned extends ApiObject>(object: Live<Owned>, options: ClaimOptions<Owner, Owned>): Promise<Live<Owned> | undefined> {
  const { owner, selector } = options
  const matches = selector.matches(object.metadata.labels)
  if (isControlledBy(object, owner)) {
    if (matches) return object
    if (owner.metadata.deletionTimestamp === undefined) await release(object, options)
    return undefined
  }
  const isFree = controllerOf(object) === undefined && object.metadata.deletionTimestamp === undefined
  return matches && isFree && owner.metadata.deletionTimestamp === undefined ? adopt(object, options) : undefined
}

/** Only an owner that is really still there may adopt: the cache may not know yet that it was deleted. */
async function adopt<Owner extends ApiObject, Owned extends ApiObject>(object: Live<Owned>, options: ClaimOptions<Owner, Owned>): Promise<Live<Owned> | undefined> {
  const { client, signal, ownerKind, owner, kind } = options
  const fresh = await unlessGone(client.get(ownerKind, keyOf(owner), { signal }))
  if (fresh?.metadata.uid !== owner.metadata.uid || fresh.metadata.deletionTimestamp !== undefined) return undefined
  const patch = { metadata: { uid: object.metadata.uid, ownerReferences: [controllerReference(ownerKind, owner)] } }
  return unlessGone(client.patch(kind, keyOf(object), { type: 'strategic', patch }, { signal }))
}

async function release<Owner extends ApiObject, Owned extends ApiObject>(object: Live<Owned>, { client, signal, owner, kind }: ClaimOptions<Owner, Owned>): Promise<void> {
  const patch = { metadata: { uid: object.metadata.uid, ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }] } }
  await unlessGone(client.patch(kind, keyOf(object), { type: 'strategic', patch }, { signal }))
}

/** An object that is gone, or another one of its name by now, is no error: there is nothing to claim. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 422 || error.code === 409)) return undefined
    throw error
  }
}
