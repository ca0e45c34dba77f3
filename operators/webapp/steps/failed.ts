/**
 * What is done about a failure: back to the last good revision, if that is wished, and another try when its time has
 * come.
 */
import { goto, step, wait, type Step } from 'coxswain/flow'
import { timestamp } from 'coxswain/env'
import { specChanged } from '../state/facts.ts'
import { afterFailure, untilRetry, withHistory } from '../state/failure.ts'
import { target } from '../state/revision.ts'
import { currentStatus, assessmentOf, type AppContext } from './context.ts'
import { isAskedFor } from './resolve.ts'
import { syncChildren } from './sync.ts'

/** How are the children? Failed, when nothing will change by itself; what has failed is remembered in the status. */
export const checkHealth: Step<AppContext, 'Failed'> = step('check health', async (context, scope) => {
  const { run, status, now } = context
  const { assessment } = await assessmentOf(context)
  scope.note({ state: assessment.state, reason: assessment.reason, message: assessment.message })
  if (assessment.state !== 'Stalled') return undefined
  run.failure = assessment
  if (!run.target.isPinned) {
    const before = currentStatus(context)
    const entry = {
      digest: run.target.digest,
      image: run.target.spec.image,
      at: timestamp(now()),
      outcome: 'Failed',
    } as const
    status.set(afterFailure(before, run.target, assessment, now(), run.settings.retry))
    status.set({ history: [...withHistory(before.history ?? [], entry)] })
  }
  return goto('Failed', `${assessment.reason}: ${assessment.message}`)
})

/**
 * A roll-out has just failed, and what ran well before shall run again, until the spec changes. That is written down
 * first: an operator that forgot it would roll forth and back. The next run finds it, and does it.
 */
export const rollBack: Step<AppContext> = step('roll back', (context, scope) => {
  const { object: app, run, status, now } = context
  const before = currentStatus(context)
  const good = target(app, run.target.checksum, before)
  if (run.failure?.isFailedRollout !== true || !good.isPinned) return undefined
  scope.note({ from: run.target.digest, to: good.digest })
  const entry = { digest: good.digest, image: good.spec.image, at: timestamp(now()), outcome: 'RolledBack' } as const
  status.set({ nextRetryTime: undefined, history: [...withHistory(before.history ?? [], entry)] })
  return wait(1_000, 'what has failed is written down first')
})

/** At its time; at once when the spec has changed or when asked; and when all has come right by itself. */
export const retry: Step<AppContext, 'Pending'> = step('retry', async (context) => {
  const { run, status } = context
  const why = run.failure === undefined ? await reasonToRetry(context) : undefined
  if (why === undefined) return undefined
  run.isRetried = true
  if (isAskedFor(context)) status.set({ failedRevision: undefined, nextRetryTime: undefined })
  return goto('Pending', why)
})

async function reasonToRetry(context: AppContext): Promise<string | undefined> {
  const { run, object: app, now } = context
  if (isAskedFor(context)) return 'another try was asked for'
  if (specChanged(app)) return 'the spec has changed'
  const { assessment } = await assessmentOf(context)
  if (assessment.state !== 'Stalled') return 'it came right by itself'
  const isDue = !run.target.isPinned && untilRetry(currentStatus(context), now()) <= 0
  return isDue ? `attempt ${(app.status?.failedRevision?.attempts ?? 0) + 1}` : undefined
}

/** Keeps what runs as it is. What was refused is not tried before its time. */
export const hold: Step<AppContext> = step('hold', async (context) => {
  const { run, now } = context
  const { facts } = await assessmentOf(context)
  if (facts.rejection === undefined) await syncChildren(context)
  const left = run.target.isPinned ? Infinity : untilRetry(currentStatus(context), now())
  return wait(Math.max(1, Math.min(left, run.settings.checkEveryMs)), 'until the next try')
})
