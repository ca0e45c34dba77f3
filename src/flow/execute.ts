/** Runs flows: gives each run its scope and records its trace. */
import type { Env } from '../env/env.ts'
import type { Outcome } from './outcome.ts'
import { Recording, type RunSubject } from './recording.ts'
import { RunningScope, type SignalSource } from './scope.ts'
import type { StepLike } from './step.ts'
import type { Trace, TraceSink } from './trace.ts'

export interface RunEnvironment {
  readonly env: Env
  readonly source: SignalSource
  /** Receives the trace, also of a failed run. Default: no trace is recorded. */
  readonly traces?: TraceSink | undefined
  readonly about: RunSubject
}

/**
 * Runs `work` as one run. `afterOf` returns the requeue delay of its result in milliseconds. Steps in `work` find their
 * scope.
 */
export async function runInScope<Result>(
  { env, source, traces, about }: RunEnvironment,
  work: (scope: RunningScope) => Promise<Result>,
  afterOf: (result: Result) => number | undefined,
): Promise<Result> {
  const recording = traces === undefined ? undefined : new Recording(env, about)
  const scope = new RunningScope(env, source, recording?.root)
  let result: Result
  try {
    result = await scope.within(() => work(scope))
  } catch (error) {
    if (recording !== undefined) traces?.add(recording.end({ error }))
    throw error
  }
  if (recording !== undefined) traces?.add(recording.end({ after: afterOf(result) }))
  return result
}

export interface ExecuteOptions {
  readonly env: Env
  /** Default: none, and the run is not aborted. */
  readonly signal?: AbortSignal | undefined
  /** Called with the trace, also of a failed run. */
  readonly onTrace?: ((trace: Trace) => void) | undefined
}

export interface Execution {
  readonly outcome: Outcome
  readonly trace: Trace
}

/** Runs a flow without a controller, for tests. Rejects with the flow's error. */
export async function execute<Context>(
  step: StepLike<Context>,
  context: Context,
  options: ExecuteOptions,
): Promise<Execution> {
  const { env, signal = new AbortController().signal, onTrace } = options
  let trace: Trace | undefined
  const traces: TraceSink = {
    add: (made) => {
      trace = made
      onTrace?.(made)
    },
  }
  const outcome = await runInScope(
    { env, source: { signal }, traces, about: { id: env.uuid() } },
    (scope) => scope.run(step, context),
    afterOf,
  )
  return { outcome, trace: trace as Trace }
}

function afterOf(outcome: Outcome): number | undefined {
  return outcome.type === 'wait' ? outcome.ms : undefined
}
