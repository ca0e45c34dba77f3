/** The context of a reconcile: its object, reads from the cache, guarded writes, status, events, and triggers. */
import type { JsonObject } from '../api/json.ts'
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import type { CacheListOptions } from '../cache/cache.ts'
import type { Client, Partially } from '../client/client.ts'
import type { External } from '../external/external.ts'
import type { Kind } from '../schema/kind.ts'
import type { EventType } from '../telemetry/event-correlator.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { StatusTransaction } from './status-writer.ts'
import type { Triggers } from './triggers.ts'

export interface ApplyOwnedOptions {
  /** Default true: the object gets a controller reference, and an existing object without it is an error. */
  readonly owned?: boolean | undefined
  /** Adopts an existing object that has no controller. Default false. */
  readonly adopt?: boolean | undefined
  /**
   * Default true. False: drift is reported (`left`) and not repaired. New desired state and deleted objects are still
   * applied.
   */
  readonly repair?: boolean | undefined
}

/** The result of an apply. */
export interface Applied<T extends ApiObject> {
  readonly object: Live<T>
  /**
   * - `unchanged`: everything was as desired; no call was made, or it changed nothing.
   * - `updated`: the desired state is another than before.
   * - `drift`: the desired state is the same, but another client had changed or deleted the object; it was repaired.
   * - `left`: the same, but not repaired, since `repair` is false.
   */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'drift' | 'left'
  /** For drift (repaired or left) or an update: the first field that differed. */
  readonly field?: string | undefined
  /** For drift: the field manager that caused it, if it can be determined. */
  readonly culprit?: string | undefined
}

/** Its functions can be destructured: `({ object, apply }) => …`. */
export interface ReconcileContext<T extends ApiObject> {
  readonly kind: Kind<T>
  /** From the cache, and at least as new as our own last write. Frozen. */
  readonly object: Live<T>
  readonly key: ObjectKey
  /** Aborts on shutdown, on a lost lease and on `reconcileTimeoutMs`. Pass it to every asynchronous call. */
  readonly signal: AbortSignal
  /** Adds controller, kind, namespace, name and reconcileID to each line. */
  readonly log: Logger
  readonly reconcileId: string
  /** 1 for the first attempt, higher after failures. */
  readonly attempt: number
  /** For logs and traces. Do not decide by it: a reconcile is level-triggered. */
  readonly triggers: Triggers
  /** Milliseconds since the epoch, by the clock of the runtime. */
  now(this: void): number
  /** A number in [0, 1), by the runtime: in tests and explorations it follows from the seed. Not for secrets. */
  random(this: void): number
  /** A version 4 UUID, by the runtime: good for secrets and ids. In tests and explorations it follows from the seed. */
  uuid(this: void): string

  /**
   * From the cache; a name alone is in the object's namespace. The kind must be declared by `owns`, `watches` or
   * `reads`.
   */
  get<Other extends ApiObject>(this: void, kind: Kind<Other>, key: string | ObjectKey): Promise<Live<Other> | undefined>
  /** From the cache; by default in the object's namespace; '' means all namespaces. */
  list<Other extends ApiObject>(
    this: void,
    kind: Kind<Other>,
    options?: CacheListOptions,
  ): Promise<readonly Live<Other>[]>
  /** The objects of this kind whose controller is `object`. */
  owned<Other extends ApiObject>(this: void, kind: Kind<Other>): Promise<readonly Live<Other>[]>

  /**
   * Server-side apply of exactly the fields that the controller wants. Sends nothing if nothing would change. The kind
   * must be declared, preferably by `owns`. Throws {@link NotOwnedError} for an object with another owner.
   */
  apply<Other extends ApiObject>(
    this: void,
    kind: Kind<Other>,
    object: NoInfer<Partially<Other>>,
    options?: ApplyOwnedOptions,
  ): Promise<Applied<Other>>
  /** Deletes an owned object, by its uid. False if it was already gone. */
  delete<Other extends ApiObject>(this: void, kind: Kind<Other>, key: string | ObjectKey): Promise<boolean>
  /**
   * A merge patch of `object` itself; fails with a conflict (409) if it has changed since it was read. The status write
   * at the end of the run builds on it. For labels and annotations; the spec belongs to the user.
   */
  patch(this: void, patch: JsonObject, options?: { readonly subresource?: string | undefined }): Promise<Live<T>>
  /** For other calls. Its reads go to the server; later reads of the cache include its writes. */
  readonly client: Client
  /**
   * An external system, which the controller must declare by `uses`. Its calls end with the run's signal, and fail with
   * an {@link ExternalError}. A call may have taken effect although it fails, and be repeated by the next run: make it
   * idempotent, for example with the uid of `object` as the key.
   */
  use<T>(this: void, system: External<T>): T

  readonly status: StatusTransaction<T>
  /** Recognises a run that would find nothing to do, so that it can end early. */
  readonly checkpoint: Checkpoint
  event(this: void, type: EventType, reason: string, message: string): void
}
