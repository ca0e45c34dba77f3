/**
 * The volumes of a pod: whether its claims are bound, from which nodes their volumes can be reached, and which volumes
 * claims of the mode WaitForFirstConsumer get when the pod's node is chosen.
 */
import {
  mutableCopy,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  type Live,
  type Node,
  type Pod,
  type ReconcileContext,
} from '../index.ts'
import type { DeepReadonly } from '../api/index.ts'
import { claimOwnerProblem, claimsOf, type PodClaim } from './pod-claims.ts'
import {
  classOfClaim,
  classOfVolume,
  findVolume,
  isFullyBound,
  isReachableFrom,
  requestedMilli,
  reservation,
  volumeAnnotations,
  waitsForConsumer,
} from './volume-matching.ts'

type Claim = Live<PersistentVolumeClaim>
type Volume = Live<PersistentVolume>

export interface PodVolumes {
  /** Why the pod can be placed on no node. */
  readonly problem: string | undefined
  /** The volumes of bound claims; undefined: the volume is gone. */
  readonly bound: readonly (Volume | undefined)[]
  /** Claims that wait for a node, the smallest first. */
  readonly waiting: readonly WaitingClaim[]
  /** The names of claims that only one pod may use. */
  readonly exclusive: readonly string[]
}

interface WaitingClaim {
  readonly claim: Claim
  readonly storageClass: Live<StorageClass>
  /** All volumes of the class. */
  readonly volumes: readonly Volume[]
}

export async function volumesOf(context: ReconcileContext<Pod>): Promise<PodVolumes> {
  const { object: pod, get } = context
  const bound: (Volume | undefined)[] = []
  const waiting: WaitingClaim[] = []
  const exclusive: string[] = []
  let isImmediate = false
  for (const named of claimsOf(pod)) {
    const claim = await get(PersistentVolumeClaim, named.name)
    const problem = claimProblem(pod, named, claim)
    if (problem !== undefined || claim === undefined) return { problem, bound, waiting, exclusive }
    if (claim.spec?.accessModes?.includes('ReadWriteOncePod') === true) exclusive.push(named.name)
    if (isFullyBound(claim)) {
      bound.push(await get(PersistentVolume, { name: claim.spec?.volumeName ?? '' }))
      continue
    }
    const found = await waitingClaim(context, claim)
    if (found === undefined) isImmediate = true
    else waiting.push(found)
  }
  waiting.sort((a, b) => (requestedMilli(a.claim) < requestedMilli(b.claim) ? -1 : 1))
  const problem = isImmediate ? 'pod has unbound immediate PersistentVolumeClaims' : undefined
  return { problem, bound, waiting, exclusive }
}

function claimProblem(pod: Live<Pod>, { name, isEphemeral }: PodClaim, claim: Claim | undefined): string | undefined {
  if (claim === undefined)
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`
  if (claim.status?.phase === 'Lost')
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`
  return isEphemeral ? claimOwnerProblem(pod, claim) : undefined
}

/** Undefined if the claim is not bound and does not wait for a node. */
async function waitingClaim({ get, list }: ReconcileContext<Pod>, claim: Claim): Promise<WaitingClaim | undefined> {
  const name = classOfClaim(claim)
  const storageClass = name === '' ? undefined : await get(StorageClass, { name })
  if (storageClass === undefined || !waitsForConsumer(storageClass) || (claim.spec?.volumeName ?? '') !== '')
    return undefined
  const volumes = (await list(PersistentVolume)).filter((volume) => classOfVolume(volume) === name)
  return { claim, storageClass, volumes }
}

export interface NodeVolumes {
  /** Why the pod does not fit the node. */
  readonly conflicts: readonly string[]
  /** Existing volumes, each for a claim. */
  readonly reserved: readonly { readonly volume: Volume; readonly claim: Claim }[]
  /** Claims for which a volume is to be provisioned. */
  readonly provisioned: readonly Claim[]
}

const nodeConflict = "node(s) didn't match PersistentVolume's node affinity"
const bindConflict = "node(s) didn't find available persistent volumes to bind"
const volumeGone = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'

/** What would happen to the claims of a pod on this node. */
export function volumesOnNode({ bound, waiting }: PodVolumes, node: Live<Node>): NodeVolumes {
  const isGone = bound.includes(undefined)
  const isUnreachable = !isGone && bound.some((volume) => volume !== undefined && !isReachableFrom(volume, node))
  const chosen = new Set<string>()
  const reserved: { readonly volume: Volume; readonly claim: Claim }[] = []
  const provisioned: Claim[] = []
  let isUnsatisfied = false
  for (const { claim, storageClass, volumes } of waiting) {
    const selected = claim.metadata.annotations?.[volumeAnnotations.selectedNode]
    const volume = selected === undefined ? findVolume({ claim, volumes, node, chosen }) : undefined
    if (volume !== undefined) {
      chosen.add(volume.metadata.name)
      reserved.push({ volume, claim })
    } else if ((selected ?? node.metadata.name) === node.metadata.name && canProvision(storageClass, node))
      provisioned.push(claim)
    else isUnsatisfied = true
  }
  const conflicts = [
    ...(isUnreachable ? [nodeConflict] : []),
    ...(isUnsatisfied ? [bindConflict] : []),
    ...(isGone ? [volumeGone] : []),
  ]
  return { conflicts, reserved, provisioned }
}

function canProvision({ provisioner, allowedTopologies = [] }: Live<StorageClass>, { metadata }: Live<Node>): boolean {
  if (provisioner === '' || provisioner === 'kubernetes.io/no-provisioner') return false
  const { labels = {} } = metadata
  return allowedTopologies.length === 0 || allowedTopologies.some((term) => matchesTopology(term, labels))
}

function matchesTopology(
  { matchLabelExpressions = [] }: DeepReadonly<TopologyTerm>,
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    matchLabelExpressions.length > 0 &&
    matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  )
}

type TopologyTerm = NonNullable<StorageClass['allowedTopologies']>[number]

/**
 * Reserves volumes for the claims of a pod, and asks for those that are missing. True if nothing was left to do; else
 * the pod is bound when the binder has bound its claims.
 */
export async function bindVolumes(
  { client, signal }: ReconcileContext<Pod>,
  volumes: PodVolumes,
  node: Live<Node>,
): Promise<boolean> {
  const { reserved, provisioned } = volumesOnNode(volumes, node)
  for (const { volume, claim } of reserved) {
    const change = reservation(volume, claim)
    if (change === undefined) continue
    const copy = mutableCopy<PersistentVolume>(volume)
    copy.spec = { ...copy.spec, claimRef: change.claimRef }
    copy.metadata.annotations = { ...copy.metadata.annotations, ...change.annotations }
    await client.update(PersistentVolume, copy, { signal })
  }
  for (const claim of provisioned) {
    const { selectedNode } = volumeAnnotations
    if (claim.metadata.annotations?.[selectedNode] === node.metadata.name) continue
    const copy = mutableCopy<PersistentVolumeClaim>(claim)
    copy.metadata.annotations = { ...copy.metadata.annotations, [selectedNode]: node.metadata.name }
    await client.update(PersistentVolumeClaim, copy, { signal })
  }
  return reserved.length + provisioned.length === 0
}
