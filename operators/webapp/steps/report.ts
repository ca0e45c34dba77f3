/** Says in status and events what a run has come to. Only what is different is said, and each thing once. */
import { BeingDeletedError, isConflict, isNamespaceTerminating, NotLeaderError, StaleCacheError, timestamp, type Wait } from 'coxswain'
import type { DeepReadonly } from 'coxswain'
import type { WebAppStatus } from '../schema/webapp.ts'
import { conditionList } from '../state/conditions.ts'
import { specChanged } from '../state/facts.ts'
import { tellIn } from '../state/pace.ts'
import { phaseOf } from '../state/phase.ts'
import { statusOf } from '../state/status.ts'
import type { Verdict } from '../state/verdict.ts'
import { currentStatus, reconcileAtAnnotation, verdictOf, type AppContext } from './context.ts'

type Status = DeepReadonly<WebAppStatus>

/** What the run ends with: sooner, when there is something that is to be told a little later. */
export async function report(context: AppContext, after: number | undefined): Promise<number | undefined> {
  const { object: app, run, status, now } = context
  const { facts, verdict } = await verdictOf(context)
  const before = app.status ?? {}
  const token = app.metadata.annotations?.[reconcileAtAnnotation]
  const next = { ...statusOf(facts, verdict, currentStatus(context), now()), ...(token === undefined ? {} : { lastHandledReconcileAt: token }) }
  tellEvents(context, verdict, before, next)
  const due = tellIn(before, next, now(), run.settings.progressPace)
  if (due === 0) replaceStatus(context, { ...next, lastReconcileTime: timestamp(now()) })
  return due === undefined || due === 0 ? after : Math.min(due, after ?? Infinity)
}

/** All of it: what is not in `next` goes. */
function replaceStatus({ status }: AppContext, next: Status): void {
  const gone = Object.keys(status.current).filter((name) => !Object.hasOwn(next, name)).map((name) => [name, undefined])
  status.set({ ...Object.fromEntries(gone), ...(next as WebAppStatus) })
}

function tellEvents({ object: app, run, event }: AppContext, { state, reason, message }: Verdict, before: Status, next: Status): void {
  const had = (type: string): boolean => before.conditions?.some((condition) => condition.type === type) === true
  const synced = run.synced ?? []
  const made = synced.filter(({ outcome }) => outcome === 'created')
  const changed = synced.filter(({ outcome }) => outcome === 'updated' || outcome === 'deleted')
  const generation = `generation ${app.metadata.generation ?? 0}`
  if (made.length > 0) event('Normal', 'Created', `made ${made.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`)
  for (const { kind, name, outcome } of changed) {
    event('Normal', `${kind}Synced`, outcome === 'deleted' ? `${kind} ${name} is not wanted any more, and was deleted` : `${kind} ${name} is as ${generation} wants it${kind === 'Deployment' ? `, at revision ${run.target.digest}` : ''}`)
  }
  // One child that was synced has said so itself.
  if (specChanged(app) && had('Available') && run.refusal === undefined && run.synced !== undefined && changed.length + made.length !== 1) {
    event('Normal', 'ResourcesSynced', `all resources are as ${generation} wants them`)
  }
  if (next.phase !== before.phase && next.phase === 'Running') event('Normal', 'Running', message)
  if (next.phase !== before.phase && next.phase === 'Failed' && reason !== 'RolledBack') event('Warning', 'Failed', `${reason}: ${message}`)
  if (state === 'Degraded' && !had('Degraded')) event('Warning', 'Degraded', `${reason}: ${message}`)
  if (state === 'Ready' && had('Degraded')) event('Normal', 'Recovered', message)
  if (state === 'Drifted' && !had('DriftDetected')) event('Warning', 'DriftDetected', message)
  if (reason === 'ConfigMissing' && state === 'Reconciling' && !had('ConfigResolved')) event('Warning', 'ConfigMissing', message)
  if (app.spec.suspend !== had('Paused')) event('Normal', app.spec.suspend ? 'Suspended' : 'Resumed', `spec.suspend is ${String(app.spec.suspend)}`)
}

/** Of a run that threw: what is worth a word is told, and the phase is what it was. A lost race is nothing. */
export function reportError(context: AppContext, error: unknown): void {
  const { object: app, status, signal, now } = context
  const before = app.status ?? {}
  if (signal.aborted || isLostRace(error) || before.conditions?.some(({ type }) => type === 'Stalled') === true) return
  const message = error instanceof Error ? error.message : String(error)
  const at = timestamp(now())
  const updates = [
    ...(before.conditions ?? []).filter(({ type }) => !['Ready', 'Reconciling', 'Stalled', 'Degraded', 'DriftDetected'].includes(type)),
    { type: 'Ready', status: false, reason: 'Retrying', message },
    { type: 'Reconciling', status: true, reason: 'Retrying', message },
  ]
  const conditions = conditionList(before.conditions ?? [], updates, app.metadata.generation, at)
  if (conditions === before.conditions) return
  status.set({ conditions: [...conditions], message, phase: phaseOf({ metadata: app.metadata, status: { ...before, conditions: [...conditions] } }), lastReconcileTime: at })
}

function isLostRace(error: unknown): boolean {
  return isConflict(error) || isNamespaceTerminating(error) || error instanceof StaleCacheError || error instanceof BeingDeletedError || error instanceof NotLeaderError
}

export function delayOf(outcome: { readonly type: string } | Wait): number | undefined {
  return outcome.type === 'wait' ? (outcome as Wait).ms : undefined
}
