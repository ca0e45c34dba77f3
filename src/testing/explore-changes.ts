/**
 * Records every write to the server while a scenario runs: who made it, how often each object was created and deleted,
 * and what the oracles report at that moment.
 */
import type { ApiObject, Live } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Transport } from '../client/transport.ts'
import type { Store, StoreEvent, StoreWatch } from '../controlplane/storage/store.ts'
import type { Env } from '../env/env.ts'
import type { Kind } from '../schema/kind.ts'

/** A write that changed something. */
export interface ObservedChange {
  readonly type: 'create' | 'update' | 'delete'
  /** The operator under test, or another writer: the user of the scenario, or the cluster. */
  readonly by: 'operator' | 'others'
  /** The object after the write; for a delete, its last state. */
  readonly object: KubeObject
  readonly previous: KubeObject | undefined
}

/** What an oracle can see: the objects of the server at this moment. */
export interface ClusterView {
  readonly now: number
  /** In all namespaces. */
  objects<T extends ApiObject>(kind: Kind<T>): readonly Live<T>[]
  /** Whether an object with this uid exists or has existed. */
  hasExisted(uid: string): boolean
}

/** Returns what is wrong, in a few words, or undefined. An exception counts as a problem, too. */
export interface Oracle {
  readonly name: string
  /** Called right after every write. */
  readonly change?: ((change: ObservedChange, world: ClusterView) => string | undefined) | undefined
  /** Called when the cluster is settled after a step. */
  readonly rest?: ((world: ClusterView) => string | undefined) | undefined
}

/** `apps/v1 Deployment` */
export function kindText({ apiVersion = '', kind = '' }: Pick<KubeObject, 'apiVersion' | 'kind'>): string {
  return `${apiVersion} ${kind}`
}

export class ChangeRecorder {
  readonly #oracles: readonly Oracle[]
  readonly #uids = new Set<string>()
  readonly #violations = new Set<string>()
  /** Counts by action and object: `created v1 ConfigMap default/a`. */
  #counts = new Map<string, number>()
  readonly #written = new Set<string>()
  #followed: { readonly watch: StoreWatch; readonly world: ClusterView } | undefined
  #by: ObservedChange['by'] = 'others'

  constructor(oracles: readonly Oracle[]) {
    this.#oracles = oracles
  }

  /** Starts recording. */
  follow(store: Store, env: Env): void {
    for (const { object } of store.list('/registry/').items) this.#uids.add(object.metadata.uid ?? '')
    const world: ClusterView = {
      get now() {
        return env.now()
      },
      objects: (kind) => objectsOf(store, kind),
      hasExisted: (uid) => this.#uids.has(uid),
    }
    this.#followed = { world, watch: store.watch('/registry/', store.revision, (event) => this.#note(event, world)) }
  }

  /** The types that the operator has written. */
  get written(): ReadonlySet<string> {
    return this.#written
  }

  /** Creates and deletes since the last call. */
  takeCounts(): ReadonlyMap<string, number> {
    const counts = this.#counts
    this.#counts = new Map()
    return counts
  }

  /** What the oracles reported since the last call, without repetitions. */
  takeViolations(): readonly string[] {
    const violations = [...this.#violations]
    this.#violations.clear()
    return violations
  }

  /** The server processes a request completely before it returns its promise, so no other write comes in between. */
  byOperator(inner: Transport): Transport {
    return {
      ...(inner.host === undefined ? {} : { host: inner.host }),
      request: (request) => {
        this.#by = 'operator'
        try {
          return inner.request(request)
        } finally {
          this.#by = 'others'
        }
      },
      close: () => inner.close(),
    }
  }

  /** The cluster is settled. */
  rest(): void {
    const world = this.#followed?.world
    if (world !== undefined) for (const oracle of this.#oracles) this.#ask(oracle, () => oracle.rest?.(world))
  }

  stop(): void {
    this.#followed?.watch.stop()
  }

  #note({ type, current, previous }: StoreEvent, world: ClusterView): void {
    const { object } = current
    this.#uids.add(object.metadata.uid ?? '')
    const change: ObservedChange = {
      type: type === 'delete' ? 'delete' : previous === undefined ? 'create' : 'update',
      by: this.#by,
      object,
      previous: previous?.object,
    }
    if (this.#by === 'operator') this.#written.add(kindText(object))
    if (change.type === 'create') this.#count('created', object)
    // A deletion that waits for finalizers counts when it is requested.
    const isMarked = object.metadata.deletionTimestamp !== undefined
    if (isMarked && previous?.object.metadata.deletionTimestamp === undefined) this.#count('deleted', object)
    else if (change.type === 'delete' && !isMarked) this.#count('deleted', object)
    for (const oracle of this.#oracles) this.#ask(oracle, () => oracle.change?.(change, world))
  }

  #count(what: string, object: KubeObject): void {
    const { namespace, name, generateName } = object.metadata
    const called = generateName === undefined ? name : `${generateName}*`
    const key = `${what} ${kindText(object)} ${namespace === undefined ? '' : `${namespace}/`}${called}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  #ask(oracle: Oracle, question: () => string | undefined): void {
    let answer: string | undefined
    try {
      answer = question()
    } catch (error) {
      answer = `threw ${String(error)}`
    }
    if (answer !== undefined) this.#violations.add(`${oracle.name}: ${answer}`)
  }
}

function objectsOf<T extends ApiObject>(store: Store, kind: Kind<T>): readonly Live<T>[] {
  const wanted = kindText(kind)
  return store
    .list('/registry/')
    .items.filter(({ object }) => kindText(object) === wanted)
    .map(({ object }) => object as unknown as Live<T>)
}
