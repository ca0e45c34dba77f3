/**
 * Every write to the server while a scenario runs: who made it, how often each object was created and deleted, and what
 * the oracles say of it at the very moment it happens.
 */
import type { ApiObject, Live } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Transport } from '../client/transport.ts'
import type { Store, StoreEvent, StoreWatch } from '../controlplane/storage/store.ts'
import type { Env } from '../env/env.ts'
import type { Kind } from '../schema/kind.ts'

/** One write that changed something. */
export interface Change {
  readonly type: 'create' | 'update' | 'delete'
  /** Whether the operator under test made it; else it was the user of the scenario, or the cluster itself. */
  readonly by: 'operator' | 'others'
  /** As it is now; of a delete, as it was last. */
  readonly object: KubeObject
  readonly previous: KubeObject | undefined
}

/** What an oracle may look at: the server's objects at this moment. */
export interface World {
  readonly now: number
  /** Of all namespaces. */
  objects<T extends ApiObject>(kind: Kind<T>): readonly Live<T>[]
  /** Whether an object with this uid is there, or was at some time. */
  hasExisted(uid: string): boolean
}

/** Says what is wrong, in a few words; undefined: nothing. What it throws is wrong, too. */
export interface Oracle {
  readonly name: string
  /** Asked about every write, right after it. */
  readonly change?: ((change: Change, world: World) => string | undefined) | undefined
  /** Asked when all has come to rest after a step. */
  readonly rest?: ((world: World) => string | undefined) | undefined
}

/** `apps/v1 Deployment` */
export function typeOf({ apiVersion = '', kind = '' }: Pick<KubeObject, 'apiVersion' | 'kind'>): string {
  return `${apiVersion} ${kind}`
}

export class Changes {
  readonly #oracles: readonly Oracle[]
  readonly #uids = new Set<string>()
  readonly #violations = new Set<string>()
  /** By what happened: `created v1 ConfigMap default/a`. */
  #counts = new Map<string, number>()
  readonly #written = new Set<string>()
  #followed: { readonly watch: StoreWatch; readonly world: World } | undefined
  #by: Change['by'] = 'others'

  constructor(oracles: readonly Oracle[]) {
    this.#oracles = oracles
  }

  /** From now on. */
  follow(store: Store, env: Env): void {
    for (const { object } of store.list('/registry/').items) this.#uids.add(object.metadata.uid ?? '')
    const world: World = {
      get now() {
        return env.now()
      },
      objects: (kind) => objectsOf(store, kind),
      hasExisted: (uid) => this.#uids.has(uid),
    }
    this.#followed = { world, watch: store.watch('/registry/', store.revision, (event) => this.#note(event, world)) }
  }

  /** Types of what the operator has written. */
  get written(): ReadonlySet<string> {
    return this.#written
  }

  /** Creations and deletions since this was last asked for. */
  takeCounts(): ReadonlyMap<string, number> {
    const counts = this.#counts
    this.#counts = new Map()
    return counts
  }

  /** What the oracles found since this was last asked for, each once. */
  takeViolations(): readonly string[] {
    const violations = [...this.#violations]
    this.#violations.clear()
    return violations
  }

  /** The server does all of a request before it gives its promise, so that nobody else can write in between. */
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

  /** All is at rest. */
  rest(): void {
    const world = this.#followed?.world
    if (world !== undefined) for (const oracle of this.#oracles) this.#ask(oracle, () => oracle.rest?.(world))
  }

  stop(): void {
    this.#followed?.watch.stop()
  }

  #note({ type, current, previous }: StoreEvent, world: World): void {
    const { object } = current
    this.#uids.add(object.metadata.uid ?? '')
    const change: Change = {
      type: type === 'delete' ? 'delete' : previous === undefined ? 'create' : 'update',
      by: this.#by,
      object,
      previous: previous?.object,
    }
    if (this.#by === 'operator') this.#written.add(typeOf(object))
    if (change.type === 'create') this.#count('created', object)
    // A deletion that waits for finalizers is one as soon as it is asked for.
    const isMarked = object.metadata.deletionTimestamp !== undefined
    if (isMarked && previous?.object.metadata.deletionTimestamp === undefined) this.#count('deleted', object)
    else if (change.type === 'delete' && !isMarked) this.#count('deleted', object)
    for (const oracle of this.#oracles) this.#ask(oracle, () => oracle.change?.(change, world))
  }

  #count(what: string, object: KubeObject): void {
    const { namespace, name, generateName } = object.metadata
    const called = generateName === undefined ? name : `${generateName}*`
    const key = `${what} ${typeOf(object)} ${namespace === undefined ? '' : `${namespace}/`}${called}`
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
  const wanted = typeOf(kind)
  return store
    .list('/registry/')
    .items.filter(({ object }) => typeOf(object) === wanted)
    .map(({ object }) => object as unknown as Live<T>)
}
