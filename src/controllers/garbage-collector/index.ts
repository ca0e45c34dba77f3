/**
 * The garbage collector: deletes dependents of deleted owners, for every served kind including custom resources. It
 * decides by the state of the server, not by its watches, and asks only if there may be something to do: at rest it
 * neither writes nor reads.
 */
import { ApiError, type Logger } from '../../index.ts'
import type { Cache } from '../../cache/index.ts'
import type { Task, TaskServices } from '../../manager/index.ts'
import type { WorkQueue } from '../../queue/index.ts'
import { Collector } from './collector.ts'
import { describe, nodeName, OwnerGraph, type GraphWork, type Node } from './owner-graph.ts'
import { OwnerLookup, UnknownOwnerKindError, UnplacedOwnerError } from './owners.ts'
import { ServedKinds } from './served-kinds.ts'

export interface GarbageCollectorOptions {
  /** Objects processed concurrently. Default 20. */
  readonly concurrency?: number | undefined
}

/** A task of a manager, with a metadata-only cache of its own. */
export function garbageCollector({ concurrency = 20 }: GarbageCollectorOptions = {}): Task {
  const name = 'garbage-collector-controller'
  return {
    name,
    fieldManager: 'kube-controller-manager',
    start: (signal, services) => new GarbageCollection(services).run(concurrency, signal),
  }
}

const kindsKey = 'kinds'
const orphanKey = 'orphan '

class GarbageCollection {
  readonly #services: TaskServices
  readonly #log: Logger
  readonly #queue: WorkQueue
  readonly #graph: OwnerGraph
  readonly #kinds: ServedKinds
  readonly #collector: Collector
  readonly #cache: Cache
  /** Nodes with an owner whose kind is not served (yet). */
  readonly #unknownKindUids = new Set<string>()

  constructor(services: TaskServices) {
    const { env, client, log } = services
    this.#services = services
    this.#log = log
    this.#queue = services.queue()
    this.#graph = new OwnerGraph(this.#work())
    this.#cache = services.createCache({ resyncPeriodMs: 0 })
    this.#kinds = new ServedKinds({
      env,
      client,
      cache: this.#cache,
      graph: this.#graph,
      changed: () => this.#queue.add(kindsKey),
    })
    this.#collector = new Collector({
      client,
      owners: new OwnerLookup(client, this.#graph, this.#kinds),
      again: (node) => this.#queue.add(node.uid),
    })
  }

  async run(concurrency: number, signal: AbortSignal): Promise<void> {
    this.#queue.add(kindsKey)
    const watching = this.#cache.run(signal)
    await Promise.all(Array.from({ length: concurrency }, () => this.#worker(signal)))
    this.#queue.shutDown()
    await watching
  }

  #work(): GraphWork {
    return {
      collect: (node) => this.#queue.add(node.uid),
      orphan: (node) => this.#queue.add(orphanKey + node.uid),
      misplaced: (node, reference) => {
        if (node.seen === undefined) return
        const {
          kind: { apiVersion, kind },
          key,
        } = node.seen
        const about = { apiVersion, kind, ...key, uid: node.uid }
        const message =
          `ownerRef ${describe(reference, key.namespace ?? '')} does not exist in namespace ` +
          `"${key.namespace ?? ''}"`
        this.#services.events.event(about, 'Warning', 'OwnerRefInvalidNamespace', message)
      },
    }
  }

  async #worker(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const item = await this.#queue.take(signal)
      if (item === undefined) return
      await this.#attempt(item.key, signal)
      this.#queue.done(item.key)
    }
  }

  async #attempt(key: string, signal: AbortSignal): Promise<void> {
    try {
      if (await this.#process(key, signal)) this.#queue.forget(key)
      else this.#queue.add(key, { rateLimited: true })
    } catch (error) {
      if (signal.aborted) return
      this.#queue.add(key, { rateLimited: true })
      const isLostRace = error instanceof ApiError && error.code === 409
      if (!isLostRace) this.#log.warn('garbage collection failed; retrying', { what: this.#describe(key), error })
    }
  }

  /** False: try again. */
  async #process(key: string, signal: AbortSignal): Promise<boolean> {
    if (key === kindsKey) return this.#refreshKinds(signal)
    await this.#kinds.whenSynced()
    const isOrphaning = key.startsWith(orphanKey)
    const node = this.#graph.get(isOrphaning ? key.slice(orphanKey.length) : key)
    if (node === undefined) return true
    if (isOrphaning) await this.#collector.orphan(node, signal)
    else await this.#collect(node, signal)
    return true
  }

  async #collect(node: Node, signal: AbortSignal): Promise<void> {
    try {
      await this.#collector.collect(node, signal)
    } catch (error) {
      if (error instanceof UnknownOwnerKindError) this.#unknownKindUids.add(node.uid)
      else if (!(error instanceof UnplacedOwnerError)) throw error
      this.#log.debug('not collected', { what: nodeName(node), error })
    }
  }

  /** Processes nodes that waited for a kind again: the kind may be served now. */
  async #refreshKinds(signal: AbortSignal): Promise<boolean> {
    const isComplete = await this.#kinds.refresh(signal)
    for (const uid of this.#unknownKindUids) this.#queue.add(uid)
    this.#unknownKindUids.clear()
    return isComplete
  }

  #describe(key: string): string {
    const node = this.#graph.get(key.startsWith(orphanKey) ? key.slice(orphanKey.length) : key)
    return node === undefined ? key : nodeName(node)
  }
}
