/** Steps 4 and 5: creates missing pods in the order of their ordinals, and deletes surplus ones from the highest. */
import { slowStart } from '../shared/slow-start.ts'
import { existingClaims, haveRightOwners, mustWaitForClaims, syncClaimOwners, type SetContext } from './claims.ts'
import { firstOrdinal, type LiveSet } from './identity.ts'
import { claimingPod, firstUnavailable, isHealthy, type Member, type Members } from './members.ts'
import { createClaimsOf, createPod, deletePod, repairPod } from './pods.ts'
import type { Version, Versions } from './revisions.ts'

/** The maximum of concurrent writes of the policy Parallel. */
const maxConcurrentPods = 500

/** `wait`: with the policy OrderedReady, nothing further may be done until the pod changes. */
type Progress = 'wait' | 'go on'

export function isOrdered({ spec }: LiveSet): boolean {
  return spec?.podManagementPolicy !== 'Parallel'
}

/** Returns whether all pods are as desired, so that updates may begin. */
export async function scale(context: SetContext, members: Members, versions: Versions): Promise<boolean> {
  const { object: set, now } = context
  const blocking = firstUnavailable(set, members, now())
  const ordered = isOrdered(set)
  return (
    (await forEach(members.replicas, ordered, (member) => syncReplica(context, member, versions))) &&
    (await forEach(members.condemned, ordered, (member) => releaseClaims(context, member))) &&
    (await forEach(members.condemned, ordered, (member) => deleteSurplus(context, member, blocking)))
  )
}

/** One after the other until one waits; or all, in batches that grow as long as nothing fails. */
async function forEach(
  members: readonly Member[],
  ordered: boolean,
  step: (member: Member) => Promise<Progress>,
): Promise<boolean> {
  if (ordered) {
    for (const member of members) if ((await step(member)) === 'wait') return false
    return true
  }
  const { errors } = await slowStart(members, step, maxConcurrentPods)
  if (errors.length > 0) throw errors[0]
  return true
}

async function syncReplica(context: SetContext, member: Member, versions: Versions): Promise<Progress> {
  const { object: set, now } = context
  const phase = member.pod?.status?.phase
  if (phase === 'Failed' || phase === 'Succeeded') {
    // Its successor is created when it is gone.
    if (!member.isTerminating) await deletePod(context, member)
    return 'wait'
  }
  if (member.pod === undefined) {
    if (await mustWaitForClaims(context, claimingPod(member))) return 'wait'
    await createPod(context, member, versionOf(set, member, versions))
    return isOrdered(set) ? 'wait' : 'go on'
  }
  if (phase === 'Pending') await createClaimsOf(context, member)
  if (isOrdered(set) && !isHealthy(set, member, now())) return 'wait'
  await repairPod(context, member)
  return 'go on'
}

/** Below the partition, a pod that is created again keeps the version that it had. */
function versionOf(set: LiveSet, { ordinal }: Member, { current, update }: Versions): Version {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {}
  const kept =
    rollingUpdate === undefined
      ? type === 'RollingUpdate'
        ? (set.status?.currentReplicas ?? 0)
        : 0
      : (rollingUpdate.partition ?? 0)
  return ordinal < firstOrdinal(set) + kept ? current : update
}

/** The claims of a surplus pod may be deleted with it. */
async function releaseClaims(context: SetContext, member: Member): Promise<Progress> {
  const claims = await existingClaims(context, member.ordinal)
  if (!haveRightOwners(context.object, claims, claimingPod(member)))
    await syncClaimOwners(context, claims, claimingPod(member))
  return 'go on'
}

async function deleteSurplus(context: SetContext, member: Member, blocking: Member | undefined): Promise<Progress> {
  const { object: set, now } = context
  if (member.isTerminating || member.pod === undefined) return 'wait'
  if (isOrdered(set) && member !== blocking && !isHealthy(set, member, now())) return 'wait'
  await deletePod(context, member)
  return 'wait'
}
