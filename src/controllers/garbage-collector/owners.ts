/** Determines which owners of an object exist: from the graph where possible, otherwise from the server. */
import {
  ApiError,
  type ApiObject,
  type Client,
  type Kind,
  type Live,
  type ObjectKey,
  type OwnerReference,
} from '../../index.ts'
import { foregroundFinalizer, isReferenceTo, type Node, type OwnerGraph } from './owner-graph.ts'
import type { ServedKinds } from './served-kinds.ts'

type Reference = Readonly<OwnerReference>

export interface OwnerStates {
  /** Existing, and not in foreground deletion. */
  readonly solid: readonly Reference[]
  /** Absent. */
  readonly dangling: readonly Reference[]
  /** In foreground deletion, waiting for their dependents. */
  readonly waiting: readonly Reference[]
}

/** The kind of the owner is not served, so nothing is known about it. */
export class UnknownOwnerKindError extends Error {
  constructor({ apiVersion, kind, name }: Reference) {
    super(`the owner ${name} is a ${kind} of ${apiVersion}, which the server does not serve`)
    this.name = 'UnknownOwnerKindError'
  }
}

/** A cluster-scoped object cannot have a namespaced owner: the namespace would be unknown. */
export class UnplacedOwnerError extends Error {
  constructor({ kind, name }: Reference) {
    super(`the owner ${kind} ${name} of a cluster-scoped object is of a namespaced kind`)
    this.name = 'UnplacedOwnerError'
  }
}

/** Absent owners: a deleted owner of many objects is looked up once. */
const maxAbsentOwners = 500

export class OwnerLookup {
  readonly #client: Client
  readonly #graph: OwnerGraph
  readonly #kinds: ServedKinds
  readonly #absent = new Set<string>()

  constructor(client: Client, graph: OwnerGraph, kinds: ServedKinds) {
    this.#client = client
    this.#graph = graph
    this.#kinds = kinds
  }

  /** Throws {@link UnknownOwnerKindError} and {@link UnplacedOwnerError}. */
  async sort(node: Node, references: readonly Reference[], signal: AbortSignal): Promise<OwnerStates> {
    const owners = { solid: [] as Reference[], dangling: [] as Reference[], waiting: [] as Reference[] }
    for (const reference of references) owners[await this.#stateOf(node, reference, signal)].push(reference)
    return owners
  }

  async #stateOf(node: Node, reference: Reference, signal: AbortSignal): Promise<keyof OwnerStates> {
    const known = this.#graph.get(reference.uid)
    if (known !== undefined && isReferenceTo(reference, node, known))
      return known.isDeletingDependents ? 'waiting' : 'solid'
    const kind = this.#kinds.find(reference.apiVersion, reference.kind)
    if (kind === undefined) throw new UnknownOwnerKindError(reference)
    const namespace = node.seen?.key.namespace
    if (kind.namespaced && namespace === undefined) throw new UnplacedOwnerError(reference)
    return this.#ask(
      kind,
      kind.namespaced ? { namespace, name: reference.name } : { name: reference.name },
      reference.uid,
      signal,
    )
  }

  async #ask(kind: Kind, key: ObjectKey, uid: string, signal: AbortSignal): Promise<keyof OwnerStates> {
    const place = JSON.stringify([uid, kind.apiVersion, kind.plural, key.namespace, key.name])
    if (this.#absent.has(place)) return 'dangling'
    const owner = await unlessGone(this.#client.get(kind, key, { signal }), key)
    if (owner?.metadata.uid !== uid) {
      this.#remember(place)
      return 'dangling'
    }
    const { deletionTimestamp, finalizers } = owner.metadata
    return deletionTimestamp !== undefined && finalizers?.includes(foregroundFinalizer) === true ? 'waiting' : 'solid'
  }

  #remember(place: string): void {
    this.#absent.add(place)
    if (this.#absent.size <= maxAbsentOwners) return
    for (const oldest of this.#absent) {
      this.#absent.delete(oldest)
      break
    }
  }
}

/** Undefined if the server says that the object does not exist. A kind that is not served is another matter. */
export async function unlessGone<T extends ApiObject>(
  call: Promise<Live<T>>,
  { name }: ObjectKey,
): Promise<Live<T> | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ApiError && error.code === 404 && error.status.details?.name === name) return undefined
    throw error
  }
}
