/**
 * Processes one node of the owner graph: deletes an object whose owners are all gone, removes references to absent
 * owners, completes a foreground deletion when no dependents block it, and orphans dependents.
 */
import type { ApiObject, Client, Live, OwnerReference } from '../../index.ts'
import type { DeleteOptions } from '../../client/index.ts'
import { ApiError } from '../../index.ts'
import { blockersOf, foregroundFinalizer, isBlocking, orphanFinalizer, type Node } from './owner-graph.ts'
import { unlessGone, type OwnerLookup, type OwnerStates } from './owners.ts'

export interface CollectorOptions {
  readonly client: Client
  readonly owners: OwnerLookup
  /** The node must be processed again. */
  readonly again: (node: Node) => void
}

type Seen = NonNullable<Node['seen']>

export class Collector {
  readonly #options: CollectorOptions

  constructor(options: CollectorOptions) {
    this.#options = options
  }

  async collect(node: Node, signal: AbortSignal): Promise<void> {
    const { seen } = node
    if (seen === undefined) return
    if (node.isDeletingDependents) return this.#awaitDependents(node, seen, signal)
    if (node.isBeingDeleted || node.owners.length === 0) return
    if (isSafe(await this.#options.owners.sort(node, node.owners, signal))) return
    const latest = await this.#latest(node, seen, signal)
    if (latest === undefined || latest.metadata.deletionTimestamp !== undefined) return
    const owners = await this.#options.owners.sort(node, latest.metadata.ownerReferences ?? [], signal)
    if (isSafe(owners)) return
    if (owners.solid.length > 0) return this.#setOwners(seen, latest, owners.solid, signal)
    await this.#delete(node, seen, latest, owners, signal)
  }

  /** Removes this owner from its dependents, then its finalizer. */
  async orphan(node: Node, signal: AbortSignal): Promise<void> {
    const { seen } = node
    if (seen === undefined) return
    await Promise.all([...node.dependents].map((dependent) => this.#release(dependent, node.uid, signal)))
    await this.#removeFinalizer(node, seen, orphanFinalizer, signal)
  }

  async #release(dependent: Node, ownerUid: string, signal: AbortSignal): Promise<void> {
    if (dependent.seen === undefined) return
    const latest = await this.#latest(dependent, dependent.seen, signal)
    const references = (latest?.metadata.ownerReferences ?? []) as OwnerReference[]
    const left = references.filter(({ uid }) => uid !== ownerUid)
    if (latest !== undefined && left.length < references.length)
      await this.#setOwners(dependent.seen, latest, left, signal)
  }

  async #awaitDependents(node: Node, seen: Seen, signal: AbortSignal): Promise<void> {
    const blockers = blockersOf(node)
    if (blockers.length === 0) return this.#removeFinalizer(node, seen, foregroundFinalizer, signal)
    for (const blocker of blockers)
      if (!blocker.isDeletingDependents && !blocker.isBeingDeleted) this.#options.again(blocker)
  }

  async #delete(
    node: Node,
    seen: Seen,
    latest: Live<ApiObject>,
    { waiting }: OwnerStates,
    signal: AbortSignal,
  ): Promise<void> {
    const { client } = this.#options
    let { resourceVersion } = latest.metadata
    let policy = ownPolicy(latest)
    if (waiting.length > 0 && node.dependents.size > 0) {
      // A dependent that waits for its own dependents may wait for this object in the end: an owner that
      // nothing blocks breaks the cycle.
      const isMaybeCircle = [...node.dependents].some(({ isDeletingDependents }) => isDeletingDependents)
      if (isMaybeCircle) resourceVersion = await this.#unblock(seen, latest, signal)
      policy = 'Foreground'
    }
    const options: DeleteOptions = { uid: node.uid, resourceVersion, propagationPolicy: policy, signal }
    await unlessMissing(client.delete(seen.kind, seen.key, options))
  }

  /** Its owners no longer need to wait for this object. */
  async #unblock(seen: Seen, latest: Live<ApiObject>, signal: AbortSignal): Promise<string> {
    const references = (latest.metadata.ownerReferences ?? []) as OwnerReference[]
    if (!references.some(isBlocking)) return latest.metadata.resourceVersion
    const unblocked = references.map((reference) =>
      isBlocking(reference) ? { ...reference, blockOwnerDeletion: false } : reference,
    )
    const written = await this.#patch(seen, latest, { ownerReferences: unblocked }, signal)
    return written.metadata.resourceVersion
  }

  async #setOwners(
    seen: Seen,
    latest: Live<ApiObject>,
    owners: readonly OwnerReference[],
    signal: AbortSignal,
  ): Promise<void> {
    await unlessMissing(this.#patch(seen, latest, { ownerReferences: owners.length === 0 ? null : owners }, signal))
  }

  async #removeFinalizer(node: Node, seen: Seen, name: string, signal: AbortSignal): Promise<void> {
    const latest = await this.#latest(node, seen, signal)
    const finalizers = latest?.metadata.finalizers ?? []
    if (latest === undefined || !finalizers.includes(name)) return
    await unlessMissing(this.#patch(seen, latest, { finalizers: finalizers.filter((other) => other !== name) }, signal))
  }

  /** Fails (409) if the object has changed. */
  #patch(
    { kind, key }: Seen,
    { metadata: { uid, resourceVersion } }: Live<ApiObject>,
    change: object,
    signal: AbortSignal,
  ): Promise<Live<ApiObject>> {
    return this.#options.client.patch(
      kind,
      key,
      { type: 'merge', patch: { metadata: { uid, resourceVersion, ...change } } },
      { signal },
    )
  }

  /** As the server has it. Undefined if it is gone, or if another object has its name. */
  async #latest(node: Node, { kind, key }: Seen, signal: AbortSignal): Promise<Live<ApiObject> | undefined> {
    const latest = await unlessGone(this.#options.client.get(kind, key, { signal }), key)
    return latest?.metadata.uid === node.uid ? latest : undefined
  }
}

function isSafe({ dangling, waiting }: OwnerStates): boolean {
  return dangling.length === 0 && waiting.length === 0
}

/** The propagation policy that the finalizers of the object ask for. */
function ownPolicy({ metadata: { finalizers } }: Live<ApiObject>): 'Orphan' | 'Foreground' | 'Background' {
  if (finalizers?.includes(orphanFinalizer) === true) return 'Orphan'
  return finalizers?.includes(foregroundFinalizer) === true ? 'Foreground' : 'Background'
}

async function unlessMissing(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error
  }
}
