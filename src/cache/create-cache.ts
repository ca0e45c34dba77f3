/** Creates a cache: the informers by kind, their life cycle, and reads that wait for own writes. */
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import { realEnv } from '../env/real.ts'
import { kindName, type Kind } from '../schema/kind.ts'
import { ProjectionError, RepeatedInformerError, StaleCacheError, UndeclaredKindError } from './cache-error.ts'
import type { Cache, CacheListOptions, CacheObserver, CacheReadOptions, Informer, InformerOptions } from './cache.ts'
import { guardedObserver, type GuardedObserver } from './guarded-observer.ts'
import { InternedText } from './interned-text.ts'
import { KindInformer, type InformerSetting } from './kind-informer.ts'
import type { Extent } from './own-writes.ts'
import { pause } from '../env/pause.ts'
import { selectionOf } from './selection.ts'
import { defaultProbeMs, ServerProbe } from './server-probe.ts'
import { trackingClient } from './tracking-client.ts'
import { TimeSlice } from './time-slice.ts'

export interface CacheOptions {
  readonly client: Client
  /** Default: the machine's clock and randomness. */
  readonly env?: Env | undefined
  /** Namespaced kinds are watched only in these, unless their informer declares others. Default: all. */
  readonly namespaces?: readonly string[] | undefined
  readonly observer?: CacheObserver | undefined
  /**
   * How long reads wait for the first list and for own writes, in milliseconds, before a StaleCacheError. Default 5000.
   */
  readonly readWaitMs?: number | undefined
  /** The default resync period of informers, in milliseconds. Default 10 h; 0: never. */
  readonly resyncPeriodMs?: number | undefined
  /** The page size of lists. Default 500. */
  readonly pageSize?: number | undefined
  /**
   * The timeout of one page of a list, including retries of the client, in milliseconds. Default 60,000; the list is
   * then retried.
   */
  readonly listTimeoutMs?: number | undefined
  /**
   * Milliseconds without anything from the server after which one request, for all watches, checks whether it still
   * responds. Default 16,000: less than four requests a minute, and a silent server is found within 30 s. 0: never.
   */
  readonly probeMs?: number | undefined
  /** Default true: the initial state is read by a watch if the server supports that. False: by lists. */
  readonly watchList?: boolean | undefined
}

type AnyInformer = KindInformer<ApiObject>

const none: readonly AnyInformer[] = []

/** `sibling`: a running cache of the same server. The requests that check whether the server responds serve both. */
export function createCache(options: CacheOptions, sibling?: Cache): Cache {
  return new InformerCache(options, sibling)
}

class InformerCache implements Cache {
  readonly client: Client
  readonly #options: CacheOptions
  readonly #env: Env
  readonly #observer: GuardedObserver
  readonly #setting: InformerSetting
  /** That of another cache, which runs it. */
  readonly #sharedProbe: ServerProbe | undefined
  readonly #informers = new Set<AnyInformer>()
  /** The informers of each kind, by name: versions of one kind are different caches of the same objects. */
  readonly #versions = new Map<string, readonly AnyInformer[]>()
  /** The promises of running informers. */
  readonly #ends = new Map<AnyInformer, Promise<void>>()
  #signal: AbortSignal | undefined

