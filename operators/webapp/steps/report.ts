/** Reports the result of a run in the status and in events. Only changes are reported. */
import { BeingDeletedError } from 'coxswain/controller'
import { isConflict, isConditionTrue } from 'coxswain'
import { isNamespaceTerminating, type DeepReadonly } from 'coxswain/api'
import { NotLeaderError } from 'coxswain/manager'
import { StaleCacheError } from 'coxswain/cache'
import { timestamp } from 'coxswain/env'
import type { WebAppStatus } from '../schema/webapp.ts'
import { abnormal, conditionList } from '../state/conditions.ts'
import { reportIn } from '../state/pace.ts'
import { phaseOf } from '../state/phase.ts'
import { statusOf } from '../state/status.ts'
import { saveCheckpoint } from './unchanged.ts'
import { currentStatus, assessmentOf, type AppContext } from './context.ts'
import { reportOutcome, reportSync } from './events.ts'
import { reconcileAtAnnotation } from './resolve.ts'

export async function report(context: AppContext): Promise<void> {
  const { object: app, status, run, now } = context
  const { facts, assessment } = await assessmentOf(context)
  const before = app.status ?? {}
  const token = app.metadata.annotations?.[reconcileAtAnnotation]
  const found = statusOf(facts, assessment, currentStatus(context), now())
  const next = { ...found, ...(token === undefined ? {} : { lastHandledReconcileAt: token }) }
  reportSync(context, before)
  const due = reportIn(before, next, now(), run.settings)
  if (due === undefined) return saveCheckpoint(context, assessment, before)
  const reported = { ...next, lastReconcileTime: timestamp(now()) }
  replaceStatus(context, reported)
  if (due > 0 && status.postpone(due)) return
  reportOutcome(context, assessment, before, next)
  saveCheckpoint(context, assessment, reported)
}

/** Replaces the whole status: fields that are not in `next` are removed. */
function replaceStatus({ status }: AppContext, next: DeepReadonly<WebAppStatus>): void {
  const gone = Object.keys(status.current)
    .filter((name) => !Object.hasOwn(next, name))
    .map((name) => [name, undefined])
  status.set({ ...Object.fromEntries(gone), ...(next as WebAppStatus) })
}

/**
 * After a run that threw: reports errors that users should see and keeps the phase. Lost races are not reported, and an
 * app that has stalled has reported its reason already.
 */
export function reportError(context: AppContext, error: unknown): void {
  const { object: app, status, signal, now } = context
  const before = app.status ?? {}
  const reported = before.conditions ?? []
  if (signal.aborted || isLostRace(error) || isConditionTrue(reported, 'Stalled')) return
  const message = error instanceof Error ? error.message : String(error)
  const conditions = [
    ...conditionList(
      reported,
      [
        { type: 'Ready', status: false, reason: 'Retrying', message },
        { type: 'Reconciling', status: true, reason: 'Retrying', message },
        ...reported.filter(({ type }) => type !== 'Ready' && (type === 'Paused' || !abnormal.has(type))),
      ],
      app.metadata.generation,
      timestamp(now()),
    ),
  ]
  const phase = phaseOf({ metadata: app.metadata, status: { ...before, conditions } })
  status.set({ conditions, message, phase, lastReconcileTime: timestamp(now()) })
}

const races = [StaleCacheError, BeingDeletedError, NotLeaderError]

function isLostRace(error: unknown): boolean {
  return isConflict(error) || isNamespaceTerminating(error) || races.some((race) => error instanceof race)
}
