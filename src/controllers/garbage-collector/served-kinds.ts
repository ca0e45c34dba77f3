/**
 * The served kinds, each with a metadata-only informer that feeds the graph. CRDs are watched, so that discovery runs
 * only after a change.
 */
import { setMaxListeners } from 'node:events'
import { CustomResourceDefinition, type ApiObject, type Client, type Kind, type Live } from '../../index.ts'
import { kindName } from '../../schema/index.ts'
import { RestMapper, type ServedKind } from '../../client/index.ts'
import type { Cache, InformerOptions } from '../../cache/index.ts'
import type { Env } from '../../env/index.ts'
import type { OwnerGraph } from './owner-graph.ts'

export interface ServedKindsOptions {
  readonly env: Env
  readonly client: Client
  readonly cache: Cache
  readonly graph: OwnerGraph
  /** Called when discovery should run again. */
  readonly changed: () => void
}

/** Kinds that never own, are never owned, and have many objects. */
const ignored: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io'])
const needed = ['delete', 'list', 'watch']
/** How long to wait for the first lists. A kind that cannot be listed must not stop the collector. */
const firstSyncTimeoutMs = 60_000
/** The same for kinds that are added later, which have few objects yet. */
const syncTimeoutMs = 5_000

export class ServedKinds {
  readonly #options: ServedKindsOptions
  readonly #mapper: RestMapper
  readonly #watched = new Map<string, Kind>()
  #served: readonly ServedKind[] = []
  #synced: Promise<void> = Promise.resolve()

  constructor(options: ServedKindsOptions) {
    this.#options = options
    this.#mapper = new RestMapper(options.client)
  }

  /** Resolves when the graph has the objects of all kinds. */
  whenSynced(): Promise<void> {
    return this.#synced
  }

  /** Undefined: not served, as far as is known. */
  find(apiVersion: string, name: string): Kind | undefined {
    return this.#served.find(({ kind }) => kind.apiVersion === apiVersion && kind.kind === name)?.kind
  }

  /** Runs discovery. False if it lags behind the definitions: try again later. */
  async refresh(signal: AbortSignal): Promise<boolean> {
    this.#mapper.invalidate()
    this.#served = await this.#mapper.served()
    const wanted = new Map<string, Kind>()
    for (const { kind, verbs } of this.#served) {
      const name = kindName(kind)
      if (!wanted.has(name) && !ignored.has(name) && needed.every((verb) => verbs.includes(verb)))
        wanted.set(name, kind)
    }
    for (const [name, kind] of this.#watched)
      if (!this.#isServed(kind) || this.#isMissing(kind)) await this.#forget(name, kind)
    const longest = this.#watched.size === 0 ? firstSyncTimeoutMs : syncTimeoutMs
    const added = [...wanted].filter(([name]) => !this.#watched.has(name))
    for (const [name, kind] of added) this.#watch(name, kind)
    if (added.length > 0)
      this.#synced = this.#whenListed(
        added.map(([, kind]) => kind),
        longest,
        signal,
      )
    await this.#synced
    return this.#isComplete()
  }

  #isServed({ apiVersion, plural }: Kind): boolean {
    return this.#served.some(({ kind }) => kind.apiVersion === apiVersion && kind.plural === plural)
  }

  /** Discovery may list a kind before it can be read. Its informer backs off; a new informer starts at once. */
  #isMissing(kind: Kind): boolean {
    return this.#options.cache.informer(kind).state === 'missing'
  }

  #watch(name: string, kind: Kind): void {
    const { cache, graph, changed } = this.#options
    this.#watched.set(name, kind)
    const isDefinition = name === kindName(CustomResourceDefinition)
    const options: InformerOptions<ApiObject> = isDefinition
      ? definitionsOnly
      : { projection: 'metadata', resyncPeriodMs: 0 }
    const report = isDefinition || name === 'apiservices.apiregistration.k8s.io' ? changed : () => undefined
    cache.informer(kind, options).addHandler({
      onAdd: ({ metadata }, isInInitialList) => {
        graph.saw(kind, metadata)
        if (!isInInitialList) report()
      },
      onUpdate: (_, { metadata }) => {
        graph.saw(kind, metadata)
        report()
      },
      onDelete: ({ metadata }) => {
        graph.lost(metadata.uid)
        report()
      },
    })
  }

  async #forget(name: string, kind: Kind): Promise<void> {
    const { cache, graph } = this.#options
    const left = cache.informer(kind).lister.list()
    this.#watched.delete(name)
    await cache.remove(kind)
    for (const { metadata } of left) graph.lost(metadata.uid)
  }

  async #whenListed(kinds: readonly Kind[], longest: number, signal: AbortSignal): Promise<void> {
    const { env, cache } = this.#options
    const before = this.#synced
    const enough = new AbortController()
    const timer = env.after(longest, () => enough.abort())
    const either = AbortSignal.any([signal, enough.signal])
    setMaxListeners(0, either)
    await Promise.all([
      before,
      ...kinds.map((kind) =>
        cache
          .informer(kind)
          .whenSynced(either)
          .catch(() => undefined),
      ),
    ])
    timer.cancel()
  }

  /** Whether all established definitions are in discovery, and all discovered kinds can be listed. */
  #isComplete(): boolean {
    if ([...this.#watched.values()].some((kind) => this.#isMissing(kind))) return false
    if (!this.#watched.has(kindName(CustomResourceDefinition))) return true
    const definitions = this.#options.cache.informer(CustomResourceDefinition).lister.list()
    return definitions
      .filter(isEstablished)
      .every(({ metadata }) => this.#served.some(({ kind }) => kindName(kind) === metadata.name))
  }
}

/** Keeps only what shows whether the kind is served: schemas are among the largest objects. */
const definitionsOnly: InformerOptions<ApiObject> = {
  resyncPeriodMs: 0,
  transform: (object) => {
    const { metadata, status } = object as CustomResourceDefinition
    return { metadata, status: { conditions: status?.conditions ?? [] } } as ApiObject
  },
}

function isEstablished({ metadata, status }: Live<CustomResourceDefinition>): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true
  )
}
