/**
 * What a reconcile gets: its object, reads from the cache, guarded writes, status, events, and the reasons for the run.
 */
import type { JsonObject } from '../api/json.ts'
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import type { CacheListOptions } from '../cache/cache.ts'
import type { Client, Partially } from '../client/client.ts'
import type { Kind } from '../schema/kind.ts'
import type { EventType } from '../telemetry/event-correlator.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { StatusTransaction } from './status-writer.ts'
import type { Triggers } from './triggers.ts'

export interface ApplyOwnedOptions {
  /** Default true: the object gets a controller reference, and one that exists and is not ours is refused. */
  readonly owned?: boolean | undefined
  /** Takes over an object that exists and that nobody controls. Default false. */
  readonly adopt?: boolean | undefined
  /**
   * Default true. False: drift is told (`left`) and not repaired. What is wanted anew, and what is gone, is applied all
   * the same.
   */
  readonly repair?: boolean | undefined
}

/** What an apply did. */
export interface Applied<T extends ApiObject> {
  readonly object: Live<T>
  /**
   * - `unchanged`: everything was as wanted; no call was made, or it changed nothing.
   * - `updated`: something else is wanted than before.
   * - `drift`: the same is wanted as before, but somebody had changed or deleted it, and it was put right.
   * - `left`: the same, but it was left as it is, since `repair` is false.
   */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'drift' | 'left'
  /** Of a drift (also one that is left) or an update: the first field that was not as wanted. */
  readonly field?: string | undefined
  /** Of a drift: the field manager that caused it, where it can be told. */
  readonly culprit?: string | undefined
}

/** Its functions may be taken out of it: `({ object, apply }) => …`. */
export interface ReconcileContext<T extends ApiObject> {
  readonly kind: Kind<T>
  /** As the cache has it, and at least as new as our own last write. Frozen. */
  readonly object: Live<T>
  readonly key: ObjectKey
  /** Aborts on shutdown, on a lost lease and on `reconcileTimeoutMs`. Hand it to whatever waits. */
  readonly signal: AbortSignal
  /** With controller, kind, namespace, name and reconcileID in each line. */
  readonly log: Logger
  readonly reconcileId: string
  /** 1 for a first try, higher after failures. */
  readonly attempt: number
  /** For logs and traces. Not to decide by: a reconcile looks at the state, not at the events. */
  readonly triggers: Triggers
  /** Milliseconds since the epoch, by the clock that everything runs on. */
  now(this: void): number

  /**
   * From the cache; a name alone is in the object's namespace. The kind must be declared by `owns`, `watches` or
   * `reads`.
   */
  get<Other extends ApiObject>(this: void, kind: Kind<Other>, key: string | ObjectKey): Promise<Live<Other> | undefined>
  /** From the cache; in the object's namespace unless another, or '' for all, is given. */
  list<Other extends ApiObject>(
    this: void,
    kind: Kind<Other>,
    options?: CacheListOptions,
  ): Promise<readonly Live<Other>[]>
  /** The objects of this kind whose controller is `object`. */
  owned<Other extends ApiObject>(this: void, kind: Kind<Other>): Promise<readonly Live<Other>[]>

  /**
   * Server-side apply of what the controller wants, and nothing else. No call when everything is so already. The kind
   * must be declared, best by `owns`. Throws {@link NotOwnedError} for an object that is not ours.
   */
  apply<Other extends ApiObject>(
    this: void,
    kind: Kind<Other>,
    object: NoInfer<Partially<Other>>,
    options?: ApplyOwnedOptions,
  ): Promise<Applied<Other>>
  /** Deletes an object that is ours, by its uid. False when it was not there any more. */
  delete<Other extends ApiObject>(this: void, kind: Kind<Other>, key: string | ObjectKey): Promise<boolean>
  /**
   * A merge patch of `object` itself, refused (409) when it has changed since it was read. The status that the run
   * writes at its end builds on it. For labels and annotations; spec belongs to its user.
   */
  patch(this: void, patch: JsonObject, options?: { readonly subresource?: string | undefined }): Promise<Live<T>>
  /** For what the above does not cover. Reads go to the server; writes are seen by later reads of the cache. */
  readonly client: Client

  readonly status: StatusTransaction<T>
  /** Recognises a run that would find nothing to do, so that it can end early. */
  readonly checkpoint: Checkpoint
  event(this: void, type: EventType, reason: string, message: string): void
}
