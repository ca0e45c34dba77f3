/**
 * Applies the children: each is compared with the cache, and only differences are sent. Changes by others are repaired,
 * reported or left, according to the app's drift mode.
 */
import { isControlledBy, isInvalid, type Applied, type ApiObject, type Kind, type Live } from 'coxswain'
import { step, type Step } from 'coxswain/flow'
import type { Partially } from 'coxswain/client'
import { fieldManager } from '../children/identity.ts'
import { children, type Child } from '../children/index.ts'
import { specChanged } from '../state/facts.ts'
import type { AppContext, Synced } from './context.ts'
import { handOver } from './left-to-others.ts'
import { rejectionOf } from './rejection.ts'
import { inTheWay, takeBack } from './take-back.ts'

/**
 * Once in a run, whatever transitions the machine makes. The first rejection ends it, since the other children depend
 * on the rejected one.
 */
export async function syncChildren(context: AppContext): Promise<void> {
  const { object: app, run } = context
  if (run.synced !== undefined) return
  run.synced = []
  run.found = undefined
  const { spec, checksum } = run.target
  for (const child of children({ app, spec, checksum })) {
    try {
      const synced = await syncChild(context, child)
      if (synced !== undefined) run.synced.push(synced)
    } catch (error) {
      run.rejection = rejectionOf(error, child.kind.kind)
      if (run.rejection === undefined) throw error
      return
    }
  }
}

async function syncChild(context: AppContext, { kind, wanted }: Child): Promise<Synced | undefined> {
  const { object: app, get } = context
  const { name } = app.metadata
  const existing = await get(kind, name)
  if (wanted !== undefined) return { kind: kind.kind, name, outcome: await put(context, kind, wanted, existing) }
  if (existing === undefined || !isControlledBy(existing, app) || existing.metadata.deletionTimestamp !== undefined)
    return undefined
  await context.delete(kind, name)
  return { kind: kind.kind, name, outcome: 'deleted' }
}

async function put(
  context: AppContext,
  kind: Kind,
  wanted: Partially<ApiObject>,
  existing: Live<ApiObject> | undefined,
): Promise<Synced['outcome']> {
  const { object: app, run, apply } = context
  if (existing === undefined || !isControlledBy(existing, app)) return (await apply(kind, wanted)).outcome
  const { mode } = app.spec.drift
  const isNewDesired = specChanged(app) || app.status?.currentRevision !== run.target.digest
  if (mode === 'Off' && !isNewDesired) return 'unchanged'
  const body = await handOver(context, kind, wanted, existing, fieldManager)
  const repair = mode !== 'Warn' || isNewDesired
  const { outcome, field, culprit } = (await apply(kind, body, { repair }).catch(async (error: unknown) => {
    const foreign = isInvalid(error) ? await inTheWay(context, kind, body, existing) : []
    if (foreign.length === 0) throw error
    if (!repair) return { outcome: 'left', field: foreign[0]?.field, culprit: foreign[0]?.culprit } as const
    await takeBack(context, kind, existing, foreign)
    await apply(kind, body)
    return { outcome: foreign.some(({ culprit }) => culprit !== undefined) ? 'drift' : 'updated' } as const
  })) as Partial<Applied<ApiObject>> & Pick<Applied<ApiObject>, 'outcome'>
  if (outcome === 'left') run.drift.push({ kind: kind.kind, field, culprit })
  return outcome
}

export const sync: Step<AppContext> = step('sync children', async (context, scope) => {
  const {
    metadata: { generation },
    status,
  } = context.object
  scope.inputs({ generation, observedGeneration: status?.observedGeneration })
  await syncChildren(context)
  const { synced = [], rejection } = context.run
  const changed = synced
    .filter(({ outcome }) => outcome !== 'unchanged')
    .map(({ kind, outcome }) => `${kind} ${outcome}`)
  scope.note({
    revision: context.run.target.digest,
    changed: changed.join(', ') || 'nothing',
    refused: rejection?.message,
  })
})
