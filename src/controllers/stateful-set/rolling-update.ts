/**
 * Step 6: deletes one pod of an old version at a time, from the highest ordinal down to the partition, so that it is
 * created again with the new version. `maxUnavailable` is not used: the feature is off in v1.35, and the API server
 * drops the field.
 */
import type { SetContext } from './claims.ts'
import { firstOrdinal } from './identity.ts'
import { isUnavailable, podRevision, type Member } from './members.ts'
import { deletePod } from './pods.ts'
import type { Version } from './revisions.ts'

export async function replaceOldPods(context: SetContext, replicas: readonly Member[], update: Version): Promise<void> {
  const { object: set, now } = context
  const { type, rollingUpdate: options } = set.spec?.updateStrategy ?? {}
  if (type === 'OnDelete') return
  const last = firstOrdinal(set) + (options?.partition ?? 0)
  for (const member of replicas.filter(({ ordinal }) => ordinal >= last).reverse()) {
    if (podRevision(member) !== update.name && !member.isTerminating) return deletePod(context, member)
    if (isUnavailable(set, member, now())) return
  }
}
