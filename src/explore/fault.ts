/** What a named fault consists of, and what it can do to the run in which it happens. */
import type { TransportRequest } from '../client/transport.ts'
import type { Embedded, Instance, RestoreOptions, Snapshot } from '../cluster/embedded-handle.ts'
import type { Fault } from '../cluster/faulty-transport.ts'
import type { FrameFault } from '../cluster/faulty-watches.ts'
import type { ElectionOptions } from '../manager/lease-election.ts'
import type { Frame } from './point.ts'
import type { KnownStep } from './search/runs.ts'
import type { ExploreStep } from './trial.ts'

/** Longer than a read waits for the operator's own writes (5 s), so that the read fails. */
export const staleMs = 8_000

/** For `waitFor`. */
export function neverGivenUp(what: string): string {
  return `the operator never gave up ${what}`
}

/** The run in which a fault happens. */
export interface FaultedRun {
  readonly cluster: Embedded
  /** The instance of the program whose call it is. */
  readonly sender: Instance
  /** Undefined: every instance works. */
  readonly leaderElection: ElectionOptions | undefined
  /** The step is not at rest before this many milliseconds have passed. */
  wait(ms: number): void
  /** A watch has ended: the step is not at rest before it can have resumed. */
  waitForWatches(): void
  /** The same, from each event of this resource on. */
  waitAfterEvents(resource: string, ms: number): void
  /** The step is not at rest before the result is called. `problem`: what is wrong if that does not happen. */
  waitFor(problem: string): () => void
  /** Runs when all is at rest, and then it has to settle once more. */
  later(act: () => Promise<unknown> | void): void
  /** The user does now what he would do at rest. */
  editNow(): Promise<void>
  /** Restores the server to the state before the step, or after the act of the user, once the user has acted. */
  restore(to: 'before' | 'acted', options: RestoreOptions): void
  /** For this time, lists and watches are those of a server that is as far behind as `KnownStep.past`. */
  readFromThePast(ms: number): void
  /** The next watch of this resource that resumes at a version is refused with 410. */
  compact(resource: string): void
  /** Watches of this resource that resume at a version get an error event, 410, until it has been listed. */
  expire(resource: string): void
  /** The next list or watch of this resource takes this many milliseconds. */
  delayFirstRead(resource: string, ms: number): void
  /** The same request must not come earlier than in this many seconds. */
  askForPause(request: TransportRequest, seconds: number): void
}

/** What happens to the cluster besides the act of the step. */
export interface UserEdit extends ExploreStep {
  /** The end must be that of an operator that starts on this state. Default: that of a run without the fault. */
  readonly startsFrom?: Snapshot | undefined
}

/** A fault at a call of the operator. */
export interface CallFault {
  /** The description in a report. */
  readonly happens: string
  /** Default: at every call. */
  readonly isPossible?: (request: TransportRequest, known: KnownStep) => boolean
  /**
   * What the user does besides the act of the step: at rest, unless the fault does it earlier. The end must be the same
   * as without the fault. Undefined: the fault is not possible. `name` tells acts apart.
   */
  readonly edit?: (known: KnownStep, call: number) => UserEdit | undefined
  /** Objects may be created and deleted more often than without the fault. Default: they may not. */
  readonly mayRepeat?: boolean
  readonly at: (request: TransportRequest, run: FaultedRun) => Fault
}

/** A fault at an event of a watch of the operator. */
export interface WatchFault {
  readonly happens: string
  /** Default: at every event. */
  readonly isPossible?: (frame: Frame, known: KnownStep) => boolean
  readonly at: (frame: Frame, run: FaultedRun) => FrameFault
}
