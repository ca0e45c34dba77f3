/**
 * A copy of a cluster in this process: the same objects with the same uids, owners and field managers, on simulated
 * nodes. Built-in controllers create ReplicaSets, pods and endpoints again, and the pods become ready.
 */
import { isAlreadyExists } from '../api/error-reasons.ts'
import { isObject, type JsonObject } from '../api/json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../api/object.ts'
import { collectionIn, objectPath } from '../client/resource-path.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import { embedded } from '../cluster/embedded.ts'
import type { Embedded, Snapshot } from '../cluster/embedded-handle.ts'
import type { EmbeddedOptions } from '../cluster/embedded-options.ts'
import { simulatedClass, standInVolumes, withoutNodes } from './fork-storage.ts'
import { withoutServerFields, type Manifest } from './manifest.ts'

/** Large enough for any cluster. */
export const forkOptions: EmbeddedOptions = {
  nodes: 3,
  // The load of the cluster is unknown: autoscalers keep what they have.
  metricsApi: false,
  capacity: { cpu: '10000', memory: '64Ti', pods: '100000', 'ephemeral-storage': '64Ti' },
  anyStorageClass: true,
}

export interface ForkOptions extends Pick<EmbeddedOptions, 'crds' | 'webhooks' | 'externals' | 'carryOut'> {
  readonly objects: readonly Manifest[]
  /** The time in the copy, in milliseconds since the epoch. */
  readonly time: number
}

export interface Fork {
  /** Settled; only built-in controllers have run in it. */
  readonly snapshot: Snapshot
  /** What could not be copied, and why. */
  readonly warnings: readonly string[]
}

export async function fork({ objects, time, ...options }: ForkOptions): Promise<Fork> {
  // No controller may run before everything is copied.
  const still = await embedded(options)
  const warnings = await copy(still, [...objects.filter(isCopied), ...standInVolumes(objects)])
  // Times in objects are whole seconds.
  const copied = { ...still.snapshot(), time: Math.ceil(time / 1000) * 1000 }
  await still.stop()
  const { crds: _installed, ...running } = options
  const alive = await embedded({ ...forkOptions, ...running, from: copied })
  const snapshot = alive.snapshot()
  await alive.stop()
  return { snapshot, warnings }
}

/** Kinds that a cluster manages itself, and configurations that would call others. */
const leftOut = new Set([
  'v1 Node',
  'v1 Endpoints',
  'v1 Event',
  'events.k8s.io/v1 Event',
  'discovery.k8s.io/v1 EndpointSlice',
  'coordination.k8s.io/v1 Lease',
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration',
])
const replicas = new Set(['apps/v1 ReplicaSet', 'v1 Pod'])
const makers = new Set(['apps/v1 Deployment', 'apps/v1 ReplicaSet'])

/** Built-in controllers create the ReplicaSets and pods of Deployments again. */
function isCopied({ apiVersion, kind, metadata }: Manifest): boolean {
  const type = `${apiVersion} ${kind}`
  const maker = metadata.ownerReferences?.find(({ controller }) => controller === true)
  const isRecreated = replicas.has(type) && maker !== undefined && makers.has(`${maker.apiVersion} ${maker.kind}`)
  return !leftOut.has(type) && !isRecreated
}

/**
 * Writes objects through the API, so that they are stored as the server stores them, and then restores their identity.
 */
