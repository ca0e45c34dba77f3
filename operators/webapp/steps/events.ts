/** The events of a run: each thing once, when it happens. What was so before is not said again. */
import type { DeepReadonly } from 'coxswain/api'
import type { WebAppStatus } from '../schema/webapp.ts'
import { leftText, specChanged } from '../state/facts.ts'
import type { Assessment } from '../state/assessment.ts'
import type { AppContext } from './context.ts'

type Status = DeepReadonly<WebAppStatus>

/** What this run has created, updated and deleted. */
export function reportSync({ object: app, run, event }: AppContext, before: Status): void {
  const { synced = [], target } = run
  const generation = `generation ${app.metadata.generation ?? 0}`
  const made = synced.filter(({ outcome }) => outcome === 'created')
  const changed = synced.filter(({ outcome }) => outcome === 'updated' || outcome === 'deleted')
  if (made.length > 0) event('Normal', 'Created', `made ${made.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`)
  const isBack = target.isPinned && before.currentRevision !== target.digest
  for (const { kind, name, outcome } of changed) {
    if (isBack && kind === 'Deployment') {
      event('Warning', 'RolledBack', `revision ${target.requested} failed, back to ${target.digest}`)
      continue
    }
    const revision = kind === 'Deployment' ? `, at revision ${target.digest}` : ''
    const what =
      outcome === 'deleted' ? 'is not wanted any more, and was deleted' : `is as ${generation} wants it${revision}`
    event('Normal', `${kind}Synced`, `${kind} ${name} ${what}`)
  }
}

/**
 * What the status reports from now on, if it differs from before: that a new spec is applied, and the state of the app.
 */
export function reportOutcome(context: AppContext, assessment: Assessment, before: Status, next: Status): void {
  const { object: app, run, event } = context
  // Before the first sync nothing can be in sync again.
  const isFirst = before.currentRevision === undefined
  const isThrough = run.synced !== undefined && run.rejection === undefined
  if (isThrough && !isFirst && specChanged(app)) {
    event('Normal', 'ResourcesSynced', `all resources are as generation ${app.metadata.generation ?? 0} wants them`)
  }
  reportState(context, assessment, before, next)
}

function reportState(
  { object: app, run, event }: AppContext,
  { state, reason, message }: Assessment,
  before: Status,
  next: Status,
): void {
  const had = (type: string): boolean => before.conditions?.some((condition) => condition.type === type) === true
  const isNow = (phase: Status['phase']): boolean => next.phase === phase && before.phase !== phase
  const why = `${reason}: ${message}`
  if (isNow('Running')) event('Normal', 'Running', message)
  if (isNow('Failed')) event('Warning', 'Failed', why)
  if (state === 'Degraded' && !had('Degraded')) event('Warning', 'Degraded', why)
  if (state === 'Ready' && had('Degraded')) event('Normal', 'Recovered', message)
  if (run.drift.length > 0 && !had('DriftDetected')) event('Warning', 'DriftDetected', leftText(run.drift))
  if (state === 'Reconciling' && reason === 'ConfigMissing' && !had('ConfigResolved'))
    event('Warning', 'ConfigMissing', message)
  if (app.spec.suspend && !had('Paused')) event('Normal', 'Suspended', 'everything is left as it is')
  if (!app.spec.suspend && had('Paused')) event('Normal', 'Resumed', 'everything is looked after again')
}
