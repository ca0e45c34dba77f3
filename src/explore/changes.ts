/**
 * Records every write to the server while a scenario runs: who made it, how often each object was created and deleted,
 * and what the oracles report at that moment.
 */
import type { ApiObject, Live } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Transport } from '../client/transport.ts'
import type { Store, StoreEvent, StoreWatch } from '../controlplane/storage/store.ts'
import type { Env } from '../env/env.ts'
import type { ElectionOptions } from '../manager/lease-election.ts'
import type { Kind } from '../schema/kind.ts'
import type { StepExpectation } from './expectations.ts'
import type { GrowingOperatorView } from './operator-view.ts'

/** A write that changed something. */
export interface ObservedChange {
  readonly type: 'create' | 'update' | 'delete'
  /** The operator under test, or another writer: the user of the scenario, or the cluster. */
  readonly by: 'operator' | 'others'
  /** The object after the write; for a delete, its last state. */
  readonly object: KubeObject
  readonly previous: KubeObject | undefined
  /** Whether it was a server-side apply. */
  readonly isApply: boolean
}

/** What an oracle can see: the objects of the server at this moment. */
export interface ClusterView {
  readonly now: number
  /** In all namespaces. */
  objects<T extends ApiObject>(kind: Kind<T>): readonly Live<T>[]
  /** Whether an object with this uid exists or has existed. */
  hasExisted(uid: string): boolean
  /** All objects of the server. */
  readonly all: readonly KubeObject[]
  /**
   * Whether the operator has created the object with this uid since the recording began, or a controller has for an
   * object that the operator has created.
   */
  isMade(uid: string): boolean
  readonly operator: OperatorView
  /** What the current step expects. */
  readonly expects: StepExpectation
}

/** What an oracle knows of the operator. */
export interface OperatorView {
  /** The kinds that its controllers reconcile. */
  readonly kinds: readonly Kind[]
  /** The kinds that it owns. */
  readonly owned: readonly Kind[]
  /** Its field managers, as far as they are known. */
  readonly managers: ReadonlySet<string>
  /** Whether its controllers watch or read events. */
  readonly readsEvents: boolean
  /** Whether the garbage collector runs in the cluster. */
  readonly isCollected: boolean
  /** Undefined: every instance of the operator works. */
  readonly leaderElection?: ElectionOptions | undefined
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

/** Objects that no operator is responsible for: events expire, leases are renewed. */
const passing = new Set(['v1 Event', 'events.k8s.io/v1 Event', 'coordination.k8s.io/v1 Lease'])

export function isPassing(object: KubeObject): boolean {
  return passing.has(kindText(object))
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
  #isApply = false
  readonly #made = new Set<string>()
  #writes = 0
  readonly #operator: GrowingOperatorView
  expects: StepExpectation = 'ready'

  constructor(oracles: readonly Oracle[], operator: GrowingOperatorView) {
    this.#oracles = oracles
    this.#operator = operator
  }

  /** Starts recording; once more when the server was restored: what was lost has never existed. */
  follow(store: Store, env: Env): void {
    this.stop()
    this.#uids.clear()
    for (const { object } of store.list('/registry/').items) this.#uids.add(object.metadata.uid ?? '')
    const expects = (): StepExpectation => this.expects
    const world: ClusterView = {
      get now() {
        return env.now()
      },
      get all() {
        return store.list('/registry/').items.map(({ object }) => object)
      },
      get expects() {
        return expects()
      },
      operator: this.#operator,
      isMade: (uid) => this.#made.has(uid),
      objects: (kind) => objectsOf(store, kind),
      hasExisted: (uid) => this.#uids.has(uid),
    }
    this.#followed = { world, watch: store.watch('/registry/', store.revision, (event) => this.#note(event, world)) }
  }

  /** The types that the operator has written. */
  get written(): ReadonlySet<string> {
    return this.#written
  }

  /** How often the operator has changed objects since the last call, without events and leases. */
  takeWrites(): number {
    const writes = this.#writes
    this.#writes = 0
    return writes
  }

  /** Creates and deletes since the last `takeCounts`. */
  get counts(): ReadonlyMap<string, number> {
    return new Map(this.#counts)
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
        this.#isApply = request.headers?.['content-type']?.includes('apply-patch') === true
        const manager = /[?&]fieldManager=([^&]*)/.exec(request.path)?.[1]
        if (manager !== undefined) this.#operator.managers.add(decodeURIComponent(manager))
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
      isApply: this.#isApply,
    }
    if (this.#by === 'operator') {
      this.#written.add(kindText(object))
      if (!isPassing(object)) this.#writes++
    }
    if (change.type === 'create') {
      this.#count('created', object)
      const isFor = object.metadata.ownerReferences?.some(({ uid }) => this.#made.has(uid)) === true
      if ((this.#by === 'operator' && !isPassing(object)) || isFor) this.#made.add(object.metadata.uid ?? '')
    }
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
