/** The informer of one kind: a mirror and a reflector for each namespace (or one for all), handlers, resync. */
import type { ApiObject, Live } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import type { Env, Timer } from '../env/env.ts'
import { kindName, type Kind } from '../schema/kind.ts'
import { WideInformerError } from './cache-error.ts'
import type { Handler, HandlerRegistration, Informer, InformerOptions, InformerState, Lister } from './cache.ts'
import type { GuardedObserver } from './guarded-observer.ts'
import {
  addNotification,
  HandlerFeed,
  deleteNotification,
  updateNotification,
  type HandlerNotification,
} from './handler-feed.ts'
import { InformerLister } from './informer-lister.ts'
import type { InternedText } from './interned-text.ts'
import { Latch } from './latch.ts'
import { Mirror } from './mirror.ts'
import type { IndexFunction } from './object-index.ts'
import type { ObjectStore } from './object-store.ts'
import { OwnWrites } from './own-writes.ts'
import { Reflector, type ReflectorState } from './reflector.ts'
import { selectionOf } from './selection.ts'
import { ServerDoubt } from './server-doubt.ts'
import type { ServerProbe } from './server-probe.ts'
import { storedForm, type StoredForm } from './stored-form.ts'
import type { TimeSlice } from './time-slice.ts'
import { compareResourceVersions } from './resource-version-order.ts'

/** The services that all informers of a cache share. */
export interface InformerSetting {
  readonly client: Client
  readonly env: Env
  readonly observer: GuardedObserver
  readonly texts: InternedText
  readonly turn: TimeSlice
  readonly probe: ServerProbe
  readonly pageSize: number
  readonly listTimeoutMs: number
  readonly watchList: boolean
}

/** One watch. */
interface NamespaceScope<T extends ApiObject> {
  readonly mirror: Mirror<T>
  readonly reflector: Reflector<T>
  readonly stop: AbortController
}

/** The key of the scope of all namespaces, and of cluster-scoped kinds. */
const everywhere = ''

const defaultResyncMs = 10 * 60 * 60 * 1000

export class KindInformer<T extends ApiObject> implements Informer<T> {
  readonly kind: Kind<T>
  readonly options: InformerOptions<T>
  readonly lister: Lister<T>
  readonly writes: OwnWrites<T>
  readonly doubt = new ServerDoubt()
  readonly #setting: InformerSetting
  /** Index functions as declared, and wrapped so that errors are reported. */
  readonly #declared = new Map<string, IndexFunction<T>>()
  readonly #indexes: Record<string, IndexFunction<T>> = {}
  /** By namespace. */
  readonly #scopes = new Map<string, NamespaceScope<T>>()
  /** The running reflectors, including those of removed namespaces. */
  readonly #runs = new Set<Promise<void>>()
  readonly #form: StoredForm<T>
  readonly #synced = new Latch()
  readonly #stopped = new Latch()
  #phase: 'new' | 'running' | 'stopped' = 'new'
  #feeds: readonly HandlerFeed<T>[] = []
  #resync: Timer | undefined

