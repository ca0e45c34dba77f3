/**
 * What a controller is: the kind that it reconciles, what makes it run, and what it does. A value, made by the builder;
 * nothing runs until a manager takes it.
 */
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import type { InformerOptions, Lister } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'
import type { RateLimiter } from '../queue/queue.ts'
import type { Kind } from '../schema/kind.ts'
import type { Access } from './access.ts'
import type { ReconcileContext } from './context.ts'
import type { ReconcileResult } from './result.ts'

// Written as methods, whose parameters are compared both ways: a controller of WebApps is a controller.
export type Reconcile<T extends ApiObject> = {
  run(context: ReconcileContext<T>): Promise<ReconcileResult> | ReconcileResult
}['run']

/** Whether an update is worth a run. Adds, deletes, the beginning of a deletion and resyncs always are. */
export type UpdateFilter<T extends ApiObject> = { keep(old: Live<T>, object: Live<T>): boolean }['keep']

/** What a map may look at: the caches as they are now, of kinds that the controller declared. */
export interface MapReads {
  lister<Other extends ApiObject>(this: void, kind: Kind<Other>): Lister<Other>
}

/** Whether an object is a controller's business, as far as the caches know now. */
export type ObjectFilter<T extends ApiObject> = { accepts(object: Live<T>, reads: MapReads): boolean }['accepts']

export interface WatchOptions<Watched extends ApiObject> {
  /** Which objects of the controller's kind to run for. Called for the old and the new object of an update. */
  readonly map: { keys(object: Live<Watched>, reads: MapReads): Iterable<ObjectKey> }['keys']
  readonly when?: UpdateFilter<Watched> | undefined
  readonly informer?: InformerOptions<Watched> | undefined
}

export interface OwnedOptions<Owned extends ApiObject> {
  readonly when?: UpdateFilter<Owned> | undefined
  readonly informer?: InformerOptions<Owned> | undefined
}

export type Source =
  | {
      readonly type: 'owned'
      readonly kind: Kind
      readonly when?: UpdateFilter<ApiObject> | undefined
      readonly informer: InformerOptions<ApiObject>
    }
  | {
      readonly type: 'watched'
      readonly kind: Kind
      readonly map: WatchOptions<ApiObject>['map']
      readonly when?: UpdateFilter<ApiObject> | undefined
      readonly informer: InformerOptions<ApiObject>
    }
  | { readonly type: 'read'; readonly kind: Kind; readonly informer: InformerOptions<ApiObject> }

export interface Finalizer<T extends ApiObject> {
  /** With a domain: `coxswain.dev/webapp`. */
  readonly name: string
  /** Takes away what the finalizer guards. It goes only when this returns nothing; `requeueAfter` means not yet. */
  readonly cleanup: Reconcile<T>
}

export interface ControllerOptions {
  /** Keys worked on at the same time. Default 1. */
  readonly concurrency?: number | undefined
  /** Milliseconds until a reconcile's signal aborts. Default: never; after 60 s a warning is logged. */
  readonly reconcileTimeoutMs?: number | undefined
  /**
   * Failures in a row, beyond the first, after which a key is left alone until its next event. Lost races are none.
   * Default: no limit.
   */
  readonly maxRetries?: number | undefined
  /** How long a key waits after failures. Default: 5 ms, doubled each time, 1000 s at most, spread by a fifth. */
  readonly limiter?: RateLimiter | undefined
  /**
   * Waits until a key has been quiet for `quiet` milliseconds, but `max` at most. Default: none. Retries do not wait.
   */
  readonly debounce?: { readonly quietMs: number; readonly maxMs: number } | undefined
  /**
   * Whether a key waits until all promises of the process that can settle have settled, so that one run answers
   * whatever is under way there. For a controller beside the control plane that it works on: it runs less often, and no
   * later. Default false.
   */
  readonly gathers?: boolean | undefined
  /**
   * Whether a key runs again when the cache shows nothing but what its last run wrote: to the object itself, by `apply`
   * or by `client.create`. Default true: flows that go on from phase to phase by their own writes need it. False suits
   * a controller whose second run in a row would find nothing to do, and that comes again after some time: a new list
   * may hide what others did to an applied object behind its own write. `soon`: only after a run that asked to come
   * again within a second; it comes with its own write.
   */
  readonly rerunsAfterOwnWrite?: boolean | 'soon' | undefined
  /** The field manager of its writes. Default: the controller's name. */
  readonly fieldManager?: string | undefined
  /**
   * Whether a run that is through, and every status write, sets `status.observedGeneration`, and a condition its own.
   * Default: the first where the schema of the kind has it, the second always.
   */
  readonly observedGeneration?: boolean | undefined
  /**
   * Whether an apply that repairs drift is told in an event of the object. Default true; it is always counted and
   * logged.
   */
  readonly driftEvents?: boolean | undefined
  /** Who its events are from. Default: the controller's name. */
  readonly eventSource?: string | undefined
  /**
   * Whether a run that failed, or runs that chase each other, are told in an event of the object. Default true; always
   * counted and logged.
   */
  readonly failureEvents?: boolean | undefined
  /** Whether it runs only on the leader. Default true. */
  readonly leaderOnly?: boolean | undefined
}

/** What to do when the object is not there (any more). */
export type Gone = (key: ObjectKey, signal: AbortSignal, client: Client) => Promise<void> | void

export interface ControllerDefinition<T extends ApiObject = ApiObject> {
  readonly name: string
  readonly kind: Kind<T>
  readonly when?: UpdateFilter<T> | undefined
  /** Others do not run it. */
  readonly only?: ObjectFilter<T> | undefined
  readonly informer: InformerOptions<T>
  readonly sources: readonly Source[]
  readonly finalizers: readonly Finalizer<T>[]
  readonly reconcile: Reconcile<T>
  /** Runs when the object is not there (any more). */
  readonly gone?: Gone | undefined
  /** Runs for an object that is being deleted and that no finalizer of the controller holds (any more). */
  readonly deleting?: Reconcile<T> | undefined
  /** What it asks of the server beyond what the rest tells. */
  readonly access: readonly Access[]
  readonly options: ControllerOptions
}
