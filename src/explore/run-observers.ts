/** What one run of a step is disturbed and observed by: its script, the record of its writes, and the leases. */
import type { Transport, TransportRequest } from '../client/transport.ts'
import type { Embedded, Instance, Snapshot } from '../cluster/embedded-handle.ts'
import type { Fault } from '../cluster/faulty-transport.ts'
import { ChangeRecorder, type Oracle } from './changes.ts'
import { LeaseWatch } from './lease-watch.ts'
import type { GrowingOperatorView } from './operator-view.ts'
import type { RunRecorder } from './run-recorder.ts'
import { Script } from './script.ts'
import type { ExploredCluster } from './trial.ts'

export interface TrialStart {
  /** The state of the cluster. Default: a new one. */
  readonly from?: Snapshot | undefined
  /** An older state, for faults that read from a server that is behind. */
  readonly past?: Snapshot | undefined
  readonly recorder?: RunRecorder | undefined
}

/** Who is asked about every run. */
export interface Watchers {
  readonly oracles: readonly Oracle[]
  readonly operator: GrowingOperatorView
}

export class RunObservers {
  readonly script: Script
  readonly changes: ChangeRecorder
  readonly #leases: LeaseWatch | undefined
  readonly #recorder: RunRecorder | undefined

  constructor(options: ExploredCluster, { oracles, operator }: Watchers, { from, past, recorder }: TrialStart) {
    this.#recorder = recorder
    this.script = new Script({
      options,
      from,
      past,
      onEvent: (point, fault) => recorder?.event(point, fault),
      onRestored: (cluster) => {
        this.follow(cluster)
        recorder?.follow(cluster)
        this.#leases?.restart()
      },
    })
    this.#leases = leaseWatch(options, () => this.script.now)
    this.changes = new ChangeRecorder(
      this.#leases === undefined ? oracles : [...oracles, this.#leases.oracle],
      operator,
    )
  }

  /** The fault of a request of the operator. */
  fault(request: TransportRequest, sender: Instance | undefined): Fault | undefined {
    const fault = this.script.next(request, sender)
    this.#recorder?.call(request, fault)
    return fault
  }

  /** What an instance of the operator sends by. */
  transport(inner: Transport): Transport {
    const observed = this.changes.byOperator(this.#recorder?.transport(inner) ?? inner)
    return this.#leases?.program(observed) ?? observed
  }

  /** Records the writes to the server of the cluster. */
  follow({ plane, env }: Embedded): void {
    this.changes.follow(plane.store, env)
  }

  takeProblems(): readonly string[] {
    return [...this.changes.takeViolations(), ...this.script.takeProblems(), ...(this.#leases?.takeProblems() ?? [])]
  }

  stop(): void {
    this.changes.stop()
  }
}

function leaseWatch(options: ExploredCluster, now: () => number): LeaseWatch | undefined {
  const { leaderElection, controllers = [], tasks = [] } = options
  if (leaderElection === undefined || (leaderElection.shards ?? 0) > 0) return undefined
  const definitions = typeof controllers === 'function' ? controllers() : controllers
  return new LeaseWatch({ leaderElection, controllers: definitions, tasks, now })
}
