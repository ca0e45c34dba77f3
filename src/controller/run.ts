/**
 * One run for one key, in order: read the object, add the finalizers or clean up, reconcile, write the status. If the
 * reconcile throws, the status that was set before is written, then the error is thrown. An object that is deleted
 * meanwhile ends the run without an error: its delete event triggers the next run.
 */
import { isNotFound } from '../api/error-reasons.ts'
import type { JsonObject } from '../api/json.ts'
import { keyOf, keyText, parseKey, type ApiObject, type Live, type ObjectKey } from '../api/live-object.ts'
import type { Cache, CacheListOptions } from '../cache/cache.ts'
import type { Client, Partially } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import { RunEnded } from '../external/external-error.ts'
import type { ExternalServices } from '../external/external-handle.ts'
import { use, type ExternalUser } from '../external/external-user.ts'
import type { CarryOut, External } from '../external/external.ts'
import { currentScope, type RunningScope, type SignalSource } from '../flow/scope.ts'
import type { Kind } from '../schema/kind.ts'
import type { ControllerMetrics } from '../telemetry/controller-metrics.ts'
import type { EventRecorder } from '../telemetry/event-recorder.ts'
import type { EventType } from '../telemetry/event-correlator.ts'
import type { Logger } from '../telemetry/logger.ts'
import { RunCheckpoint } from './checkpoint.ts'
import type { Applied, ApplyOwnedOptions, ReconcileContext } from './context.ts'
import type { ControllerDefinition, Reconcile } from './definition.ts'
import { controllerIndex } from './declared-kinds.ts'
import { PermanentError } from './errors.ts'
import { scopeOfRun, type InScope } from './flow.ts'
import { addFinalizers, hasFinalizer, removeFinalizer } from './finalizers.ts'
import type { RunWrite, RunWrites } from './loop-detector.ts'
import { OwnedObjects } from './owned-objects.ts'
import { checkedResult, type Requeue } from './result.ts'
import type { RunLedger } from './run-ledger.ts'
import { StatusWriter, type Observes, type StatusChanges } from './status-writer.ts'
import type { Triggers } from './triggers.ts'

/** The services that all runs of a controller share. */
export interface RunServices {
  readonly env: Env
  readonly cache: Cache
  readonly events: EventRecorder
  readonly metrics: Pick<ControllerMetrics, 'drift'> & ExternalServices['metrics']
  readonly carryOut: CarryOut
  readonly observes: Observes
  readonly ledger: RunLedger
}

export interface ReconcileRunOptions {
  readonly key: string
  /** Aborts on shutdown, on a lost lease and on the timeout of the run. */
  readonly timer: SignalSource
  /** Shutdown only: the status is written even after the timeout of the run. */
  readonly abort: AbortSignal
  readonly log: Logger
  readonly reconcileId: string
  readonly attempt: number
  readonly triggers: Triggers
}

export class Run<T extends ApiObject> {
  readonly #definition: ControllerDefinition<T>
  readonly #services: RunServices
  readonly #options: ReconcileRunOptions
  readonly #writes: RunWrite[] = []
  readonly #ownVersions: string[] = []
  /** The version that this run wrote last. */
  #object: Live<T> | undefined
  readonly #checkpoint = new RunCheckpoint()
  #scope: RunningScope | undefined
  /** Ends the work in hand. */
  #end: (error: RunEnded) => void = () => undefined

  constructor(definition: ControllerDefinition<T>, services: RunServices, options: ReconcileRunOptions) {
    this.#definition = definition
    this.#services = services
    this.#options = options
  }

