/**
 * What an operator would do: copies the state of a cluster (or starts empty) into an embedded cluster, and runs the
 * operator's own code there under a simulated clock until nothing changes. The cluster itself is only read.
 *
 * Expected flow: `plan({ operator, from: client, apply: manifests })`, then `planText` or the value itself.
 * Guarantees: no request of the operator leaves the process; the same state and change give the same plan.
 * Assumptions: pods in the copy start and become ready. Caveats: at a call of an
 * external system without a model the plan of that object ends.
 */
import { isNotFound } from '../api/error-reasons.ts'
import type { JsonObject } from '../api/json.ts'
import type { ObjectKey } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import { withoutSecrets } from '../flow/mask.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import type { Kind } from '../schema/kind.ts'
import { embedded } from '../cluster/embedded.ts'
import type { Embedded } from '../cluster/embedded-handle.ts'
import type { FailingKey } from '../cluster/failing-keys.ts'
import { messageOf } from '../controller/errors.ts'
import type { ExternalModel } from '../external/external.ts'
import { CallRecorder, type PlannedCall } from './call-recorder.ts'
import { changeSet, idOf, type PlannedChange, type Identified } from './change-set.ts'
import { clusterObjects, seenKinds, type ClusterObjects } from './cluster-objects.ts'
import { applyFieldManager, fork, forkOptions } from './fork.ts'
import { withoutServerFields, withType, type Manifest } from './manifest.ts'
import { WriteRecorder, type PlannedEvent, type RecordedWrite } from './write-recorder.ts'

export const planVersion = 'coxswain.dev/plan/v1'

export interface PlanOptions {
  readonly operator: Pick<OperatorDefinition, 'name' | 'controllers' | 'webhooks' | 'crds'>
  /** A cluster, which is only read, or the objects of one. Default: an empty cluster. */
  readonly from?: Client | readonly Manifest[] | undefined
  /** Manifests to apply, as with `kubectl apply --server-side --force-conflicts`. */
  readonly apply?: readonly Manifest[] | undefined
  /** Objects to delete, with background propagation. */
  readonly delete?: readonly Manifest[] | undefined
  /** The namespace of manifests that name none. Default `default`. */
  readonly namespace?: string | undefined
  /** The namespaces to read. Default: those of the manifests; all if there are no manifests. */
  readonly namespaces?: readonly string[] | undefined
  /** Kinds to leave out, by plural: `secrets`. Default: none. */
  readonly without?: readonly string[] | undefined
  /** Models of external systems, which answer their calls. Default: the plan of an object ends at its first call. */
  readonly externals?: readonly ExternalModel[] | undefined
  /** The time in the copy, in milliseconds since the epoch. */
  readonly now: number
}

export interface PlannedWork {
  readonly changes: readonly PlannedChange[]
  readonly events: readonly PlannedEvent[]
  /** Calls of external systems. A plan makes none. */
  readonly calls: readonly PlannedCall[]
}

/** An object of the plan at the end, with its status. */
export interface PlannedOutcome {
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name: string
  /** Undefined: it is deleted. */
  readonly status?: JsonObject | undefined
  readonly isGone: boolean
}

/** A key at which the operator keeps failing: what it would do there is not known. */
export interface PlannedFailure {
  readonly controller: string
  /** `App default/web` */
  readonly object: string
  /** Failed runs in a row. */
  readonly failures: number
  readonly error: string
  /** The line of the operator's code that threw it, if the stack names one. */
  readonly at?: string | undefined
}

export interface Plan {
  readonly version: typeof planVersion
  readonly operator: string
  /** What the operator would do without the change: because it is new, was updated or was not running. */
  readonly pending: PlannedWork
  /** The change itself. */
  readonly wish: readonly PlannedChange[]
  /** What the operator would do because of the change. */
  readonly work: PlannedWork
  /** Simulated milliseconds from the change to the last write of the operator. */
  readonly takes: number
  /** Objects that are then garbage collected with their owner. */
  readonly collected: readonly PlannedChange[]
  readonly outcomes: readonly PlannedOutcome[]
  /** Keys at which the operator keeps failing. If there are any, what the plan says is incomplete. */
  readonly failures: readonly PlannedFailure[]
  /** What could not be copied from the cluster, and why; and what the server warned about. */
  readonly warnings: readonly string[]
}

