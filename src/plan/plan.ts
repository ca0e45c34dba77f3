/**
 * What an operator would do: its own code at work on a fork of a cluster in this process, under a simulated clock, until all has come
 * to rest. The cluster itself is only read.
 *
 * Expected flow: `plan({ operator, from: client, apply: manifests })`, then `planText` or the value itself.
 * Guarantees: no request of the operator leaves the process; the same state and wish give the same plan.
 * Assumptions: pods of the fork start and run well. Caveats: what the operator's code does beyond the Kubernetes API it really does.
 */
import { isNotFound } from '../api/error-reasons.ts'
import type { JsonObject } from '../api/json.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import type { Kind } from '../schema/kind.ts'
import { embedded, type Embedded } from '../testing/embedded.ts'
import { changeSet, type Change } from './change-set.ts'
import { clusterObjects, seenKinds, type ClusterObjects, type Scope } from './cluster-objects.ts'
import { applier, fork, surroundings } from './fork.ts'
import { asWritten, type Manifest } from './manifest.ts'
import { WriteRecorder, type ToldEvent, type Write } from './write-recorder.ts'

export const planVersion = 'coxswain.dev/plan/v1'

export interface PlanOptions {
  readonly operator: Pick<OperatorDefinition, 'name' | 'controllers' | 'webhooks' | 'crds'>
  /** A cluster, which is only read, or the objects of one. Default: a cluster with nothing in it. */
  readonly from?: Client | readonly Manifest[] | undefined
  /** What is to be applied, as with `kubectl apply --server-side --force-conflicts`. */
  readonly apply?: readonly Manifest[] | undefined
  /** What is to be deleted, in the background. */
  readonly delete?: readonly Manifest[] | undefined
  /** Of manifests that say none. Default `default`. */
  readonly namespace?: string | undefined
  /** Which namespaces are read. Default: those of the manifests; where there are no manifests, all. */
  readonly namespaces?: readonly string[] | undefined
  /** Kinds that are not read, by their plural: `secrets`. Default: none. */
  readonly without?: readonly string[] | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface PlannedWork {
  readonly changes: readonly Change[]
  readonly events: readonly ToldEvent[]
}

/** How an object of the plan is in the end, by its own words. */
export interface Outcome {
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name: string
  /** Undefined: it is gone. */
  readonly status?: JsonObject | undefined
  readonly isGone: boolean
}

export interface Plan {
  readonly version: typeof planVersion
  readonly operator: string
  /** What the operator would do even so: it is new, is another version, or was not there for a while. */
  readonly pending: PlannedWork
  /** The wish itself. */
  readonly wish: readonly Change[]
  /** What the operator would make of it. */
  readonly work: PlannedWork
  /** Simulated milliseconds from the wish to the last that the operator does about it. */
  readonly takes: number
  /** What then goes with its owner. */
  readonly collected: readonly Change[]
  readonly outcomes: readonly Outcome[]
  /** What could not be copied from the cluster, and why. */
  readonly warnings: readonly string[]
}

export async function plan(options: PlanOptions): Promise<Plan> {
  const { operator: { name, controllers, webhooks, crds = [] }, now, namespace = 'default' } = options
  const { objects, definitions } = await stateOf(options)
  const own = seenKinds(controllers).flatMap((kind) => (kind as { readonly crd?: object }).crd ?? [])
  const { snapshot, warnings } = await fork({ objects, time: now, webhooks, crds: [...new Set([...own, ...crds, ...definitions])] })
  const recorder = new WriteRecorder()
  const cluster = await embedded({ ...surroundings, from: snapshot, webhooks, controllers, transport: recorder.between })
  try {
    const pending = worked(recorder)
    const before = await identities(cluster.client, controllers)
    const started = cluster.env.now()
    let last = started
    recorder.onNote = () => (last = cluster.env.now())
    const wishes = await new Wishes(cluster, namespace).carryOut(options)
    await cluster.settle()
    const work = worked(recorder)
    const planned = [...wishes.changes, ...work.changes]
    const gone = await missing(cluster.client, controllers, before)
    const collected = gone.filter((each) => !planned.some((change) => change.action === 'delete' && isSame(change, each)))
    return { version: planVersion, operator: name, pending, wish: wishes.changes, work, takes: last - started, collected, outcomes: await wishes.outcomes(), warnings }
  } finally {
    await cluster.stop()
  }
}

async function stateOf({ from = [], operator, apply = [], delete: deleted = [], namespace = 'default', namespaces, without = [] }: PlanOptions): Promise<ClusterObjects> {
  if (!('list' in from)) return { objects: from, definitions: [] }
  const wished = [...apply, ...deleted]
  const places = namespaces ?? (wished.length === 0 ? undefined : [...new Set(wished.map(({ metadata }) => metadata.namespace ?? namespace))])
  const scope: Scope = { namespaces: places, without }
  return clusterObjects(from, operator.controllers, scope)
}

function worked(recorder: WriteRecorder): PlannedWork {
  const { writes, events } = recorder.take()
  return { changes: changeSet(writes), events }
}

/** What a user does, as kubectl would do it. */
class Wishes {
  readonly #client: Client
  readonly #mapper: RestMapper
  readonly #namespace: string
  readonly #writes: Write[] = []
  readonly #wished: { readonly kind: Kind; readonly key: { readonly namespace?: string; readonly name: string } }[] = []