  /** The writes so far. */
  get trace(): RunWrites {
    return { generation: this.#object?.metadata.generation, writes: this.#writes }
  }

  /** The versions that it wrote of the object itself, and of others by `apply` or `client.create`, in order. */
  get ownVersions(): readonly string[] {
    return this.#ownVersions
  }

  /** Whether the object did not exist. */
  get isGone(): boolean {
    return this.#object === undefined
  }

  async go(scope: RunningScope): Promise<Requeue | undefined> {
    this.#scope = scope
    const { kind, gone } = this.#definition
    const { timer, key } = this.#options
    this.#object = await this.#services.cache.get(kind, parseKey(key), timer)
    if (this.#object === undefined) {
      this.#services.ledger.forgetObject(key)
      await this.#unlessEnded(() =>
        gone?.(parseKey(key), timer.signal, this.#services.cache.client, (system) => this.#use(system)),
      )
      return undefined
    }
    const { uid, deletionTimestamp } = this.#object.metadata
    const { checkpoints } = this.#services.ledger
    this.#checkpoint.saved = checkpoints.take(key, uid)
    try {
      const result = await (deletionTimestamp === undefined
        ? this.#reconcile(this.#object)
        : this.#cleanUp(this.#object))
      checkpoints.put(key, uid, this.#checkpoint.kept)
      return result
    } catch (error) {
      if (!(error instanceof GoneMeanwhile)) throw error
      this.#options.log.debug('the object went away meanwhile')
      return undefined
    }
  }

  async #reconcile(object: Live<T>): Promise<Requeue | undefined> {
    const { kind, finalizers, reconcile } = this.#definition
    const missing = finalizers.map(({ name }) => name).filter((name) => !hasFinalizer(object, name))
    if (missing.length > 0) {
      const added = addFinalizers(this.#client, kind, object, missing, this.#options.timer.signal)
      this.#object = await this.#unlessGone(object, added)
      this.#ownVersions.push(this.#object.metadata.resourceVersion)
    }
    return this.#withStatus(this.#object ?? object, reconcile, true)
  }

  async #cleanUp(object: Live<T>): Promise<Requeue | undefined> {
    const { kind, finalizers, deleting } = this.#definition
    const isHeld = finalizers.some(({ name }) => hasFinalizer(object, name))
    if (deleting !== undefined && !isHeld) return this.#withStatus(object, deleting, false)
    for (const { name, cleanup } of finalizers) {
      const latest = this.#object ?? object
      if (!hasFinalizer(latest, name)) continue
      const result = await this.#withStatus(latest, cleanup, false)
      if (result !== undefined) return result
      this.#object = await this.#unlessGone(
        latest,
        removeFinalizer(this.#client, kind, this.#object ?? latest, name, this.#options.timer.signal),
      )
    }
    return undefined
  }

  /** A step of a flow may have a shorter timeout than the run. */
  get #signal(): AbortSignal {
    return currentScope()?.signal ?? this.#options.timer.signal
  }

  get #client(): Client {
    return this.#services.cache.client
  }

