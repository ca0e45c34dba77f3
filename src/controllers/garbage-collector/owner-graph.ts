/**
 * The owner graph by uid, built from watches. An owner that has not been observed is a virtual node, which knows only
 * its dependents. Each change reports the nodes to process; the graph decides nothing about them.
 */
import { kindName } from '../../schema/index.ts'
import type { Kind, ObjectKey, OwnerReference } from '../../index.ts'
import type { LiveMeta } from '../../api/index.ts'

export const foregroundFinalizer = 'foregroundDeletion'
export const orphanFinalizer = 'orphan'

type Reference = Readonly<OwnerReference>

export interface Node {
  readonly uid: string
  /** The observed type. Undefined: virtual. */
  readonly seen: { readonly kind: Kind; readonly key: ObjectKey } | undefined
  readonly owners: readonly Reference[]
  readonly dependents: ReadonlySet<Node>
  readonly isBeingDeleted: boolean
  /** In foreground deletion: it waits for its dependents. */
  readonly isDeletingDependents: boolean
}

type GraphNode = { -readonly [Field in keyof Node]: Node[Field] } & { dependents: Set<GraphNode>; isOrphaning: boolean }

/** Notified about the effects of a change. */
export interface GraphWork {
  /** An owner of the node may be gone, or a dependent that the node waits for has changed. */
  collect(node: Node): void
  /** The node is deleted with propagation policy Orphan. */
  orphan(node: Node): void
  /** The node refers to an owner in another namespace. */
  misplaced(node: Node, reference: Reference): void
}

export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>()
  readonly #work: GraphWork

  constructor(work: GraphWork) {
    this.#work = work
  }

  get size(): number {
    return this.#nodes.size
  }

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid)
  }

  /** An object exists in this version. */
  saw(kind: Kind, metadata: LiveMeta): void {
    const node = this.#node(metadata.uid)
    const isNew = node.seen === undefined
    node.seen ??= {
      kind,
      key:
        metadata.namespace === undefined
          ? { name: metadata.name }
          : { namespace: metadata.namespace, name: metadata.name },
    }
    if (isNew) for (const dependent of node.dependents) this.#checkPlace(dependent, node)
    this.#relink(node, metadata.ownerReferences ?? [])
    this.#noteDeletion(node, metadata)
  }

  /** An object is gone. Its dependents have lost an owner, and its owners a dependent. */
  lost(uid: string): void {
    const node = this.#nodes.get(uid)
    if (node === undefined) return
    node.seen = undefined
    node.isBeingDeleted = node.isDeletingDependents = node.isOrphaning = false
    for (const { uid: owner } of node.owners) this.#unlink(node, owner, true)
    node.owners = []
    for (const dependent of node.dependents) this.#work.collect(dependent)
    this.#dropIfUnused(node)
  }

  #node(uid: string): GraphNode {
    const known = this.#nodes.get(uid)
    if (known !== undefined) return known
    const node: GraphNode = {
      uid,
      seen: undefined,
      owners: none,
      dependents: new Set(),
      isBeingDeleted: false,
      isDeletingDependents: false,
      isOrphaning: false,
    }
    this.#nodes.set(uid, node)
    return node
  }

  #relink(node: GraphNode, owners: readonly Reference[]): void {
    const before = node.owners
    if (before.length === 0 && owners.length === 0) return
    node.owners = owners
    for (const old of before) {
      const now = owners.find(({ uid }) => uid === old.uid)
      const isFreed = isBlocking(old) && (now === undefined || !isBlocking(now))
      if (now === undefined) this.#unlink(node, old.uid, isFreed)
      else if (isFreed) this.#collectIfWaiting(this.#nodes.get(old.uid))
    }
    for (const owner of owners) if (!before.some(({ uid }) => uid === owner.uid)) this.#link(node, owner)
  }

  #link(node: GraphNode, { uid }: Reference): void {
    const owner = this.#node(uid)
    owner.dependents.add(node)
    // As upstream, an owner in foreground deletion does not delete it until it loses another dependent.
    if (owner.seen === undefined) this.#work.collect(node)
    else this.#checkPlace(node, owner)
  }

  #unlink(node: GraphNode, ownerUid: string, isFreed: boolean): void {
    const owner = this.#nodes.get(ownerUid)
    if (owner === undefined) return
    owner.dependents.delete(node)
    if (isFreed) this.#collectIfWaiting(owner)
    this.#dropIfUnused(owner)
  }

  #collectIfWaiting(owner: GraphNode | undefined): void {
    if (owner?.isDeletingDependents === true) this.#work.collect(owner)
  }

  #dropIfUnused(node: GraphNode): void {
    if (node.seen === undefined && node.dependents.size === 0) this.#nodes.delete(node.uid)
  }

  /** A reference with the uid of an object but another name, kind or namespace does not refer to it. */
  #checkPlace(node: GraphNode, owner: GraphNode): void {
    const reference = node.owners.find(({ uid }) => uid === owner.uid)
    if (reference === undefined || node.seen === undefined || owner.seen === undefined) return
    if (owner.seen.kind.namespaced && owner.seen.key.namespace !== node.seen.key.namespace)
      this.#work.misplaced(node, reference)
    if (!isReferenceTo(reference, node, owner)) this.#work.collect(node)
  }

  #noteDeletion(node: GraphNode, { deletionTimestamp, finalizers }: LiveMeta): void {
    if (deletionTimestamp === undefined) return
    node.isBeingDeleted = true
    const has = (name: string): boolean => finalizers?.includes(name) === true
    if (!node.isOrphaning && has(orphanFinalizer)) {
      node.isOrphaning = true
      this.#work.orphan(node)
    }
    if (node.isDeletingDependents || !has(foregroundFinalizer)) return
    node.isDeletingDependents = true
    for (const dependent of node.dependents) this.#work.collect(dependent)
    this.#work.collect(node)
  }
}

const none: readonly Reference[] = []

/** Whether an owner in foreground deletion waits for the dependent with this reference. */
export function isBlocking({ blockOwnerDeletion }: Reference): boolean {
  return blockOwnerDeletion === true
}

/** The dependents that block the deletion of the node. */
export function blockersOf(node: Node): Node[] {
  return [...node.dependents].filter(({ owners }) =>
    owners.some((owner) => owner.uid === node.uid && isBlocking(owner)),
  )
}

/** Whether the reference matches the owner completely: uid, kind, name, and the expected namespace. */
export function isReferenceTo(reference: Reference, { seen }: Node, owner: Node): boolean {
  if (owner.seen === undefined || owner.uid !== reference.uid) return false
  const { kind, key } = owner.seen
  const slash = reference.apiVersion.indexOf('/')
  const group = slash < 0 ? '' : reference.apiVersion.slice(0, slash)
  const isInPlace = !kind.namespaced || key.namespace === seen?.key.namespace
  return isInPlace && kind.group === group && kind.kind === reference.kind && key.name === reference.name
}

/** `[apps/v1/ReplicaSet, namespace: default, name: web, uid: …]` */
export function describe({ apiVersion, kind, name, uid }: Reference, namespace: string): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
}

/** `configmaps default/settings`, for logs. */
export function nodeName({ uid, seen }: Node): string {
  if (seen === undefined) return uid
  const { namespace, name } = seen.key
  return `${kindName(seen.kind)} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}
