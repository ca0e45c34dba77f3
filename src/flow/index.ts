/** Flows of steps, state machines, and the trace of every run. */
export { branch, parallel, pipeline, when } from './compose.ts'
export { retried, StepTimeoutError, timed, traced } from './decorators.ts'
export type { RetryOptions } from './decorators.ts'
export { execute } from './execute.ts'
export type { ExecuteOptions, Execution } from './execute.ts'
export { machine, MachineLoopError, UndeclaredEdgeError } from './machine.ts'
export type { Machine, MachineOptions, Transition } from './machine.ts'
export { done, goto, next, wait } from './outcome.ts'
export type { Done, Goto, Next, Outcome, StepResult, Wait } from './outcome.ts'
export type { Scope } from './scope.ts'
export { emitSpans } from './spans.ts'
export { named, step } from './step.ts'
export type { Step, StepFunction, StepLike } from './step.ts'
export { formatTraces, parseTraces, TraceFileError } from './trace-file.ts'
export { traceLines } from './trace-lines.ts'
export { TraceRing } from './trace-ring.ts'
export type { TraceRingOptions } from './trace-ring.ts'
export { traceVersion } from './trace.ts'
export type {
  CallTrace,
  ErrorTrace,
  EventTrace,
  FieldChange,
  StepTrace,
  Trace,
  TraceEntry,
  TraceSink,
  TraceValue,
  TransitionTrace,
  TriggerTrace,
} from './trace.ts'
