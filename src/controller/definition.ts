/**
 * The definition of a controller: the kind that it reconciles, what triggers it, and what it does. The builder makes
 * it; nothing runs until a manager starts it.
 */
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import type { InformerOptions, Lister } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'
import type { Use } from '../external/external-user.ts'
import type { ExternalSystem } from '../external/external.ts'
import type { RateLimiter } from '../queue/queue.ts'
import type { Kind } from '../schema/kind.ts'
import type { Access } from './access.ts'
import type { ReconcileContext } from './context.ts'
import type { ReconcileResult } from './result.ts'

// Method types are bivariant in their parameters: a `ControllerDefinition<WebApp>` is a `ControllerDefinition`.
export type Reconcile<T extends ApiObject> = {
  run(context: ReconcileContext<T>): Promise<ReconcileResult> | ReconcileResult
}['run']

/** Whether an update triggers a run. Adds, deletes, the start of a deletion and resyncs always do. */
export type UpdateFilter<T extends ApiObject> = { keep(old: Live<T>, object: Live<T>): boolean }['keep']

/** Reads for `map` functions: the caches as they are now, of kinds that the controller declared. */
export interface MapReads {
  lister<Other extends ApiObject>(this: void, kind: Kind<Other>): Lister<Other>
}

/** Whether a controller reconciles this object, as far as the caches know now. */
export type ObjectFilter<T extends ApiObject> = { accepts(object: Live<T>, reads: MapReads): boolean }['accepts']

export interface WatchOptions<Watched extends ApiObject> {
  /** The keys to reconcile. Called for both the old and the new object of an update. */
  readonly map: { keys(object: Live<Watched>, reads: MapReads): Iterable<ObjectKey> }['keys']
  readonly when?: UpdateFilter<Watched> | undefined
  /** New objects, also those of the initial list, trigger nothing. Default false. */
  readonly ignoreAdds?: boolean | undefined
  readonly informer?: InformerOptions<Watched> | undefined
}

export interface OwnedOptions<Owned extends ApiObject> {
  readonly when?: UpdateFilter<Owned> | undefined
  /** New objects, also those of the initial list, trigger nothing. Default false. */
  readonly ignoreAdds?: boolean | undefined
  /** Objects that are gone trigger nothing. Default false. */
  readonly ignoreDeletes?: boolean | undefined
  readonly informer?: InformerOptions<Owned> | undefined
}

export type Source =
  | {
      readonly type: 'owned'
      readonly kind: Kind
      readonly when?: UpdateFilter<ApiObject> | undefined
      readonly ignoreAdds?: boolean | undefined
      readonly ignoreDeletes?: boolean | undefined
      readonly informer: InformerOptions<ApiObject>
    }
  | {
      readonly type: 'watched'
      readonly kind: Kind
      readonly map: WatchOptions<ApiObject>['map']
      readonly when?: UpdateFilter<ApiObject> | undefined
      readonly ignoreAdds?: boolean | undefined
      readonly informer: InformerOptions<ApiObject>
    }
  | { readonly type: 'read'; readonly kind: Kind; readonly informer: InformerOptions<ApiObject> }

export interface Finalizer<T extends ApiObject> {
  /** Qualified with a domain: `coxswain.dev/webapp`. */
  readonly name: string
  /** Removes what the finalizer guards. Returning nothing removes the finalizer; `requeueAfter` means not yet. */
  readonly cleanup: Reconcile<T>
}

export interface ControllerOptions {
  /** Keys reconciled at the same time. Default 1. */
  readonly concurrency?: number | undefined
  /** Milliseconds until a reconcile's signal aborts. Default: never; after 60 s a warning is logged. */
  readonly reconcileTimeoutMs?: number | undefined
  /**
   * Retries after a failure. Then the key is not retried until its next event. Lost races do not count.
   * Default: no limit.
   */
  readonly maxRetries?: number | undefined
  /** The backoff after failures. Default: 5 ms, doubled each time, at most 1000 s, with a jitter of 20 %. */
  readonly limiter?: RateLimiter | undefined
  /**
   * Delays a key until it has had no event for `quietMs`, but at most for `maxMs`. Retries are not delayed.
   * Default: no delay.
   */
  readonly debounce?: { readonly quietMs: number; readonly maxMs: number } | undefined
  /**
   * Defers a key until the microtask queue is empty, so that one reconcile covers all changes made in this tick. For
   * controllers in the process of their control plane: they run less often, and no later. Default false.
   */
  readonly batchPerTick?: boolean | undefined
  /**
   * Whether an event that only shows what the last run of the key wrote (to the object itself, by `apply` or by
   * `client.create`) makes it run again.
   * - `always` (default): for flows that proceed from phase to phase by their own writes.
   * - `never`: for a controller whose next run would find nothing to do, and that requeues its keys from time to time,
   *   since a relist can hide another writer's change to an applied object behind the controller's own write.
   * - `ifRequeuedSoon`: only after a run that asked to be requeued within a second.
   */
  readonly reconcileOwnWrites?: 'always' | 'never' | 'ifRequeuedSoon' | undefined
  /** The field manager of its writes. Default: the controller's name. */
  readonly fieldManager?: string | undefined
  /**
   * Whether `status.observedGeneration` is set by a run that completes and by every status write, and
   * `observedGeneration` of conditions. Default: the status if the kind's schema has the field, conditions always.
   */
  readonly observedGeneration?: boolean | undefined
  /** Whether an apply that repairs drift records an event. It is always counted and logged. Default true. */
  readonly driftEvents?: boolean | undefined
  /** The source of its events. Default: the controller's name. */
  readonly eventSource?: string | undefined
  /** Whether failed runs and reconcile loops record an event. They are always counted and logged. Default true. */
  readonly failureEvents?: boolean | undefined
  /** Whether it runs only on the leader. Default true. */
  readonly leaderOnly?: boolean | undefined
}

/** Called when the object no longer exists. `use`: an external system, which the controller must declare by `uses`. */
export type WhenGone = (key: ObjectKey, signal: AbortSignal, client: Client, use: Use) => Promise<void> | void

export interface ControllerDefinition<T extends ApiObject = ApiObject> {
  readonly name: string
  readonly kind: Kind<T>
  readonly when?: UpdateFilter<T> | undefined
  /** Objects for which it is false, before and after a change, do not trigger a run. */
  readonly only?: ObjectFilter<T> | undefined
  readonly informer: InformerOptions<T>
  readonly sources: readonly Source[]
  readonly finalizers: readonly Finalizer<T>[]
  readonly reconcile: Reconcile<T>
  /** Called when the object no longer exists. */
  readonly gone?: WhenGone | undefined
  /** Runs in place of `reconcile` while the object is being deleted and has none of the controller's finalizers. */
  readonly deleting?: Reconcile<T> | undefined
  /** API calls beyond those that follow from the rest, for generated RBAC. */
  readonly access: readonly Access[]
  /** The external systems that it calls. */
  readonly externals: readonly ExternalSystem[]
  readonly options: ControllerOptions
}