  /** The client for the reconcile: records creates, as applies are recorded. */
  get #notingClient(): Client {
    const client = this.#client
    const { reconcileOwnWrites = 'always' } = this.#definition.options
    if (reconcileOwnWrites === 'always') return client
    return {
      ...client,
      create: async (kind, object, options) => {
        const created = await client.create(kind, object, options)
        if (options?.dryRun !== true) this.#ownVersions.push(created.metadata.resourceVersion)
        return created
      },
    }
  }

  async #withStatus(object: Live<T>, work: Reconcile<T>, isThrough: boolean): Promise<Requeue | undefined> {
    const { env, observes, ledger } = this.#services
    const { key } = this.#options
    const status = new StatusWriter(env, this.#definition.kind, object, observes, ledger.statusDueAt.get(key))
    let result: Requeue | undefined
    try {
      result = checkedResult(await this.#unlessEnded(() => work(this.#context(object, status))))
    } catch (error) {
      const { abort, log } = this.#options
      if (!abort.aborted && !(error instanceof RunEnded))
        await this.#flush(object, status)?.catch((failure: unknown) =>
          log.warn('status not written', { error: failure }),
        )
      throw error
    }
    if (isThrough) status.observed()
    const { dueAt } = status
    if (dueAt === undefined) await this.#flush(object, status)
    else ledger.statusDueAt.set(key, dueAt)
    return result
  }

  /** The code of a run that is ended at an external call waits for ever, and is forgotten. */
  #unlessEnded<Result>(work: () => Result | Promise<Result>): Result | Promise<Result> {
    if (this.#definition.externals.length === 0) return work()
    const ended = new Promise<never>((_, reject) => {
      this.#end = reject
    })
    return Promise.race([ended, work()])
  }

  #use<System>(system: External<System>): System {
    const { externals: declared, name: controller, kind } = this.#definition
    const signal = (): AbortSignal => this.#signal
    const { key, log } = this.#options
    const user: ExternalUser = {
      declared,
      who: `the controller ${controller}`,
      remedy: (name) => `add .uses(${name}) to the controller`,
      controller,
      object: `${kind.kind} ${keyText(parseKey(key))}`,
      log,
      get signal() {
        return signal()
      },
      end: (error) => this.#end(error),
    }
    return use(system, user, this.#services)
  }

  /** Undefined, without a promise, if there is nothing to write: most runs change nothing. */
  #flush(object: Live<T>, status: StatusWriter<T>): Promise<void> | undefined {
    const changes = status.changes(this.#object ?? object)
    if (changes !== undefined) return this.#writeStatus(object, status, changes)
    this.#services.ledger.statusDueAt.delete(this.#options.key)
    return undefined
  }

  async #writeStatus(object: Live<T>, status: StatusWriter<T>, changes: StatusChanges): Promise<void> {
    const write = status.write(this.#client, this.#object ?? object, changes, this.#options.abort)
    const written = await this.#unlessGone(object, write)
    this.#services.ledger.statusDueAt.delete(this.#options.key)
    this.#wrote(written, ' (status)', true)
  }

  /** Patches the object itself; later writes of the run build on the result. */
  async #patch(object: Live<T>, patch: JsonObject, subresource: string | undefined): Promise<Live<T>> {
    const { uid, resourceVersion } = (this.#object ?? object).metadata
    const { metadata } = patch
    const body = { ...patch, metadata: { ...(metadata as JsonObject | undefined), uid, resourceVersion } }
    const write = this.#client.patch(
      this.#definition.kind,
      keyOf(object),
      { type: 'merge', patch: body },
      { subresource, signal: this.#signal },
    )
    const written = await this.#unlessGone(object, write)
    this.#wrote(written, '', false)
    return written
  }

  #wrote(written: Live<T>, part: string, isStatus: boolean): void {
    this.#object = written
    const what = `${this.#definition.kind.kind} ${written.metadata.name}${part}`
    this.#writes.push({ what, version: written.metadata.resourceVersion, isStatus })
    this.#ownVersions.push(written.metadata.resourceVersion)
  }

  /**
   * The result of a write to the object. A server responds with 404 both for a missing subresource and for a missing
   * object.
   */
  async #unlessGone<Result>({ metadata }: Live<T>, write: Promise<Result>): Promise<Result> {
    try {
      return await write
    } catch (error) {
      if (!isNotFound(error)) throw error
      const { kind } = this.#definition
      const live = await this.#client
        .get(kind, keyOf({ metadata }), { signal: this.#options.abort })
        .catch((failure: unknown) => {
          if (!isNotFound(failure)) throw failure
        })
      if (live?.metadata.uid !== metadata.uid) throw new GoneMeanwhile()
      throw new PermanentError(
        `the server does not serve the status of ${kind.kind}: give its definition the status subresource, ` +
          'or do not set it',
        { cause: error },
      )
    }
  }

  #context(object: Live<T>, status: StatusWriter<T>): ReconcileContext<T> & Partial<InScope> {
    const { kind, name, options } = this.#definition
    const { cache, env, events, ledger } = this.#services
    const { log, reconcileId, attempt, triggers, key } = this.#options
    const { namespace, generation } = object.metadata
    const signal = (): AbortSignal => this.#signal
    const own = (of: Kind, at: string | ObjectKey): ObjectKey => {
      if (typeof at !== 'string') return at
      return of.namespaced ? { namespace, name: at } : { name: at }
    }
    const isObserved = generation !== undefined && observedGeneration(object) === generation
    const manager = options.fieldManager ?? name
    const owned = new OwnedObjects({
      cache,
      kind,
      owner: object,
      manager,
      get signal() {
        return signal()
      },
      memory: ledger.applied.of(key),
      isObserved,
    })
    const list = <Other extends ApiObject>(
      of: Kind<Other>,
      how: CacheListOptions = {},
    ): Promise<readonly Live<Other>[]> => {
      const where = how.namespace ?? namespace
      return cache.list(of, { signal: signal(), ...how, namespace: where === '' || !of.namespaced ? undefined : where })
    }
    const event = (type: EventType, reason: string, message: string): void => {
      currentScope()?.frame?.event({ eventType: type, reason, message })
      events.event(
        { apiVersion: kind.apiVersion, kind: kind.kind, metadata: object.metadata as never },
        type,
        reason,
        message,
      )
    }
    const apply = async <Other extends ApiObject>(
      of: Kind<Other>,
      wanted: Partially<Other>,
      how?: ApplyOwnedOptions,
    ): Promise<Applied<Other>> => {
      const reported = currentScope()?.frame?.apply(of.kind)
      const applied = await owned.apply(of, wanted, how)
      reported?.(keyOf(applied.object), applied)
      this.#note(of, applied, event)
      return applied
    }
    return {
      kind,
      object,
      key: parseKey(key),
      get signal() {
        return signal()
      },
      log,
      reconcileId,
      attempt,
      triggers,
      status,
      checkpoint: this.#checkpoint,
      list,
      apply,
      event,
      client: this.#notingClient,
      [scopeOfRun]: this.#scope,
      use: (system) => this.#use(system),
      now: () => env.now(),
      random: () => env.random(),
      uuid: () => env.uuid(),
      get: (of, at) => cache.get(of, own(of, at), { signal: signal() }),
      owned: (of) => list(of, { index: { index: controllerIndex, value: object.metadata.uid } }),
      delete: (of, at) => owned.delete(of, own(of, at)),
      patch: (patch, { subresource } = {}) => this.#patch(object, patch, subresource),
    }
  }

  #note<Other extends ApiObject>(
    kind: Kind,
    { object, outcome, field, culprit }: Applied<Other>,
    event: ReconcileContext<T>['event'],
  ): void {
    if (outcome !== 'unchanged' && outcome !== 'left') this.#ownVersions.push(object.metadata.resourceVersion)
    if (outcome === 'updated' || outcome === 'drift') {
      const who = culprit === undefined ? undefined : `which ${culprit} changes`
      const details = [field, who].filter((part) => part !== undefined).join(', ')
      const what = `${kind.kind} ${object.metadata.name}${details === '' ? '' : ` (${details})`}`
      this.#writes.push({ what, version: object.metadata.resourceVersion, isStatus: false })
    }
    if (outcome !== 'drift') return
    const { name, options } = this.#definition
    this.#services.metrics.drift.inc({ controller: name, kind: kind.kind })
    this.#options.log.info('drift repaired', { drifted: kind.kind, driftedName: object.metadata.name, field, culprit })
    if (options.driftEvents ?? true) {
      const happened = field === undefined ? 'was gone or not as it should be' : `${field} was not as it should be`
      const who = culprit === undefined ? '' : ` (changed by ${culprit})`
      event('Warning', 'DriftRepaired', `${kind.kind} ${object.metadata.name}: ${happened}${who}; repaired`)
    }
  }
}

function observedGeneration(object: object): unknown {
  return (object as { status?: { observedGeneration?: unknown } }).status?.observedGeneration
}

/** Ends a run whose object no longer exists. */
class GoneMeanwhile extends Error {}
