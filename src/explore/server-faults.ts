/** The server is restored from a backup while the operator runs: what the operator knows did not happen. */
import type { Snapshot } from '../cluster/embedded-handle.ts'
import { isQuiet } from './expectations.ts'
import type { CallFault } from './fault.ts'
import type { KnownStep } from './search/runs.ts'
import type { ExploreStep } from './trial.ts'

/** Shorter than the deadline to renew a lease; longer than a run waits for a retry. */
const downMs = 5_000

/** A restoration. The end must be that of an operator that starts on this state. */
function restored(known: KnownStep, name: string, startsFrom: Snapshot, like: ExploreStep | undefined) {
  const { step } = known
  // What an operator is amid of when it never rests is not known; nor are external systems restored.
  const isOpen = step.rest !== undefined || like?.rest !== undefined || !isQuiet(step.expects ?? 'ready')
  if (isOpen || Object.keys(known.from.externals ?? {}).length > 0) return undefined
  return { name, act: () => undefined, expects: like?.expects, startsFrom }
}

export const serverFaults = {
  'server-set-back': {
    happens:
      'the server is restored to the state before the step. For 5 s it refuses requests; then its versions are lower ' +
      'than those that the operator knows',
    isPossible: ({ stream }) => stream !== true,
    mayRepeat: true,
    edit: (known) => restored(known, 'restore what was before', known.from, known.before),
    at: (_, run) => {
      run.restore('before', { downMs })
      return { type: 'drop-before' }
    },
  },
  'server-lost-writes': {
    happens:
      'the server is restored to the state after the act of the user. For 5 s it refuses requests; then others have ' +
      'written until its versions are higher than those that the operator knows',
    isPossible: ({ stream }) => stream !== true,
    mayRepeat: true,
    edit: (known) => restored(known, 'restore what the user did', known.twin.acted, known.step),
    at: (_, run) => {
      run.restore('acted', { downMs, isOvertaken: true })
      return { type: 'drop-before' }
    },
  },
} as const satisfies Readonly<Record<string, CallFault>>
