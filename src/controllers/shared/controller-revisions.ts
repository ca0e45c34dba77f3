/**
 * The history of a StatefulSet or DaemonSet: ControllerRevisions, each with the pod template of one version as a
 * strategic merge patch, which `kubectl rollout undo` sends back.
 */
import { equalJson, type DeepReadonly, type Selector } from '../../api/index.ts'
import {
  ApiError,
  ControllerRevision,
  keyOf,
  type ApiObject,
  type coreV1,
  type JsonObject,
  type Live,
  type LiveObject,
  type ReconcileContext,
} from '../../index.ts'
import { controllerReference } from '../../controller/index.ts'
import { adoptAndRelease } from './adoption.ts'

export type LiveRevision = Live<ControllerRevision>

/** The label of a StatefulSet's revisions that has the hash of their data. */
export const revisionHashLabel = 'controller.kubernetes.io/hash'
/** The label of pods, and of a DaemonSet's revisions, that names their revision. */
export const podRevisionLabel = 'controller-revision-hash'

/** A name has at most 253 characters; the rest is for the hash. */
const maxPrefixLength = 223

const fieldManager = 'kube-controller-manager'

/** The pod template of a StatefulSet or DaemonSet. */
function templateOf(owner: LiveObject): DeepReadonly<coreV1.PodTemplateSpec> | undefined {
  return (owner as { spec?: DeepReadonly<{ template: coreV1.PodTemplateSpec }> }).spec?.template
}

const dataByTemplate = new WeakMap<object, JsonObject>()

/** The patch that restores the template of `owner`. */
export function revisionData(owner: LiveObject): JsonObject {
  const template = (templateOf(owner) ?? {}) as JsonObject
  let data = dataByTemplate.get(template)
  if (data === undefined)
    dataByTemplate.set(template, (data = inKeyOrder({ spec: { template: { ...template, $patch: 'replace' } } })))
  return data
}

/** The order in which upstream writes the fields: the API compares the text of the data. */
function inKeyOrder<T>(value: T): T {
  if (Array.isArray(value)) return value.map(inKeyOrder) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, part]) => [key, inKeyOrder(part)])) as T
}

/** Whether a revision has this data, whatever its name and number. */
export function hasData({ data }: LiveRevision, wanted: JsonObject): boolean {
  return equalJson(data, wanted)
}

/** The revisions that the owner controls afterwards, in ascending order. */
export async function claimRevisions<Owner extends ApiObject>(
  context: ReconcileContext<Owner>,
  selector: Selector,
): Promise<LiveRevision[]> {
  return inRevisionOrder(await adoptAndRelease({ context, kind: ControllerRevision, selector }))
}

/** By number, then by age, then by name. */
export function inRevisionOrder(revisions: readonly LiveRevision[]): LiveRevision[] {
  const created = ({ metadata }: LiveRevision): number => Date.parse(metadata.creationTimestamp ?? '')
  return [...revisions].sort((a, b) => {
    if (a.revision !== b.revision) return a.revision < b.revision ? -1 : 1
    return created(a) - created(b) || (a.metadata.name < b.metadata.name ? -1 : 1)
  })
}

/** The number after the highest one. Above 2^53 it is the next one that JSON numbers can tell apart. */
export function nextRevision(revisions: readonly LiveRevision[]): number {
  const highest = revisions.reduce((max, { revision }) => Math.max(max, revision), 0)
  let step = 1
  while (highest + step === highest) step *= 2
  return highest + step
}

/** What a new revision is made of. */
export interface NewRevision {
  readonly data: JsonObject
  readonly revision: number
  readonly hash: string
  readonly hashLabel: string
  /** The hash in the name, if a collision has changed it. Default: `hash`. */
  readonly nameHash?: string
}

/**
 * Creates a revision, or finds one of this name with the same data. Undefined: other data has the name, so the caller
 * must increase the collision count and hash again.
 */
export async function createRevision<Owner extends ApiObject>(
  { object: owner, kind, client, signal }: ReconcileContext<Owner>,
  { data, revision, hash, hashLabel, nameHash = hash }: NewRevision,
): Promise<LiveRevision | undefined> {
  const { name, namespace = '', annotations } = owner.metadata
  const { labels } = templateOf(owner)?.metadata ?? {}
  const wanted: ControllerRevision = {
    metadata: {
      name: `${name.slice(0, maxPrefixLength)}-${nameHash}`,
      namespace,
      labels: { ...labels, [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(kind, owner)],
    },
    data,
    revision,
  }
  try {
    return await client.create(ControllerRevision, wanted, { signal, fieldManager })
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error
    const existing = await client.get(ControllerRevision, keyOf(wanted), { signal })
    return hasData(existing, data) ? existing : undefined
  }
}

/** Gives a revision another number, such as the highest one after a rollback. */
export async function renumber<Owner extends ApiObject>(
  { client, signal }: ReconcileContext<Owner>,
  existing: LiveRevision,
  revision: number,
): Promise<LiveRevision> {
  if (existing.revision === revision) return existing
  const patch = { metadata: { resourceVersion: existing.metadata.resourceVersion }, revision }
  return client.patch(ControllerRevision, keyOf(existing), { type: 'merge', patch }, { signal, fieldManager })
}

/** Deletes the `excess` oldest revisions that no pod has. `revisions` are in ascending order. */
export async function deleteOldest<Owner extends ApiObject>(
  context: ReconcileContext<Owner>,
  revisions: readonly LiveRevision[],
  isLive: (revision: LiveRevision) => boolean,
  excess: number,
): Promise<void> {
  const victims = revisions.filter((revision) => !isLive(revision)).slice(0, Math.max(0, excess))
  for (const victim of victims) await context.delete(ControllerRevision, keyOf(victim))
}

/** The object with the template of a revision. */
export function applyRevision<Owner extends LiveObject>(object: Owner, { data }: LiveRevision): Owner {
  const { $patch: _, ...template } = (data as { spec?: { template?: JsonObject } } | undefined)?.spec?.template ?? {}
  const { spec } = object as { spec?: JsonObject }
  return { ...object, spec: { ...spec, template } }
}
