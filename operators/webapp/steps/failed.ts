/** What is done about a failure: back to the last good revision, if that is wished, and another try when its time has come. */
import { goto, step, timestamp, wait, type Step } from 'coxswain'
import { specChanged } from '../state/facts.ts'
import { afterFailure, untilRetry, withHistory } from '../state/failure.ts'
import { target } from '../state/revision.ts'
import { currentStatus, isAskedFor, verdictOf, type AppContext } from './context.ts'
import { syncChildren } from './sync.ts'

/** Failed, when nothing will change by itself. What has failed is remembered in the status. */
export const checkFailure: Step<AppContext, 'Failed'> = step('check failure', async (context, scope) => {
  const { run, status, now } = context
  const { verdict } = await verdictOf(context)
  scope.note({ state: verdict.state, reason: verdict.reason, message: verdict.message })
  if (verdict.state !== 'Stalled') return undefined
  run.failure = verdict
  if (!run.target.isPinned) {
    const before = currentStatus(context)
    const entry = { digest: run.target.digest, image: run.target.spec.image, at: timestamp(now()), outcome: 'Failed' } as const
    status.set({ ...afterFailure(before, run.target, verdict, now(), run.settings.retry), history: [...withHistory(before.history ?? [], entry)] })
  }
  return goto('Failed', `${verdict.reason}: ${verdict.message}`)
})

/** A roll-out has just failed: what ran well before runs again, until the spec changes. */
export const rollBack: Step<AppContext> = step('roll back', (context, scope) => {
  const { object: app, run, status, event, now } = context
  if (run.failure?.isFailedRollout !== true) return
  const before = currentStatus(context)
  const good = target(app, run.target.checksum, before)
  if (!good.isPinned) return
  scope.note({ from: run.target.digest, to: good.digest })
  event('Warning', 'RolledBack', `revision ${run.target.digest} failed, back to ${good.digest}: ${run.failure.message}`)
  const entry = { digest: good.digest, image: good.spec.image, at: timestamp(now()), outcome: 'RolledBack' } as const
  status.set({ nextRetryTime: undefined, history: [...withHistory(before.history ?? [], entry)] })
  run.target = good
  run.synced = undefined
})

/** At its time; at once when the spec has changed or when asked; and when all has come right by itself. */
export const retry: Step<AppContext, 'Pending'> = step('retry', async (context) => {
  const { run, object: app, now, status } = context
  if (run.failure !== undefined) return undefined
  if (isAskedFor(context)) {
    status.set({ failedRevision: undefined, nextRetryTime: undefined })
    return goto('Pending', 'another try was asked for')
  }
  if (specChanged(app)) return goto('Pending', 'the spec has changed')
  const { verdict } = await verdictOf(context)
  if (verdict.state !== 'Stalled') return goto('Pending', 'it came right by itself')
  if (run.target.isPinned || untilRetry(currentStatus(context), now()) > 0) return undefined
  return goto('Pending', `attempt ${(app.status?.failedRevision?.attempts ?? 0) + 1}`)
})

/** Keeps what runs as it is. What was refused is not tried before its time. */
export const hold: Step<AppContext> = step('hold', async (context) => {
  const { run, now } = context
  const { facts } = await verdictOf(context)
  if (facts.refusal === undefined) await syncChildren(context)
  const left = run.target.isPinned ? Infinity : untilRetry(currentStatus(context), now())
  return wait(Math.max(1, Math.min(left, run.settings.checkEvery)), 'until the next try')
})
