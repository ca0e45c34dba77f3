/**
 * A cluster of one's own that goes on from what another one has: the same objects with the same identities, owners and field managers,
 * on simulated nodes. What the cluster's own controllers make of them (ReplicaSets, pods, endpoints) is made anew, and runs well.
 */
import { isAlreadyExists } from '../api/error-reasons.ts'
import { isObject, type JsonObject } from '../api/json.ts'
import type { KubeObject, ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../api/object.ts'
import { collectionIn, objectPath } from '../client/resource-path.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import { embedded, type Embedded, type EmbeddedOptions, type Snapshot } from '../testing/embedded.ts'
import { asWritten, type Manifest } from './manifest.ts'

/** Room for whatever a cluster has. */
export const surroundings: EmbeddedOptions = { nodes: 3, capacity: { cpu: '10000', memory: '64Ti', pods: '100000', 'ephemeral-storage': '64Ti' } }

export interface ForkOptions extends Pick<EmbeddedOptions, 'crds' | 'webhooks'> {
  readonly objects: readonly Manifest[]
  /** Milliseconds since the epoch: what the time is there. */
  readonly time: number
}

export interface Fork {
  /** At rest, with nobody at work in it but the cluster's own controllers. */
  readonly snapshot: Snapshot
  /** What could not be copied, and why. */
  readonly warnings: readonly string[]
}

export async function fork({ objects, time, ...options }: ForkOptions): Promise<Fork> {
  // Nobody may make anything before all is there.
  const still = await embedded(options)
  const warnings = await copy(still, objects.filter((object) => !isMadeAnew(object)))
  // Times in objects are whole seconds.
  const copied = { ...still.snapshot(), time: Math.ceil(time / 1000) * 1000 }
  await still.stop()
  const alive = await embedded({ ...surroundings, webhooks: options.webhooks, from: copied })
  const snapshot = alive.snapshot()
  await alive.stop()
  return { snapshot, warnings }
}

const ownKinds = new Set(['v1 Node', 'v1 Endpoints', 'v1 Event', 'events.k8s.io/v1 Event', 'discovery.k8s.io/v1 EndpointSlice', 'coordination.k8s.io/v1 Lease'])
const makers = new Set(['apps/v1 Deployment', 'apps/v1 ReplicaSet'])

/** By the controllers of the cluster. */
function isMadeAnew({ apiVersion, kind, metadata }: Manifest): boolean {
  const maker = metadata.ownerReferences?.find(({ controller }) => controller === true)
  return ownKinds.has(`${apiVersion} ${kind}`) || (maker !== undefined && makers.has(`${maker.apiVersion} ${maker.kind}`))
}

/** Through the API, so that all is stored as the server would store it; then with the identity that it had. */
async function copy(cluster: Embedded, objects: readonly Manifest[]): Promise<string[]> {
  const warnings: string[] = []
  const copier = new Copier(cluster, new Set(objects.map(({ metadata }) => metadata.uid)))
  const isNamespace = ({ apiVersion, kind }: Manifest): boolean => apiVersion === 'v1' && kind === 'Namespace'
  const [namespaces, others] = [objects.filter(isNamespace), objects.filter((object) => !isNamespace(object))]
  const places = new Set(others.flatMap(({ metadata }) => metadata.namespace ?? []))
  const unnamed = [...places].filter((place) => !namespaces.some(({ metadata }) => metadata.name === place))
    .map((name): Manifest => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  for (const object of [...namespaces, ...unnamed, ...others]) {
    const { namespace, name } = object.metadata
    await copier.copy(object).catch((error: unknown) => {
      warnings.push(`${object.kind} ${[namespace, name].filter(Boolean).join('/')} was not copied: ${(error as Error).message}`)
    })
  }
  copier.identify()
  return warnings
}

class Copier {
  readonly #cluster: Embedded
  readonly #mapper: RestMapper
  readonly #uids: ReadonlySet<string | undefined>
  /** By the uid of the copy. */
  readonly #originals = new Map<string, Manifest>()

  /** `uids`: of all that is copied. */
  constructor(cluster: Embedded, uids: ReadonlySet<string | undefined>) {
    this.#cluster = cluster
    this.#mapper = new RestMapper(cluster.client)
    this.#uids = uids
  }

  /** What the server has by itself, as the namespace default, stays as it is. */
  async copy(object: Manifest): Promise<void> {
    const { client } = this.#cluster
    const { namespace, name } = object.metadata
    const kind = await this.#mapper.kindOfObject(object)
    const body = creatable(object, this.#owners(object.metadata))
    const made = await client.raw('POST', collectionIn(kind, namespace), { body }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    }) as KubeObject | undefined
    if (made === undefined) return
    this.#originals.set(made.metadata.uid ?? '', object)
    const { status } = object
    if (status !== undefined) await client.raw('PUT', objectPath(kind, namespace, name, 'status'), { body: { ...made, status } as never })
  }

  /** Behind the API's back: nobody may choose these. */
  identify(): void {
    const { store } = this.#cluster.plane
    for (const { key, object, revision } of store.list('/registry/').items) {
      const metadata = this.#originals.get(object.metadata.uid ?? '')?.metadata
      if (metadata?.uid === undefined) continue
      const own = { ownerReferences: this.#owners(metadata), managedFields: upgraded(metadata.managedFields ?? []) }
      store.put(key, revision, (next) => ({ ...object, metadata: { ...metadata, ...own, resourceVersion: String(next) } }))
    }
  }

  /** Those that are not here would be taken for gone. */
  #owners({ ownerReferences = [] }: ObjectMeta): OwnerReference[] {
    return ownerReferences.filter(({ uid }) => this.#uids.has(uid))
  }
}

/** Addresses are given out anew. Nodes are others. */
function creatable(object: Manifest, ownerReferences: OwnerReference[]): JsonObject {
  const written = asWritten(object)
  const metadata = { ...(written['metadata'] as JsonObject), ownerReferences }
  const { spec } = written
  if (object.apiVersion !== 'v1' || !isObject(spec)) return { ...written, metadata }
  if (object.kind === 'Pod') return { ...written, metadata, spec: { ...spec, ...(spec['nodeName'] === undefined ? {} : { nodeName: 'node-1' }) } }
  return { ...written, metadata, spec: object.kind === 'Service' ? withoutAddresses(spec) : spec }
}

const addresses = new Set(['clusterIP', 'clusterIPs', 'healthCheckNodePort', 'ipFamilies', 'ipFamilyPolicy'])

function withoutAddresses(spec: JsonObject): JsonObject {
  if (spec['clusterIP'] === 'None') return spec
  const ports = ((spec['ports'] ?? []) as JsonObject[]).map((port) => Object.fromEntries(Object.entries(port).filter(([name]) => name !== 'nodePort')))
  return { ...Object.fromEntries(Object.entries(spec).filter(([name]) => !addresses.has(name))), ports }
}

/** What `kubectl apply` has set is its own under server-side apply, too: so that what is not said any more goes. */
function upgraded(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const isOf = (manager: string, operation: string) => (entry: ManagedFieldsEntry): boolean =>
    entry.manager === manager && entry.operation === operation && (entry.subresource ?? '') === ''
  if (entries.some(isOf(applier, 'Apply'))) return [...entries]
  return entries.map((entry) => (isOf('kubectl-client-side-apply', 'Update')(entry) ? { ...entry, manager: applier, operation: 'Apply' } : entry))
}

/** The field manager of what a user applies. */
export const applier = 'kubectl'