  /** Throws for invalid selectors. `options.namespaces` is ignored for cluster-scoped kinds. */
  constructor(kind: Kind<T>, options: InformerOptions<T>, setting: InformerSetting) {
    this.kind = kind
    this.options = options
    this.#setting = setting
    const { projection, transform, keepManagedFields } = options
    this.#form = storedForm(kind, {
      projection,
      transform,
      keepManagedFields,
      texts: setting.texts,
      failed: this.#failed,
    })
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) this.addIndex(name, valuesOf)
    for (const namespace of (kind.namespaced ? options.namespaces : undefined) ?? [everywhere]) this.#watch(namespace)
    this.writes = new OwnWrites<T>({
      env: setting.env,
      selection: selectionOf(options),
      progress: (namespace) => this.#scopeOf(namespace)?.mirror,
    })
    this.lister = new InformerLister<T>({
      name: kindName(kind),
      namespaced: kind.namespaced,
      indexNames: () => [...this.#declared.keys()],
      stores: (namespace) => this.stores(namespace),
    })
  }

  get synced(): boolean {
    return this.#synced.isOpen
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.opened(signal)
  }

  /** False if it has not synced after `ms`. */
  syncedWithin(ms: number, signal?: AbortSignal): Promise<boolean> {
    return this.#synced.openedWithin(ms, this.#setting.env, signal)
  }

  get resourceVersion(): string {
    return this.#all(({ mirror }) => mirror.version).sort(compareResourceVersions)[0] ?? ''
  }

  get silenceMs(): number {
    return Math.max(0, ...this.#all(({ reflector }) => reflector.silence))
  }

  get state(): InformerState {
    if (this.#phase === 'stopped') return 'stopped'
    const states = this.#all(({ reflector }) => stateNames[reflector.state])
    return worstState.find((state) => states.includes(state)) ?? (this.#phase === 'running' ? 'watching' : 'idle')
  }

  addHandler(handler: Handler<T>): HandlerRegistration {
    const feed: HandlerFeed<T> = new HandlerFeed(handler, {
      turn: this.#setting.turn,
      failed: this.#failed,
      removed: () => {
        this.#feeds = this.#feeds.filter((each) => each !== feed)
      },
    })
    this.#feeds = [...this.#feeds, feed]
    for (const store of this.stores()) feed.push(Array.from(store.values(), (object) => addNotification(object, true)))
    if (this.synced) feed.pushEndOfInitialList()
    return feed
  }

  indexFunction(name: string): IndexFunction<T> | undefined {
    return this.#declared.get(name)
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const guarded = this.#guarded(valuesOf)
    this.#declared.set(name, valuesOf)
    this.#indexes[name] = guarded
    for (const { mirror } of this.#scopes.values()) mirror.addIndex(name, guarded)
  }

  async setNamespaces(namespaces: readonly string[]): Promise<void> {
    if (!this.kind.namespaced || this.#scopes.has(everywhere)) throw new WideInformerError(kindName(this.kind))
    for (const [namespace, scope] of this.#scopes) if (!namespaces.includes(namespace)) this.#unwatch(namespace, scope)
    for (const namespace of namespaces) this.#watch(namespace)
    this.#changed([])
    await Promise.all(this.#all(({ mirror }) => mirror.filled.opened()))
  }

  /** The stores that may have objects of a namespace; undefined: all. */
  stores(namespace?: string): readonly ObjectStore<T>[] {
    if (namespace === undefined) return this.#all(({ mirror }) => mirror.store)
    const scope = this.#scopeOf(namespace)
    return scope === undefined ? [] : [scope.mirror.store]
  }

  /** Runs until {@link stop}. Never rejects. */
  async run(): Promise<void> {
    this.#phase = 'running'
    for (const scope of this.#scopes.values()) this.#start(scope)
    this.#armResync()
    this.#changed([])
    await this.#stopped.opened()
    await Promise.all(this.#runs)
  }

  /** Stops permanently: handlers are not notified any more. */
  stop(): void {
    this.#phase = 'stopped'
    this.#resync?.cancel()
    for (const scope of this.#scopes.values()) end(scope)
    for (const feed of this.#feeds) feed.remove()
    this.#stopped.open()
  }

  #all<Value>(of: (scope: NamespaceScope<T>) => Value): Value[] {
    return Array.from(this.#scopes.values(), of)
  }

  #scopeOf(namespace: string): NamespaceScope<T> | undefined {
    return this.#scopes.get(everywhere) ?? this.#scopes.get(namespace)
  }

  #watch(namespace: string): void {
    if (this.#scopes.has(namespace)) return
    const { projection, labelSelector, fieldSelector } = this.options
    const stop = new AbortController()
    const mirror = new Mirror<T>({
      turn: this.#setting.turn,
      form: this.#form,
      indexes: () => this.#indexes,
      changed: (changes) => {
        if (!stop.signal.aborted) this.#changed(changes)
      },
      setBack: () => this.writes.forget(),
    })
    const selection = {
      namespace: namespace === everywhere ? undefined : namespace,
      labelSelector,
      fieldSelector,
      metadataOnly: projection === 'metadata',
    }
    const reflector = new Reflector<T>({ ...this.#setting, doubt: this.doubt, kind: this.kind, selection }, mirror)
    const scope: NamespaceScope<T> = { mirror, reflector, stop }
    this.#scopes.set(namespace, scope)
    if (this.#phase === 'running') this.#start(scope)
  }

  #unwatch(namespace: string, scope: NamespaceScope<T>): void {
    end(scope)
    this.#scopes.delete(namespace)
    this.#changed(Array.from(scope.mirror.store.values(), (object) => deleteNotification(object, true)))
  }

  #start(scope: NamespaceScope<T>): void {
    const run: Promise<void> = scope.reflector.run(scope.stop.signal).finally(() => this.#runs.delete(run))
    this.#runs.add(run)
  }

  #changed(changes: readonly HandlerNotification<T>[]): void {
    this.writes.check()
    this.#report(changes)
    if (this.synced || this.#phase !== 'running' || !this.#all(({ mirror }) => mirror.filled.isOpen).every(Boolean))
      return
    this.#synced.open()
    for (const feed of this.#feeds) feed.pushEndOfInitialList()
  }

  /** Notifies the current handlers only: a handler that another one adds meanwhile finds the objects in the store. */
  #report(changes: readonly HandlerNotification<T>[]): void {
    for (const feed of this.#feeds) feed.push(changes)
  }

  #armResync(): void {
    const { env } = this.#setting
    const period = this.options.resyncPeriodMs ?? defaultResyncMs
    if (period <= 0 || this.#phase !== 'running') return
    this.#resync = env.after(period * (0.9 + 0.2 * env.random()), () => {
      for (const store of this.stores())
        this.#report(Array.from(store.values(), (object) => updateNotification(object, object)))
      this.#armResync()
    })
  }

  readonly #failed = (error: unknown): void => this.#setting.observer.handlerFailed(this.kind, error)

  #guarded(valuesOf: IndexFunction<T>): IndexFunction<T> {
    return (object: Live<T>) => {
      try {
        return valuesOf(object)
      } catch (error) {
        this.#failed(error)
        return []
      }
    }
  }
}

/** Shared: each one costs an exception with a stack, and nobody outside of the cache sees it. */
const stopped: unknown = AbortSignal.abort().reason

function end<T extends ApiObject>({ mirror, stop }: NamespaceScope<T>): void {
  stop.abort(stopped)
  // Reads no longer need to wait for it.
  mirror.filled.open()
}

const stateNames = {
  idle: 'idle',
  stream: 'listing',
  list: 'listing',
  watch: 'watching',
  follow: 'watching',
  wait: 'retrying',
  missing: 'missing',
  stopped: 'stopped',
} as const satisfies Record<ReflectorState, InformerState>

/** The state of several watches is the worst of them. */
const worstState: readonly InformerState[] = ['missing', 'retrying', 'listing', 'idle', 'watching', 'stopped']
