/**
 * Assesses the inputs of a run: is the app ready, and if not, is it progressing, stalled or degraded? A pure function.
 * The first check that applies decides.
 */
import { findCondition } from 'coxswain'
import { leftText, wasReconciled, type Facts } from './facts.ts'
import { podsIssue, type PodIssue } from './pod-issue.ts'
import { rollout, rolloutText, type Rollout } from './rollout.ts'

export type State =
  /** As the spec wants it. */
  | 'Ready'
  /** The operator, or the cluster for it, is at work. */
  | 'Reconciling'
  /** Nothing changes until somebody changes something. */
  | 'Stalled'
  /** It was ready, and is not any more, although the spec is the same. */
  | 'Degraded'
  /** Another field manager has changed something, and the drift mode leaves it. */
  | 'Drifted'
  | 'Suspended'

export interface Assessment {
  readonly state: State
  readonly reason: string
  readonly message: string
  readonly rollout?: Rollout | undefined
  readonly issue?: PodIssue | undefined
  /** A failed rollout can be rolled back; a rejected write cannot. */
  readonly isFailedRollout: boolean
}

type Judgement = Pick<Assessment, 'state' | 'reason' | 'message'> & { readonly isFailedRollout?: boolean }

export function assessment(facts: Facts): Assessment {
  const progress = facts.deployment === undefined ? undefined : rollout(facts.deployment)
  const issue = progress === undefined || progress.isComplete ? undefined : podsIssue(facts.pods)
  const judgement =
    suspended(facts) ??
    refused(facts) ??
    unresolved(facts, progress) ??
    unmade(progress) ??
    underWay(facts, progress as Rollout, issue) ??
    badConfig(facts) ??
    drifted(facts) ??
    ready(progress as Rollout)
  return { isFailedRollout: false, rollout: progress, issue, ...judgement }
}

/** What had stalled is still stalled: nothing was tried. */
function suspended({ app }: Facts): Judgement | undefined {
  if (!app.spec.suspend) return undefined
  const stalled = findCondition(app.status?.conditions, 'Stalled')
  if (stalled !== undefined) return { state: 'Stalled', reason: stalled.reason, message: stalled.message }
  return {
    state: 'Suspended',
    reason: 'Suspended',
    message: 'the operator leaves everything as it is, since spec.suspend is true',
  }
}

function refused({ rejection }: Facts): Judgement | undefined {
  return rejection === undefined
    ? undefined
    : { state: 'Stalled', reason: rejection.reason, message: rejection.message }
}

/** Before anything was made, what is missing is waited for. */
function unresolved({ config }: Facts, progress: Rollout | undefined): Judgement | undefined {
  if (config.missing.length === 0 || progress !== undefined) return undefined
  return { state: 'Reconciling', reason: 'ConfigMissing', message: missingText(config.missing) }
}

function unmade(progress: Rollout | undefined): Judgement | undefined {
  return progress === undefined
    ? { state: 'Reconciling', reason: 'Creating', message: 'the Deployment is not there yet' }
    : undefined
}

function underWay(facts: Facts, progress: Rollout, issue: PodIssue | undefined): Judgement | undefined {
  const { app, target } = facts
  const why = issue?.message ?? progress.blocked ?? rolloutText(progress)
  if (target.isPinned) {
    const { failedRevision } = app.status ?? {}
    const failure = failedRevision?.message ?? failedRevision?.reason ?? 'it did not roll out'
    const message = `revision ${target.requested} failed (${failure}); ${target.digest} runs until the spec changes`
    return { state: 'Stalled', reason: 'RolledBack', message }
  }
  if (progress.isStuck) {
    const message = `the roll-out has not moved for ${app.spec.progressDeadlineSeconds} s: ${why}`
    return { state: 'Stalled', reason: issue?.reason ?? 'ProgressDeadlineExceeded', message, isFailedRollout: true }
  }
  if (progress.isComplete) return undefined
  const isNew = progress.isRolling || !wasReconciled(app) || app.status?.currentRevision !== target.digest
  if (isNew)
    return {
      state: 'Reconciling',
      reason: app.status?.lastGoodRevision === undefined ? 'Creating' : 'RollingOut',
      message: why,
    }
  return { state: 'Degraded', reason: issue?.reason ?? 'ReplicasUnavailable', message: why }
}

/** The pods that run have what they need; new ones would not start. */
function badConfig({ config }: Facts): Judgement | undefined {
  return config.missing.length === 0
    ? undefined
    : { state: 'Degraded', reason: 'ConfigMissing', message: missingText(config.missing) }
}

function drifted({ drift }: Facts): Judgement | undefined {
  return drift.length === 0 ? undefined : { state: 'Drifted', reason: 'Drifted', message: leftText(drift) }
}

function ready(progress: Rollout): Judgement {
  return { state: 'Ready', reason: 'Ready', message: rolloutText(progress) }
}

export function missingText(missing: Facts['config']['missing']): string {
  return missing.map(({ path, message }) => `${path}: ${message}`).join('; ')
}