  constructor({ client }: Embedded, namespace: string) {
    this.#client = client
    this.#mapper = new RestMapper(client)
    this.#namespace = namespace
  }

  async carryOut({ apply = [], delete: deleted = [] }: Pick<PlanOptions, 'apply' | 'delete'>): Promise<this> {
    for (const manifest of apply) await this.#apply(manifest)
    for (const manifest of deleted) await this.#delete(manifest)
    return this
  }

  get changes(): readonly Change[] {
    return changeSet(this.#writes)
  }

  async outcomes(): Promise<readonly Outcome[]> {
    return Promise.all(this.#wished.map(async ({ kind, key }) => {
      const object = await found(this.#client, kind, key)
      const status = (object as { readonly status?: JsonObject } | undefined)?.status
      return { kind: kind.kind, ...key, ...(status === undefined ? {} : { status }), isGone: object === undefined }
    }))
  }

  async #apply(manifest: Manifest): Promise<void> {
    const { kind, key } = await this.#find(manifest)
    const before = await found(this.#client, kind, key)
    const sent = { ...asWritten(manifest), metadata: { ...manifest.metadata, ...key } } as never
    const after = await this.#client.apply(kind, sent, { force: true, fieldManager: applier })
    this.#writes.push({ before, after: typed(kind, after), sent, isStatus: false })
  }

  async #delete(manifest: Manifest): Promise<void> {
    const { kind, key } = await this.#find(manifest)
    const before = await found(this.#client, kind, key)
    if (before === undefined) throw new Error(`there is no ${kind.kind} ${[key.namespace, key.name].filter(Boolean).join('/')} to delete`)
    await this.#client.delete(kind, key)
    this.#writes.push({ before, after: undefined, isStatus: false })
  }

  async #find(manifest: Manifest): Promise<{ readonly kind: Kind; readonly key: { readonly namespace?: string; readonly name: string } }> {
    const kind = await this.#mapper.kindOfObject(manifest)
    const { name = '', namespace = this.#namespace } = manifest.metadata
    const wish = { kind, key: kind.namespaced ? { namespace, name } : { name } }
    this.#wished.push(wish)
    return wish
  }
}

async function found(client: Client, kind: Kind, key: { readonly namespace?: string; readonly name: string }): Promise<Manifest | undefined> {
  const object = await client.get(kind, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  return object === undefined ? undefined : typed(kind, object)
}

function typed({ apiVersion, kind }: Kind, object: Live<ApiObject>): Manifest {
  return { ...object, apiVersion, kind } as unknown as Manifest
}

type Identified = Pick<Change, 'apiVersion' | 'kind' | 'namespace' | 'name'>

/** What there is of the kinds that the operator sees, by uid. */
async function identities(client: Client, controllers: OperatorDefinition['controllers']): Promise<ReadonlyMap<string, Identified>> {
  const lists = await Promise.all(seenKinds(controllers).map(async (kind) => ({ kind, items: (await client.list(kind)).items })))
  return new Map(lists.flatMap(({ kind: { apiVersion, kind }, items }) => items.map(({ metadata: { uid, namespace, name } }) =>
    [uid, { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name }] as const)))
}

async function missing(client: Client, controllers: OperatorDefinition['controllers'], before: ReadonlyMap<string, Identified>): Promise<readonly Change[]> {
  const now = await identities(client, controllers)
  // Pods come and go with every roll-out.
  return [...before].filter(([uid, { kind }]) => !now.has(uid) && kind !== 'Pod' && kind !== 'ReplicaSet').map(([, each]) => ({ action: 'delete', ...each, fields: [] }))
}

function isSame(a: Identified, b: Identified): boolean {
  return a.apiVersion === b.apiVersion && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name
}
