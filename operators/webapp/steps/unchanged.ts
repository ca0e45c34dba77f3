/**
 * Ends a run early if nothing has changed since a run that found the app ready. That run saved everything it decided by
 * as a checkpoint (docs/controller.md); the next run compares it with the cache. A lost wake-up is found that way
 * within `checkEvery`, as in any other run.
 */
import type { DeepReadonly } from 'coxswain/api'
import type { CheckpointInputs } from 'coxswain/controller'
import { step, wait, when, type Step } from 'coxswain/flow'
import type { WebAppStatus } from '../schema/webapp.ts'
import type { Assessment } from '../state/assessment.ts'
import { look, type AppContext, type Found } from './context.ts'
import { reconcileAtAnnotation } from './resolve.ts'

/** Everything that a run of a ready app decides by. */
function inputs(
  { object: app, run }: AppContext,
  found: Found,
  status: DeepReadonly<WebAppStatus> | undefined,
): CheckpointInputs {
  const reconcileAt = app.metadata.annotations?.[reconcileAtAnnotation]
  return { spec: app.spec, status, reconcileAt, config: run.config, ...found }
}

/**
 * Saves a checkpoint if this run found the app ready and had nothing to change. `status`: as the run leaves it, which
 * is what the next run reads.
 */
export function saveCheckpoint(context: AppContext, assessment: Assessment, status: DeepReadonly<WebAppStatus>): void {
  const { run, checkpoint } = context
  const hasChangedNothing = run.synced?.every(({ outcome }) => outcome === 'unchanged') === true
  if (assessment.state === 'Ready' && run.found !== undefined && hasChangedNothing)
    checkpoint.save(inputs(context, run.found, status))
}

async function isUnchanged(context: AppContext): Promise<boolean> {
  const { object: app, checkpoint } = context
  return checkpoint.isSaved && checkpoint.isUnchanged(inputs(context, await look(context), app.status))
}

const stayReady: Step<AppContext> = step('check health', ({ run }, scope) => {
  run.isUnchanged = true
  scope.note({ state: 'Ready', message: 'nothing has changed since the last check' })
  return wait(run.settings.checkEveryMs, 'health and drift are looked at again')
})

export const unlessChanged: Step<AppContext> = when('unchanged', isUnchanged, stayReady)