async function copy(cluster: Embedded, objects: readonly Manifest[]): Promise<string[]> {
  const warnings: string[] = []
  const copier = new Copier(cluster)
  const isNamespace = ({ apiVersion, kind }: Manifest): boolean => apiVersion === 'v1' && kind === 'Namespace'
  const [namespaces, others] = [objects.filter(isNamespace), objects.filter((object) => !isNamespace(object))]
  const places = new Set(others.flatMap(({ metadata }) => metadata.namespace ?? []))
  const unnamed = [...places]
    .filter((place) => !namespaces.some(({ metadata }) => metadata.name === place))
    .map((name): Manifest => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  for (const object of [...namespaces, ...unnamed, ...others]) {
    const { namespace, name } = object.metadata
    await copier.copy(object).catch((error: unknown) => {
      warnings.push(
        `${object.kind} ${[namespace, name].filter(Boolean).join('/')} was not copied: ${(error as Error).message}`,
      )
    })
  }
  copier.identify()
  return warnings
}

interface Original {
  readonly object: Manifest
  /**
   * This server rejects the status: the kind has no such subresource, or its schema has changed. The copied one is
   * kept.
   */
  readonly isStatusRefused: boolean
}

/** The addresses of a Service and the labels of a Job belong to their identity. */
const identifiedBySpec = new Set(['v1 Service', 'batch/v1 Job'])

class Copier {
  readonly #cluster: Embedded
  readonly #mapper: RestMapper
  /** By uid of the copy. */
  readonly #originals = new Map<string, Original>()

  constructor(cluster: Embedded) {
    this.#cluster = cluster
    this.#mapper = new RestMapper(cluster.client)
  }

  /** Objects that the server creates itself, such as the namespace default, are kept. */
  async copy(object: Manifest): Promise<void> {
    const { client } = this.#cluster
    const { namespace, name } = object.metadata
    const kind = await this.#mapper.kindOfObject(object)
    const made = (await client
      .raw('POST', collectionIn(kind, namespace), { body: creatable(object) })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error
      })) as KubeObject | undefined
    if (made === undefined) return
    const { status } = object
    const put =
      status === undefined
        ? undefined
        : client.raw('PUT', objectPath(kind, namespace, name, 'status'), { body: { ...made, status } as never })
    this.#originals.set(made.metadata.uid ?? '', {
      object,
      isStatusRefused:
        (await put?.then(
          () => false,
          () => true,
        )) === true,
    })
  }

  /**
   * Bypasses the API, which does not let clients choose these fields. Owners that are not copied are removed, since
   * their absence would mean that they are deleted.
   */
  identify(): void {
    const { store } = this.#cluster.plane
    const uids = new Set([...this.#originals.values()].map(({ object }) => object.metadata.uid))
    for (const { key, object, revision } of store.list('/registry/').items) {
      const original = this.#originals.get(object.metadata.uid ?? '')
      if (original?.object.metadata.uid === undefined) continue
      const { apiVersion, kind, metadata, spec, status } = original.object
      const ownerReferences = (metadata.ownerReferences ?? []).filter(({ uid }) => uids.has(uid))
      const own = { ...metadata, ownerReferences, managedFields: upgraded(metadata.managedFields ?? []) }
      const parts = {
        ...(identifiedBySpec.has(`${apiVersion} ${kind}`) ? { spec } : {}),
        ...(original.isStatusRefused ? { status } : {}),
      }
      store.put(key, revision, (next) => ({ ...object, ...parts, metadata: { ...own, resourceVersion: String(next) } }))
    }
  }
}

/**
 * Without addresses and uid-derived labels: this server would reject them, and `identify` restores them. Nodes differ.
 */
function creatable(object: Manifest): JsonObject {
  const { ownerReferences: _owners, ...metadata } = withoutServerFields(object)['metadata'] as JsonObject
  const written = { ...withoutServerFields(object), metadata }
  if (`${object.apiVersion} ${object.kind}` === 'storage.k8s.io/v1 StorageClass') return simulatedClass(written)
  const { spec } = written as JsonObject
  if (!isObject(spec)) return written
  switch (`${object.apiVersion} ${object.kind}`) {
    case 'v1 Pod':
      return { ...written, spec: { ...spec, ...(spec['nodeName'] === undefined ? {} : { nodeName: 'node-1' }) } }
    case 'v1 PersistentVolume':
      return { ...written, spec: withoutNodes(spec) }
    case 'v1 Service':
      return { ...written, spec: withoutAddresses(spec) }
    case 'batch/v1 Job':
      return spec['manualSelector'] === true
        ? written
        : { ...written, metadata: withoutJobLabels(metadata), spec: withoutJobUid(spec) }
    default:
      return written
  }
}

const jobLabels = new Set([
  'controller-uid',
  'batch.kubernetes.io/controller-uid',
  'job-name',
  'batch.kubernetes.io/job-name',
])

function withoutJobLabels(metadata: JsonObject): JsonObject {
  const { labels } = metadata
  return isObject(labels)
    ? { ...metadata, labels: Object.fromEntries(Object.entries(labels).filter(([name]) => !jobLabels.has(name))) }
    : metadata
}

function withoutJobUid({ selector: _selector, template, ...spec }: JsonObject): JsonObject {
  const { metadata, ...rest } = (template ?? {}) as JsonObject
  return { ...spec, template: { ...rest, metadata: withoutJobLabels((metadata ?? {}) as JsonObject) } }
}

const addresses = new Set(['clusterIP', 'clusterIPs', 'healthCheckNodePort', 'ipFamilies', 'ipFamilyPolicy'])

function withoutAddresses(spec: JsonObject): JsonObject {
  if (spec['clusterIP'] === 'None') return spec
  const ports = ((spec['ports'] ?? []) as JsonObject[]).map((port) =>
    Object.fromEntries(Object.entries(port).filter(([name]) => name !== 'nodePort')),
  )
  return { ...Object.fromEntries(Object.entries(spec).filter(([name]) => !addresses.has(name))), ports }
}

/**
 * Fields of `kubectl apply` belong to server-side apply, too, so that fields which a manifest no longer has are
 * removed.
 */
function upgraded(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const isOf =
    (manager: string, operation: string) =>
    (entry: ManagedFieldsEntry): boolean =>
      entry.manager === manager && entry.operation === operation && (entry.subresource ?? '') === ''
  if (entries.some(isOf(applyFieldManager, 'Apply'))) return [...entries]
  return entries.map((entry) =>
    isOf('kubectl-client-side-apply', 'Update')(entry)
      ? { ...entry, manager: applyFieldManager, operation: 'Apply' }
      : entry,
  )
}

/** The field manager of the manifests that a user applies. */
export const applyFieldManager = 'kubectl'
