/** Which of an object's owners are really there: the graph knows most of them, the server is asked for the others. */
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

export interface Owners {
  /** There, and staying. */
  readonly solid: readonly Reference[]
  /** Not there. */
  readonly dangling: readonly Reference[]
  /** Going, once their dependents are gone. */
  readonly waiting: readonly Reference[]
}

/** Nothing can be said about the owner as long as the server does not serve its kind. */
export class UnknownOwnerKindError extends Error {
  constructor({ apiVersion, kind, name }: Reference) {
    super(`the owner ${name} is a ${kind} of ${apiVersion}, which the server does not serve`)
    this.name = 'UnknownOwnerKindError'
  }
}

/** A cluster-scoped object cannot have an owner in a namespace: in which one would it be looked for? */
export class UnplacedOwnerError extends Error {
  constructor({ kind, name }: Reference) {
    super(`the owner ${kind} ${name} of a cluster-scoped object is of a namespaced kind`)
    this.name = 'UnplacedOwnerError'
  }
}

/** Owners known not to be there: a deleted owner of many is asked for once. */
const mostAbsent = 500

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
  async sort(node: Node, references: readonly Reference[], signal: AbortSignal): Promise<Owners> {
    const owners = { solid: [] as Reference[], dangling: [] as Reference[], waiting: [] as Reference[] }
    for (const reference of references) owners[await this.#stateOf(node, reference, signal)].push(reference)
    return owners
  }

  async #stateOf(node: Node, reference: Reference, signal: AbortSignal): Promise<keyof Owners> {
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

  async #ask(kind: Kind, key: ObjectKey, uid: string, signal: AbortSignal): Promise<keyof Owners> {
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
    if (this.#absent.size <= mostAbsent) return
    for (const oldest of this.#absent) {
      this.#absent.delete(oldest)
      break
    }
  }
}

/** Undefined when the server says that this object is not there. That its kind is not there is another matter. */
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