export async function plan(options: PlanOptions): Promise<Plan> {
  const {
    operator: { name, controllers, webhooks = [], crds = [] },
    externals = [],
    now,
    namespace = 'default',
  } = options
  const state = await stateOf(options)
  const own = seenKinds(controllers).flatMap((kind) => (kind as { readonly crd?: object }).crd ?? [])
  const definitions = new Map(
    [...state.definitions, ...crds, ...own].map((crd) => [(crd as Manifest).metadata.name, crd]),
  )
  const recorder = new WriteRecorder()
  const calls = new CallRecorder(externals)
  const systems = calls.systems({ controllers, webhooks })
  const { snapshot, warnings } = await fork({
    externals: systems,
    carryOut: calls.silent,
    objects: state.objects,
    time: now,
    webhooks,
    crds: [...definitions.values()],
  })
  const cluster = await embedded({
    ...forkOptions,
    from: snapshot,
    webhooks,
    controllers,
    transport: recorder.between,
    externals: systems,
    carryOut: calls.between,
  })
  try {
    const pending = worked(recorder, calls)
    const before = await identities(cluster.client, controllers)
    const started = cluster.env.now()
    let last = started
    recorder.onNote = () => (last = cluster.env.now())
    const manifestApplier = await new ManifestApplier(cluster, namespace, recorder.warnings).carryOut(options)
    await cluster.settle({ allowFailing: true })
    const work = worked(recorder, calls)
    const gone = await missing(cluster.client, controllers, before)
    const collected = gone.filter(
      (each) =>
        ![...manifestApplier.changes, ...work.changes].some(
          (change) => change.action === 'delete' && idOf(change) === idOf(each),
        ),
    )
    return {
      version: planVersion,
      operator: name,
      pending,
      wish: manifestApplier.changes,
      work,
      takes: last - started,
      collected,
      outcomes: await manifestApplier.outcomes(),
      failures: cluster.failing.map(plannedFailure),
      warnings: [...state.warnings, ...warnings, ...recorder.warnings],
    }
  } finally {
    await cluster.stop()
  }
}

