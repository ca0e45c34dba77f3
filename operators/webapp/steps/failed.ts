/** Handles a failure: rolls back to the last good revision if the spec asks for it, and retries after the backoff. */
import { goto, step, wait, type Step } from 'coxswain/flow'
import { timestamp } from 'coxswain/env'
import { specChanged } from '../state/facts.ts'
import { afterFailure, untilRetry, withHistory } from '../state/failure.ts'
import { target } from '../state/revision.ts'
import { currentStatus, assessmentOf, type AppContext } from './context.ts'
import { isAskedFor } from './resolve.ts'
import { syncChildren } from './sync.ts'

/** Assesses the children. Goes to Failed if the app has stalled, and records the failure in the status. */
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
 * A rollout has just failed, and the last good revision should run until the spec changes. That is recorded first: an
 * operator that forgot it would roll back and forth. The next run finds it and rolls back.
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

/** When the backoff is over; at once if the spec has changed, if a retry was requested, or if the app has recovered. */
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

/** Keeps what runs as it is. A rejected write is not retried before its time. */
export const hold: Step<AppContext> = step('hold', async (context) => {
  const { run, now } = context
  const { facts } = await assessmentOf(context)
  if (facts.rejection === undefined) await syncChildren(context)
  const left = run.target.isPinned ? Infinity : untilRetry(currentStatus(context), now())
  return wait(Math.max(1, Math.min(left, run.settings.checkEveryMs)), 'until the next try')
})
