/** One cluster in which a step of the scenario runs, optionally with a fault at one of the operator's calls. */
import type { TransportRequest } from '../client/transport.ts'
import { embedded, type Embedded, type EmbeddedOptions, type Snapshot } from '../cluster/embedded.ts'
import { ChangeRecorder, type Oracle } from './explore-changes.ts'
import { faultAt, staleMs, type FaultName } from './explore-faults.ts'
import type { Fault } from '../cluster/faulty-transport.ts'

/** One action of a user, after which the cluster settles. */
export interface ExploreStep {
  /** Without slashes. */
  readonly name: string
  /** Acts as a user of the cluster; faults do not affect these calls. */
  readonly act: (cluster: Embedded) => Promise<void> | void
  /**
   * Waits until everything is done. Default: `cluster.settle()`. Use `advance` for operators that never settle, such as
   * in a crash loop.
   */
  readonly rest?: ((cluster: Embedded) => Promise<void>) | undefined
}

export type ExploredCluster = Omit<EmbeddedOptions, 'faults' | 'from' | 'transport' | 'seed'>

/** A fault and its call: 1 is the first call of the step. */
export interface ArmedFault {
  readonly call: number
  readonly fault: FaultName
}

export interface TrialResult {
  /** What the operator sent since the step began. */
  readonly calls: readonly TransportRequest[]
  readonly counts: ReadonlyMap<string, number>
  /** What the oracles reported, and failures of the run itself. */
  readonly problems: readonly string[]
  readonly end: Snapshot
  /** The types that the operator has written. */
  readonly written: ReadonlySet<string>
}

export class Trial {
  readonly cluster: Embedded
  /** The state when the operator had started, before the step. */
  readonly start: Snapshot
  readonly #changes: ChangeRecorder
  readonly #script: Script

  private constructor(cluster: Embedded, changes: ChangeRecorder, script: Script) {
    this.cluster = cluster
    this.#changes = changes
    this.#script = script
    this.start = cluster.snapshot()
  }

  /** Resolves when the operator has started and is settled. */
  static async begin(options: ExploredCluster, oracles: readonly Oracle[], from?: Snapshot): Promise<Trial> {
    const script = new Script(() => cluster.env.now())
    const changes = new ChangeRecorder(oracles)
    const cluster = await embedded({
      ...options,
      from,
      faults: (request) => script.next(request),
      transport: (inner) => changes.byOperator(inner),
    })
    changes.follow(cluster.plane.store, cluster.env)
    return new Trial(cluster, changes, script)
  }

  async run(step: ExploreStep, armed?: ArmedFault): Promise<TrialResult> {
    const { cluster } = this
    const changes = this.#changes
    const logged = cluster.logs.length
    this.#script.begin(armed)
    const problems: string[] = []
    try {
      await step.act(cluster)
      await this.#rest(step)
      changes.rest()
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
    problems.push(...changes.takeViolations(), ...bugsIn(cluster.logs.slice(logged)))
    return {
      calls: this.#script.end(),
      counts: changes.takeCounts(),
      problems,
      end: cluster.snapshot(),
      written: changes.written,
    }
  }

  /** Events that are held back must arrive before the end. */
  async #rest({ rest = (cluster) => cluster.settle() }: ExploreStep): Promise<void> {
    const { cluster } = this
    await rest(cluster)
    const held = this.#script.heldUntil - cluster.env.now()
    if (held <= 0) return
    await cluster.advance(held)
    await rest(cluster)
  }

  async stop(): Promise<void> {
    this.#changes.stop()
    await this.cluster.stop()
  }
}

/** Counts the calls of a step and injects the fault. */
class Script {
  #calls: TransportRequest[] | undefined
  #armed: ArmedFault | undefined
  readonly #now: () => number
  heldUntil = 0

  constructor(now: () => number) {
    this.#now = now
  }

  begin(armed: ArmedFault | undefined): void {
    this.#calls = []
    this.#armed = armed
    this.heldUntil = 0
  }

  end(): readonly TransportRequest[] {
    const calls = this.#calls ?? []
    this.#calls = undefined
    return calls
  }

  next(request: TransportRequest): Fault | undefined {
    const armed = this.#armed
    if (this.#calls === undefined || this.#calls.push(request) !== armed?.call) return undefined
    const fault = faultAt(armed.fault, request)
    if (fault?.type === 'hold-watches') this.heldUntil = this.#now() + staleMs
    return fault
  }
}

/** A TypeError, ReferenceError or RangeError is a bug, not a reaction to a fault. */
function bugsIn(logs: readonly string[]): readonly string[] {
  const thrown = logs
    .filter((line) => line.includes('"error":'))
    .map((line) => (JSON.parse(line) as { error?: { name?: string; message?: string } }).error)
    .filter((error) => /^(TypeError|ReferenceError|RangeError)$/.test(error?.name ?? ''))
  return [...new Set(thrown.map((error) => `the operator threw ${error?.name}: ${error?.message}`))]
}
