/**
 * The phase of an app: one word for people, and a truth about its conditions, never something to decide by. It is a
 * pure function of what a status says; nothing reads `status.phase` to find out what to do.
 */
import { isConditionTrue } from 'coxswain'
import type { DeepReadonly } from 'coxswain/api'
import type { Phase, WebAppStatus } from '../schema/webapp.ts'

export interface Phased {
  readonly metadata: { readonly deletionTimestamp?: string | undefined }
  readonly status?: DeepReadonly<WebAppStatus> | undefined
}

/**
 * | phase | is true when |
 * |---|---|
 * | Deleting | the app is being deleted |
 * | Failed | Stalled is true |
 * | Pending | nothing was made yet: there is no condition Available |
 * | Creating | no revision was ever good |
 * | Running | otherwise, also while another revision rolls out |
 */
export function phaseOf({ metadata, status }: Phased): Phase {
  if (metadata.deletionTimestamp !== undefined) return 'Deleting'
  const conditions = status?.conditions ?? []
  if (isConditionTrue(conditions, 'Stalled')) return 'Failed'
  if (!conditions.some(({ type }) => type === 'Available')) return 'Pending'
  return status?.lastGoodRevision === undefined ? 'Creating' : 'Running'
}

/** The phase of the machine before a run: a deletion that was not reported yet is still to come. */
export function startingPhase({ metadata, status }: Phased): Phase {
  const isReported = status?.phase === 'Deleting'
  return phaseOf({ metadata: isReported ? metadata : {}, status })
}
