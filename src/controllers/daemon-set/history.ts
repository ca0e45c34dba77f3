/** The revisions of a DaemonSet: finds or creates the one of its template, and removes old ones. */
import { labelSelectorFrom } from '../../api/index.ts'
import { ControllerRevision, keyOf, Pod, RetryableError } from '../../index.ts'
import {
  claimRevisions,
  createRevision,
  deleteOldest,
  hasData,
  nextRevision,
  podRevisionLabel,
  renumber,
  revisionData,
  type LiveRevision,
} from '../shared/controller-revisions.ts'
import { templateHash } from '../shared/revision-hash.ts'
import { ownPods, type DaemonContext } from './daemon-pods.ts'

export interface History {
  /** The value of the label `controller-revision-hash` of updated pods. */
  readonly hash: string
  /** In ascending order. */
  readonly old: readonly LiveRevision[]
}

export async function syncHistory(context: DaemonContext): Promise<History> {
  const { object: set } = context
  const data = revisionData(set)
  const current: LiveRevision[] = []
  const old: LiveRevision[] = []
  for (const claimed of await claimRevisions(context, labelSelectorFrom(set.spec?.selector))) {
    const revision = hashOf(claimed) === undefined ? await labelled(context, claimed) : claimed
    if (hasData(revision, data)) current.push(revision)
    else old.push(revision)
  }
  const number = nextRevision(old)
  const kept = current.length > 1 ? await removeDuplicates(context, current) : current[0]
  if (kept === undefined) return { hash: hashOf(await createCurrent(context, number)) ?? '', old }
  if (kept.revision < number) await renumber(context, kept, number)
  return { hash: hashOf(kept) ?? '', old }
}

function hashOf({ metadata }: LiveRevision): string | undefined {
  return metadata.labels?.[podRevisionLabel]
}

/** A revision without the label gets its name as hash, which no other revision has. */
async function labelled({ client, signal }: DaemonContext, revision: LiveRevision): Promise<LiveRevision> {
  const { name, resourceVersion } = revision.metadata
  const patch = { metadata: { resourceVersion, labels: { [podRevisionLabel]: name } } }
  return client.patch(ControllerRevision, keyOf(revision), { type: 'merge', patch }, { signal })
}

async function createCurrent(context: DaemonContext, revision: number): Promise<LiveRevision> {
  const { object: set, status } = context
  const { collisionCount } = status.current
  const hash = templateHash(set.spec?.template, collisionCount)
  const created = await createRevision(context, {
    data: revisionData(set),
    revision,
    hash,
    hashLabel: podRevisionLabel,
  })
  if (created !== undefined) return created
  status.set({ collisionCount: (collisionCount ?? 0) + 1 })
  throw new RetryableError(`the name ${set.metadata.name}-${hash} is taken by another revision; trying another hash`)
}

/** Several revisions have the template: keeps the one with the highest number, and gives the pods its hash. */
async function removeDuplicates(context: DaemonContext, current: readonly LiveRevision[]): Promise<LiveRevision> {
  const { client, signal } = context
  const kept = current.reduce((best, revision) => (revision.revision >= best.revision ? revision : best))
  const hash = hashOf(kept) ?? ''
  const patch = { metadata: { labels: { [podRevisionLabel]: hash } } }
  for (const pod of await ownPods(context))
    if (pod.metadata.labels?.[podRevisionLabel] !== hash)
      await client.patch(Pod, keyOf(pod), { type: 'merge', patch }, { signal })
  for (const revision of current) if (revision !== kept) await context.delete(ControllerRevision, keyOf(revision))
  return kept
}

/** Keeps as many old revisions as the limit says, and those that pods have. */
export async function cleanUpHistory(context: DaemonContext, old: readonly LiveRevision[]): Promise<void> {
  const excess = old.length - (context.object.spec?.revisionHistoryLimit ?? 10)
  if (excess <= 0) return
  const live = new Set((await ownPods(context)).map(({ metadata }) => metadata.labels?.[podRevisionLabel]))
  await deleteOldest(context, old, (revision) => live.has(hashOf(revision)), excess)
}