  constructor(options: CacheOptions, sibling: Cache | undefined) {
    const { client, env = realEnv(), observer, pageSize = 500, listTimeoutMs = 60_000, watchList = true } = options
    const { probeMs = defaultProbeMs } = options
    this.#options = options
    this.#sharedProbe = sibling instanceof InformerCache ? sibling.#setting.probe : undefined
    this.#env = env
    this.#observer = guardedObserver(observer)
    this.#setting = {
      client,
      env,
      observer: this.#observer,
      texts: new InternedText(),
      turn: new TimeSlice(env),
      probe: this.#sharedProbe ?? new ServerProbe(client, env, probeMs),
      pageSize,
      listTimeoutMs,
      watchList,
    }
    this.client = this.tracked(client)
  }

  tracked(client: Client): Client {
    return trackingClient(client, (kind) => this.#versionsOf(kind))
  }

  get informers(): readonly Informer<ApiObject>[] {
    return [...this.#informers]
  }

  informer<T extends ApiObject>(kind: Kind<T>, options?: InformerOptions<T>): KindInformer<T> {
    const known = this.#find(kind)
    if (known === undefined) return this.#declare(kind, options ?? {})
    if (options !== undefined) {
      const full = this.#withDefaults(options)
      const different = comparedOptions.find((option) => !isSame(known.options[option], full[option]))
      if (different !== undefined) throw new RepeatedInformerError(kindName(kind), different)
      this.#addIndexes(known, full)
    }
    return known
  }

  async remove(kind: Kind): Promise<void> {
    const informer = this.#find(kind)
    if (informer === undefined) return
    this.#informers.delete(informer)
    const others = this.#versionsOf(kind).filter((each) => each !== informer)
    if (others.length === 0) this.#versions.delete(kindName(kind))
    else this.#versions.set(kindName(kind), others)
    informer.stop()
    await this.#ends.get(informer)
  }

  async get<T extends ApiObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: CacheReadOptions = {},
  ): Promise<Live<T> | undefined> {
    const fresh = this.#fresh(kind, key, options)
    const informer = fresh instanceof Promise ? await fresh : fresh
    return informer.lister.get(key)
  }

  async list<T extends ApiObject>(kind: Kind<T>, options: CacheListOptions = {}): Promise<readonly Live<T>[]> {
    const fresh = this.#fresh(kind, { namespace: options.namespace }, options)
    const { lister } = fresh instanceof Promise ? await fresh : fresh
    const { index, namespace, labelSelector } = options
    if (index === undefined) return lister.list({ namespace, labelSelector })
    const found = lister.byIndex(index.index, index.value, namespace)
    if (labelSelector === undefined) return found
    const selects = selectionOf({ labelSelector })
    return found.filter((object) => selects(object as Live<ApiObject>))
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#signal !== undefined) throw new Error('the cache runs already, or has ended: make another one')
    this.#signal = signal
    for (const informer of this.#informers) this.#start(informer)
    const probing = this.#sharedProbe === undefined ? this.#setting.probe.run(signal) : undefined
    await pause(this.#env, Infinity, signal)
    for (const informer of this.#informers) informer.stop()
    await Promise.all([probing, ...this.#ends.values()])
  }

  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers].map((informer) => informer.whenSynced(signal)))
  }

  #declare<T extends ApiObject>(kind: Kind<T>, options: InformerOptions<T>): KindInformer<T> {
    const informer = new KindInformer<T>(kind, this.#withDefaults(options), this.#setting)
    const any = informer as unknown as AnyInformer
    this.#informers.add(any)
    this.#versions.set(kindName(kind), [...this.#versionsOf(kind), any])
    this.#start(any)
    return informer
  }

  #find<T extends ApiObject>(kind: Kind<T>): KindInformer<T> | undefined {
    for (const informer of this.#versionsOf(kind))
      if (informer.kind.version === kind.version) return informer as unknown as KindInformer<T>
    return undefined
  }

  #versionsOf(kind: Kind): readonly AnyInformer[] {
    return this.#versions.get(kindName(kind)) ?? none
  }

  /** Starts the informer if the cache runs. */
  #start(informer: AnyInformer): void {
    if (this.#signal === undefined) return
    if (this.#signal.aborted) informer.stop()
    else
      this.#ends.set(
        informer,
        informer.run().finally(() => this.#ends.delete(informer)),
      )
  }

  #withDefaults<T extends ApiObject>(options: InformerOptions<T>): InformerOptions<T> {
    const { namespaces = this.#options.namespaces, resyncPeriodMs = this.#options.resyncPeriodMs } = options
    const { projection = 'full', keepManagedFields = false, labelSelector = '', fieldSelector = '' } = options
    return { ...options, namespaces, resyncPeriodMs, projection, keepManagedFields, labelSelector, fieldSelector }
  }

  #addIndexes<T extends ApiObject>(informer: KindInformer<T>, { indexes = {} }: InformerOptions<T>): void {
    for (const [name, valuesOf] of Object.entries(indexes)) {
      const known = informer.indexFunction(name)
      if (known === undefined) informer.addIndex(name, valuesOf)
      else if (known !== valuesOf)
        throw new RepeatedInformerError(kindName(informer.kind), `index ${JSON.stringify(name)}`)
    }
  }

  /** The informer of the kind, when it shows the initial list and the own writes: usually at once. */
  #fresh<T extends ApiObject>(
    kind: Kind<T>,
    of: Extent,
    options: CacheReadOptions,
  ): KindInformer<T> | Promise<KindInformer<T>> {
    const informer = this.#find(kind)
    if (informer === undefined) throw new UndeclaredKindError(kindName(kind), kind.kind, [...this.#versions.keys()])
    const { projection: held = 'full' } = informer.options
    if ((options.projection ?? 'full') !== held) throw new ProjectionError(kindName(kind), kind.kind, held)
    const { waitMs = this.#options.readWaitMs ?? 5000 } = options
    if (waitMs <= 0 || (informer.synced && !informer.doubt.exists && informer.writes.allSeen(of))) return informer
    return this.#whenFresh(informer, of, waitMs, options.signal)
  }

  async #whenFresh<T extends ApiObject>(
    informer: KindInformer<T>,
    of: Extent,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<KindInformer<T>> {
    const { kind } = informer
    const name = kindName(kind)
    const startedAt = this.#env.monotonic()
    const leftMs = (): number => waitMs - (this.#env.monotonic() - startedAt)
    const isListed = await informer.syncedWithin(waitMs, signal)
    const isSure = isListed && (await informer.doubt.resolvedWithin(leftMs(), this.#env, signal))
    const isFresh = isSure && (await informer.writes.seenWithin(leftMs(), of, signal))
    const waited = Math.round(this.#env.monotonic() - startedAt)
    this.#observer.staleRead(kind, waited, !isFresh)
    if (isFresh) return informer
    throw new StaleCacheError(
      isSure
        ? `the watch of ${name} has not shown what this process wrote, for ${waited} ms: it is at version ` +
            informer.resourceVersion
        : isListed
          ? `the watch of ${name} broke, and the server may have been rolled back since: it has not been reached for ` +
            `${waited} ms`
          : `${name} have not been listed within ${waited} ms: their informer is ${informer.state}`,
    )
  }
}

const comparedOptions = [
  'namespaces',
  'labelSelector',
  'fieldSelector',
  'projection',
  'transform',
  'keepManagedFields',
  'resyncPeriodMs',
] as const satisfies readonly (keyof InformerOptions<ApiObject>)[]

function isSame(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b
  return a.length === b.length && a.every((item) => b.includes(item))
}
