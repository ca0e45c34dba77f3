/** The volume claims of a StatefulSet's pods: one of each template for each ordinal, kept when the pod is replaced. */
import {
  ApiError,
  keyOf,
  PersistentVolumeClaim,
  type coreV1,
  type Live,
  type Pod,
  type ReconcileContext,
  type StatefulSet,
} from '../../index.ts'
import {
  belongsToEarlierPod,
  changedOwners,
  hasConflictingController,
  ownersOfNewClaim,
  type ClaimingPod,
} from './claim-owners.ts'
import type { LiveSet } from './identity.ts'

export type SetContext = ReconcileContext<StatefulSet>
type LiveClaim = Live<PersistentVolumeClaim>

const fieldManager = 'kube-controller-manager'

/** The name of each template, and of the claim made from it. */
function claimNames({ metadata, spec }: LiveSet, ordinal: number): readonly (readonly [string, string])[] {
  return (spec?.volumeClaimTemplates ?? []).map(({ metadata: template }) => {
    const name = template.name ?? ''
    return [name, `${name}-${metadata.name}-${ordinal}`]
  })
}

/** The volumes of a pod: its claims, and of the others those that no claim replaces. */
export function volumesWithClaims(
  set: LiveSet,
  ordinal: number,
  volumes: readonly coreV1.Volume[] | undefined,
): readonly coreV1.Volume[] | undefined {
  const names = claimNames(set, ordinal)
  if (names.length === 0) return volumes
  const replaced = new Set(names.map(([template]) => template))
  return [
    ...names.map(([name, claimName]) => ({ name, persistentVolumeClaim: { claimName } })),
    ...(volumes ?? []).filter(({ name }) => !replaced.has(name)),
  ]
}

export function usesItsClaims(set: LiveSet, ordinal: number, { spec }: Live<Pod>): boolean {
  const names = claimNames(set, ordinal)
  if (names.length === 0) return true
  const claimed = new Map(spec?.volumes?.map((volume) => [volume.name, volume.persistentVolumeClaim?.claimName]))
  return names.every(([template, claimName]) => claimed.get(template) === claimName)
}

export async function existingClaims({ object: set, get }: SetContext, ordinal: number): Promise<LiveClaim[]> {
  const claims: LiveClaim[] = []
  for (const [, name] of claimNames(set, ordinal)) {
    const claim = await get(PersistentVolumeClaim, name)
    if (claim !== undefined) claims.push(claim)
  }
  return claims
}

/** A claim of the pod is about to be deleted with an earlier pod of its name. */
export async function mustWaitForClaims(context: SetContext, pod: ClaimingPod): Promise<boolean> {
  const claims = await existingClaims(context, pod.ordinal)
  return claims.some((claim) => belongsToEarlierPod(claim, context.object, pod))
}

/** Returns the claims that exist already. Throws if one cannot be created or is being deleted. */
export async function createMissingClaims(context: SetContext, pod: ClaimingPod): Promise<LiveClaim[]> {
  const templates = context.object.spec?.volumeClaimTemplates ?? []
  const existing = await existingClaims(context, pod.ordinal)
  const found = new Set(existing.map(({ metadata }) => metadata.name))
  const failures = existing
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map(({ metadata }) => `pvc ${metadata.name} is being deleted`)
  for (const [index, [, name]] of claimNames(context.object, pod.ordinal).entries()) {
    const template = templates[index] as PersistentVolumeClaim
    const failure = found.has(name) ? undefined : await createClaim(context, template, name, pod.name)
    if (failure !== undefined) failures.push(failure)
  }
  if (failures.length > 0) throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`)
  return existing
}

/** Returns why it failed. */
async function createClaim(
  { object: set, client, signal, event }: SetContext,
  { metadata, spec }: PersistentVolumeClaim,
  name: string,
  pod: string,
): Promise<string | undefined> {
  const { namespace = '', name: owner } = set.metadata
  const { labels, annotations, finalizers, ownerReferences = [] } = metadata
  const owners = ownersOfNewClaim(set, ownerReferences)
  const claim: PersistentVolumeClaim = {
    metadata: {
      name,
      namespace,
      labels: { ...labels, ...set.spec?.selector.matchLabels },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(owners.length === 0 ? {} : { ownerReferences: [...owners] }),
    },
    ...(spec === undefined ? {} : { spec }),
  }
  try {
    await client.create(PersistentVolumeClaim, claim, { signal, fieldManager })
    event('Normal', 'SuccessfulCreate', `Create Claim ${name} Pod ${pod} in StatefulSet ${owner} success`)
    return undefined
  } catch (error) {
    const why = messageOf(error)
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists'))
      event(
        'Warning',
        'FailedCreate',
        `Create Claim ${name} for Pod ${pod} in StatefulSet ${owner} failed error: ${why}`,
      )
    return `failed to create PVC ${name}: ${why}`
  }
}

export function haveRightOwners(set: LiveSet, claims: readonly LiveClaim[], pod: ClaimingPod): boolean {
  return claims.every((claim) => changedOwners(claim, set, pod) === undefined)
}

/** Makes the owners of the claims follow the retention policy. */
export async function syncClaimOwners(
  { object: set, client, signal, event }: SetContext,
  claims: readonly LiveClaim[],
  pod: ClaimingPod,
): Promise<void> {
  for (const claim of claims) {
    const { name, uid, resourceVersion } = claim.metadata
    if (hasConflictingController(claim, set, pod))
      event(
        'Warning',
        'ConflictingController',
        `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the ` +
          'retention policy is ignored for this claim',
      )
    const owners = changedOwners(claim, set, pod)
    if (owners === undefined) continue
    const patch = { metadata: { uid, resourceVersion, ownerReferences: owners.map((owner) => ({ ...owner })) } }
    await client.patch(PersistentVolumeClaim, keyOf(claim), { type: 'merge', patch }, { signal, fieldManager })
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
