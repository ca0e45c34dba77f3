/** What a test has of an embedded cluster: its clock, its clients, and what happened in it. */
import type { ApiObject } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Client } from '../client/client.ts'
import type { ControlPlane } from '../controlplane/index.ts'
import type { SimulatedEnv } from '../env/simulated.ts'
import type { ExternalModel } from '../external/external.ts'
import type { Manager } from '../manager/manager.ts'
import type { AccessRecorder } from './access-recorder.ts'
import type { FailingKey } from './failing-keys.ts'
import type { SettleOptions } from './settle.ts'

export interface Embedded {
  readonly env: SimulatedEnv
  readonly plane: ControlPlane
  /** A client for the test, as a user would have it. Faults do not affect it. */
  readonly client: Client
  /** The running manager; `restart` and `crash` replace it. Of several instances, that of the one that leads. */
  readonly manager: Manager
  /** The log of the controllers, as JSON lines. */
  readonly logs: readonly string[]
  /** The keys whose last run failed and that wait for their retry. */
  readonly failing: readonly FailingKey[]
  /** The number of reconciles so far. */
  readonly reconciles: number
  /** Every request of the controllers so far, as `PATCH /api/v1/...`, including events and leases. */
  readonly requests: readonly string[]
  /** Every call of an external system so far, as `registry.ensure`. */
  readonly externalCalls: readonly string[]
  /** The permissions that the controllers used so far. */
  readonly access: AccessRecorder
  /** The model of an external system in this cluster. */
  model<Model>(of: ExternalModel<Model>): Model
  /** Applies the objects, as `kubectl apply --server-side --force-conflicts` does. */
  apply<Objects extends readonly ApplyObject[]>(...objects: Objects): Promise<void>
  /** Advances the clock until nothing is left to do. Throws a {@link NotSettledError} if that does not happen. */
  settle(options?: SettleOptions): Promise<void>
  /** Advances the clock. */
  advance(ms: number): Promise<void>
  /**
   * Advances the clock, and returns the writes that the controllers sent meanwhile, as `PATCH /api/v1/...`. Renewals of
   * leases are left out. An operator at rest sends none: `expect(await cluster.writesDuring(3_600_000)).toEqual([])`.
   */
  writesDuring(ms: number): Promise<readonly string[]>
  /** The events about an object, oldest first. */
  events(about: {
    readonly metadata: { readonly name?: string; readonly namespace?: string | undefined }
  }): Promise<readonly SeenEvent[]>
  /** Kills the program at once, and starts it again. */
  crash(): Promise<void>
  /** Stops the program gracefully, and starts it again. */
  restart(): Promise<void>
  /** Starts another instance of the program beside those that run, as a rolling update does. Returns at once. */
  startInstance(): Instance
  /** Everything that the server stores, and the time. Another cluster can continue from it. */
  snapshot(): Snapshot
  /**
   * The server is restored from a backup, as etcd is: it has the objects of the snapshot, and a lower version. The time
   * goes on. Connections break; nodes and built-in controllers start again, and the operator does not.
   */
  restore(backup: Snapshot, options?: RestoreOptions): void
  stop(): Promise<void>
}

export interface RestoreOptions {
  /** Milliseconds in which the server refuses requests of the operator. Default 0. */
  readonly downMs?: number | undefined
  /** Others write until the version is higher than before the restoration. Default false. */
  readonly isOvertaken?: boolean | undefined
}

/** A running instance of the operator's program. */
export interface Instance {
  readonly manager: Manager
  /** It works: it holds the lease, or there is none, and it is not stopped. */
  readonly isLeading: boolean
  /** Sets its wall clock forward or back, and no other. Timers do not notice. */
  setClock(byMs: number): void
  /** Stops the process, as SIGSTOP does: none of its timers, requests and responses proceed. */
  stop(): void
  /** As SIGCONT. What was about to be sent goes on first. */
  resume(): void
  /** Resolves when the process is not stopped. */
  running(): Promise<void>
  /** As SIGTERM: it ends gracefully as the clock advances. */
  terminate(): void
}

/** A cluster in which one run follows the other, without a new start of the server and of what surrounds it. */
export interface ReusableCluster extends Embedded {
  /**
   * The objects, the wall clock and the models of external systems become those of the snapshot, and the operator is
   * killed and started again. The server, nodes and built-in controllers go on: what they remember stays. Logs,
   * requests and calls begin again. Resolves when the operator is at rest, or once `isOver` says so.
   */
  rewind(snapshot: Snapshot, isOver?: () => boolean): Promise<void>
  /**
   * Settles, but only until `isOver`, which is asked whenever nothing is left to do at the current time. Assumes early
   * that a run waits for the clock: there are thousands of these waits.
   */
  settleUntil(isOver: () => boolean): Promise<void>
  /** The states of the models of external systems, by name. */
  readonly externals: Readonly<Record<string, unknown>>
  /** How many instances of the operator run. */
  readonly instances: number
}

/** The state of a cluster at one moment, without the memory of programs. */
export interface Snapshot {
  readonly time: number
  readonly revision: number
  readonly items: readonly { readonly key: string; readonly object: KubeObject; readonly revision: number }[]
  /** The states of the models of external systems, by name. Default: they are empty. */
  readonly externals?: Readonly<Record<string, unknown>> | undefined
}

export interface SeenEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
}

/** A whole manifest. */
export type ApplyObject = ApiObject & { apiVersion: string; kind: string }
