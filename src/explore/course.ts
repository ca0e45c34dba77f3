/**
 * The course of a run: the moments at which nothing was left to do at the current time. A run with faults that comes to
 * a moment of the run without faults goes on as that one did: it need not be played to its end.
 *
 * Two moments are equal if the objects of the server are (without events and leases) and the states of external
 * systems, if the queues of the operator have keys with delays of the same order, and if all its watches are open. What
 * programs remember besides is not compared.
 */
import type { ReusableCluster, Snapshot } from '../cluster/embedded-handle.ts'
import type { StoreWatch } from '../controlplane/storage/store.ts'
import { isPassing } from './changes.ts'
import type { RunObservers } from './run-observers.ts'
import type { TrialResult } from './trial.ts'
import { HashSum, plainText } from './object-hash.ts'
import { hashText } from './search/hash.ts'

/** By moment: how often each object had been created and deleted by then. */
export type Course = ReadonlyMap<string, ReadonlyMap<string, number>>

export class PlayedCourse {
  /** Empty if there is a twin. */
  readonly moments = new Map<string, ReadonlyMap<string, number>>()
  readonly #cluster: ReusableCluster
  readonly #observers: RunObservers
  readonly #twin: TrialResult | undefined
  readonly #objects = new HashSum()
  /** Keys that were written since the last moment: most are written several times. */
  readonly #written = new Set<string>()
  readonly #watch: StoreWatch
  /** What the twin had created and deleted when this run came to a moment of it. */
  #joined: ReadonlyMap<string, number> | undefined

  /** `twin`: the run without faults. */
  constructor(cluster: ReusableCluster, observers: RunObservers, twin: TrialResult | undefined) {
    this.#cluster = cluster
    this.#observers = observers
    this.#twin = twin
    const { store } = cluster.plane
    for (const { key } of store.list('/registry/').items) this.#written.add(key)
    this.#watch = store.watch('/registry/', store.revision, ({ key }) => this.#written.add(key))
  }

  /** The run goes on as its twin did. */
  get isJoined(): boolean {
    return this.#joined !== undefined
  }

  /** Until all is at rest, or the run goes on as its twin did. */
  settle(): Promise<void> {
    return this.#cluster.settleUntil(() => this.#note())
  }

  #note(): boolean {
    const { script, changes } = this.#observers
    const moment = script.isSpent ? this.#moment() : undefined
    if (moment === undefined) return false
    if (this.#twin === undefined) this.moments.set(moment, changes.counts)
    else this.#joined = this.#twin.course.get(moment)
    return this.isJoined
  }

  /** Undefined: this moment is equal to no other. */
  #moment(): string | undefined {
    const { env, manager, instances, externals } = this.#cluster
    if (instances !== 1 || !manager.cache.informers.every(({ state }) => state === 'watching')) return undefined
    const delays = manager.queues.map((queue) =>
      queue
        .dueTimes()
        .map((due) => orderOfMagnitude(due - env.monotonic()))
        .sort((a, b) => a - b)
        .join(),
    )
    return `${this.#state()} ${delays.join(';')} ${plainText(externals)}`
  }

  #state(): string {
    const { store } = this.#cluster.plane
    for (const key of this.#written) {
      const object = store.get(key)?.object
      if (object === undefined || !isPassing(object)) this.#objects.put(key, object)
    }
    this.#written.clear()
    return hashText(this.#objects.value)
  }

  /** With what the twin did from the common moment on. */
  completed(result: TrialResult): TrialResult {
    const [twin, joined] = [this.#twin, this.#joined]
    if (twin === undefined || joined === undefined) return result
    const counts = new Map(result.counts)
    for (const [what, count] of twin.counts) {
      const later = count - (joined.get(what) ?? 0)
      if (later > 0) counts.set(what, (counts.get(what) ?? 0) + later)
    }
    return { ...result, counts, end: twin.end, unmet: twin.unmet }
  }

  end(): void {
    this.#watch.stop()
  }
}

/** Of a delay: how much of it has passed already makes no difference. */
function orderOfMagnitude(ms: number): number {
  return Math.round(Math.log10(Math.max(1, ms)))
}

/** Whether two snapshots have the same objects. */
export function isSameState(a: Snapshot, b: Snapshot): boolean {
  return stateOf(a) === stateOf(b)
}

function stateOf({ items }: Snapshot): string {
  const objects = new HashSum()
  for (const { key, object } of items) if (!isPassing(object)) objects.put(key, object)
  return hashText(objects.value)
}
