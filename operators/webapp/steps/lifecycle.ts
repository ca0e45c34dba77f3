/**
 * The life of an app: the state machine of the seeds. An edge that is not declared here does not compile and is not
 * taken.
 *
 *     Pending ──► Creating ──► Running          each of them ──► Deleting ──► gone
 *        ▲  └────────┴────────────┴──► Failed
 *        └──────────── retry ─────────────┘
 *
 * Where it stands is read from the conditions. An app that is suspended stays where it is; only a deletion goes on.
 */
import { done, goto, machine, named, pipeline, step, wait, when, type Machine, type Step } from 'coxswain/flow'
import type { Phase } from '../schema/webapp.ts'
import { specChanged } from '../state/facts.ts'
import { startingPhase } from '../state/phase.ts'
import { unlessChanged } from './unchanged.ts'
import { currentStatus, assessmentOf, type AppContext } from './context.ts'
import { cleanUp } from './delete.ts'
import { checkHealth, hold, retry, rollBack } from './failed.ts'
import { sync } from './sync.ts'

/** A deletion takes precedence over everything else. */
const checkDeletion: Step<AppContext, 'Deleting'> = step('check deletion', ({ object, run }) => {
  if (object.metadata.deletionTimestamp === undefined || run.isDeleting) return undefined
  run.isDeleting = true
  return startingPhase(object) === 'Deleting' ? undefined : goto('Deleting', 'the app is to be deleted')
})

const isSuspended = ({ object }: AppContext): boolean => object.spec.suspend
const unlessSuspended: Step<AppContext> = when(
  isSuspended,
  step('stay', () => done('suspended')),
)

/** The same work for two reasons: a new spec, or drift. */
const syncOrRepair: Step<AppContext> = when(
  'spec changed',
  ({ object }) => specChanged(object),
  sync,
  named('repair drift', sync),
)

/** Pods that run already have what they need. */
const awaitConfig: Step<AppContext> = step('await config', ({ run, object }) => {
  const isMade = object.status?.currentRevision !== undefined
  return isMade || run.config.missing.length === 0
    ? undefined
    : wait(run.settings.checkEveryMs, 'what the app refers to is not all there')
})

const begin: Step<AppContext, 'Creating'> = step('begin', () => goto('Creating', 'all that the app refers to is there'))

const awaitFirst: Step<AppContext, 'Running'> = step('await the first good revision', async (context) => {
  const {
    assessment: { state, message },
  } = await assessmentOf(context)
  const isServing = currentStatus(context).lastGoodRevision !== undefined
  return isServing || state === 'Ready' || state === 'Drifted'
    ? goto('Running', message)
    : wait(context.run.settings.checkEveryMs, message)
})

const checkAgain: Step<AppContext> = step('check again', ({ run }) =>
  wait(run.settings.checkEveryMs, 'health and drift are looked at again'),
)

export const lifecycle: Machine<AppContext, Phase> = machine({
  name: 'lifecycle',
  initial: 'Pending',
  phase: ({ object }: AppContext) => startingPhase(object),
  onTransition: ({ log }, { from, to, why }) => log.info('phase', { from, to, why }),
  first: checkDeletion,
  phases: {
    Pending: { run: pipeline('pending', unlessSuspended, awaitConfig, begin), to: ['Creating', 'Failed', 'Deleting'] },
    Creating: {
      run: pipeline('creating', unlessSuspended, sync, checkHealth, awaitFirst),
      to: ['Running', 'Failed', 'Deleting'],
    },
    Running: {
      run: pipeline('running', unlessSuspended, unlessChanged, syncOrRepair, checkHealth, checkAgain),
      to: ['Failed', 'Deleting'],
    },
    Failed: { run: pipeline('failed', unlessSuspended, rollBack, retry, hold), to: ['Pending', 'Deleting'] },
    Deleting: { run: cleanUp, to: [] },
  },
})
