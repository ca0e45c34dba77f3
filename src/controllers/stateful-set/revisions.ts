/** The versions of a StatefulSet's template: the one that its pods come from, and the one that they go to. */
import { labelSelectorFrom, type DeepReadonly } from '../../api/index.ts'
import type { coreV1 } from '../../index.ts'
import {
  applyRevision,
  claimRevisions,
  createRevision,
  deleteOldest,
  hasData,
  nextRevision,
  renumber,
  revisionData,
  revisionHashLabel,
  type LiveRevision,
} from '../shared/controller-revisions.ts'
import { revisionHash } from '../shared/revision-hash.ts'
import type { SetContext } from './claims.ts'

type Template = DeepReadonly<coreV1.PodTemplateSpec>

/** The name of a revision, and its pod template, which only new pods need. */
export interface Version {
  readonly name: string
  readonly template: () => Template
}

export interface Versions {
  readonly current: Version
  readonly update: Version
  readonly collisionCount: number
  /** In ascending order. */
  readonly history: readonly LiveRevision[]
}

/** Adds a revision for a new template; a rollback makes an old one the newest. */
export async function syncRevisions(context: SetContext): Promise<Versions> {
  const { object: set, status } = context
  const history = await claimRevisions(context, labelSelectorFrom(set.spec?.selector))
  let collisionCount = status.current.collisionCount ?? 0
  const update = await updateRevision()
  const current = history.find(({ metadata }) => metadata.name === status.current.currentRevision) ?? update
  return { current: version(current), update: version(update), collisionCount, history }

  async function updateRevision(): Promise<LiveRevision> {
    const data = revisionData(set)
    const newest = history.at(-1)
    if (newest !== undefined && hasData(newest, data)) return newest
    const revision = nextRevision(history)
    const equal = history.findLast((each) => hasData(each, data))
    if (equal !== undefined) return renumber(context, equal, revision)
    // The label keeps the first hash, as upstream.
    const hash = revisionHash(data, collisionCount)
    for (let nameHash = hash; ; nameHash = revisionHash(data, ++collisionCount)) {
      const created = await createRevision(context, { data, revision, hash, hashLabel: revisionHashLabel, nameHash })
      if (created !== undefined) return created
    }
  }

  function version(revision: LiveRevision): Version {
    return { name: revision.metadata.name, template: () => applyRevision(set, revision).spec?.template ?? {} }
  }
}

/** Deletes the oldest revisions beyond the limit, except those that are in use. */
export async function trimHistory(
  context: SetContext,
  history: readonly LiveRevision[],
  used: ReadonlySet<string | undefined>,
): Promise<void> {
  const limit = context.object.spec?.revisionHistoryLimit ?? 10
  const isLive = ({ metadata }: LiveRevision): boolean => used.has(metadata.name)
  const old = history.filter((revision) => !isLive(revision))
  if (limit >= 0 && old.length > limit) await deleteOldest(context, history, isLive, old.length - limit)
}