async function stateOf({
  from = [],
  operator,
  apply = [],
  delete: deleted = [],
  namespace = 'default',
  namespaces,
  without = [],
}: PlanOptions): Promise<ClusterObjects> {
  const requested = [...apply, ...deleted]
  const places = [...new Set(requested.map(({ metadata }) => metadata.namespace ?? namespace))]
  if (!('list' in from)) {
    // Nobody else could have created these namespaces.
    const made = places.map((name): Manifest => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
    return { objects: [...from, ...made], definitions: [], warnings: [] }
  }
  const isNarrow = requested.length > 0 && !reachesEverywhere(operator.controllers, requested)
  return clusterObjects(from, operator.controllers, {
    namespaces: namespaces ?? (isNarrow ? places : undefined),
    without,
    requested,
    namespace,
  })
}

/** Objects without a namespace may concern all namespaces. */
function reachesEverywhere(controllers: OperatorDefinition['controllers'], requested: readonly Manifest[]): boolean {
  return (
    controllers.some(({ kind }) => !kind.namespaced) ||
    requested.some(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace')
  )
}

function plannedFailure({ controller, object, failures, error, at }: FailingKey): PlannedFailure {
  return { controller, object, failures, error: messageOf(error), ...(at === undefined ? {} : { at }) }
}

function worked(recorder: WriteRecorder, calls: CallRecorder): PlannedWork {
  const { writes, events } = recorder.take()
  return { changes: changeSet(writes), events, calls: calls.take() }
}

/** Applies and deletes, as kubectl would. */
class ManifestApplier {
  readonly #client: Client
  readonly #mapper: RestMapper
  readonly #namespace: string
  readonly #writes: RecordedWrite[] = []
  readonly #requested: { readonly kind: Kind; readonly key: ObjectKey }[] = []

  /** `warnings` gets those of the server. */
  constructor({ env, plane }: Embedded, namespace: string, warnings: Set<string>) {
    this.#client = new RestClient({
      env,
      transport: inProcessTransport(plane.transport()),
      timeoutMs: 0,
      onWarning: (text) => warnings.add(text),
    })
    this.#mapper = new RestMapper(this.#client)
    this.#namespace = namespace
  }

  async carryOut({ apply = [], delete: deleted = [] }: Pick<PlanOptions, 'apply' | 'delete'>): Promise<this> {
    for (const manifest of apply) await this.#apply(manifest)
    for (const manifest of deleted) await this.#delete(manifest)
    return this
  }

  get changes(): readonly PlannedChange[] {
    return changeSet(this.#writes)
  }

  async outcomes(): Promise<readonly PlannedOutcome[]> {
    return Promise.all(
      this.#requested.map(async ({ kind, key }) => {
        const object = await found(this.#client, kind, key)
        const status = (object as { readonly status?: JsonObject } | undefined)?.status
        return {
          kind: kind.kind,
          ...key,
          ...(status === undefined ? {} : { status: withoutSecrets(status) as JsonObject }),
          isGone: object === undefined,
        }
      }),
    )
  }

  async #apply(manifest: Manifest): Promise<void> {
    const { kind, key } = await this.#find(manifest)
    const before = await found(this.#client, kind, key)
    const own = withoutServerFields(manifest)
    const { namespace: _namespace, ...metadata } = own['metadata'] as JsonObject
    const sent = { ...own, metadata: { ...metadata, ...key } } as never
    const after = await this.#client.apply(kind, sent, { force: true, fieldManager: applyFieldManager })
    this.#writes.push({ before, after: withType(kind, after), sent, isStatus: false })
  }

  async #delete(manifest: Manifest): Promise<void> {
    const { kind, key } = await this.#find(manifest)
    const before = await found(this.#client, kind, key)
    if (before === undefined)
      throw new Error(`there is no ${kind.kind} ${[key.namespace, key.name].filter(Boolean).join('/')} to delete`)
    await this.#client.delete(kind, key)
    this.#writes.push({ before, after: undefined, isStatus: false })
  }

  async #find(manifest: Manifest): Promise<{ readonly kind: Kind; readonly key: ObjectKey }> {
    const kind = await this.#mapper.kindOfObject(manifest)
    const { name = '', namespace = this.#namespace } = manifest.metadata
    const wish = { kind, key: kind.namespaced ? { namespace, name } : { name } }
    this.#requested.push(wish)
    return wish
  }
}

async function found(client: Client, kind: Kind, key: ObjectKey): Promise<Manifest | undefined> {
  const object = await client.get(kind, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  return object === undefined ? undefined : withType(kind, object)
}

/** The objects of the kinds that the operator sees, by uid. */
async function identities(
  client: Client,
  controllers: OperatorDefinition['controllers'],
): Promise<ReadonlyMap<string, Identified>> {
  const lists = await Promise.all(
    seenKinds(controllers).map(async (kind) => ({ kind, items: (await client.list(kind)).items })),
  )
  return new Map(
    lists.flatMap(({ kind: { apiVersion, kind }, items }) =>
      items.map(
        ({ metadata: { uid, namespace, name } }) =>
          [uid, { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name }] as const,
      ),
    ),
  )
}

/** Objects that existed and do not any more. Pods and ReplicaSets are left out: every rollout replaces them. */
async function missing(
  client: Client,
  controllers: OperatorDefinition['controllers'],
  before: ReadonlyMap<string, Identified>,
): Promise<readonly PlannedChange[]> {
  const now = new Set([...(await identities(client, controllers)).values()].map(idOf))
  return [...before.values()]
    .filter((each) => !now.has(idOf(each)) && each.kind !== 'Pod' && each.kind !== 'ReplicaSet')
    .map((each) => ({ action: 'delete', ...each, fields: [] }))
}
