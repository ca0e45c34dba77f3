/**
 * One cluster under observation: a step of the scenario is done there, perhaps with a fault at one of the operator's
 * calls.
 */
import type { TransportRequest } from '../client/transport.ts'
import { embedded, type Embedded, type EmbeddedOptions, type Snapshot } from '../cluster/embedded.ts'
import { Changes, type Oracle } from './explore-changes.ts'
import { faultAt, staleFor, type FaultName } from './explore-faults.ts'
import type { Fault } from '../cluster/faulty-transport.ts'

/** One thing that a user does, after which all comes to rest. */
export interface Step {
  /** Without slashes. */
  readonly name: string
  /** As a user of the cluster: nothing goes wrong with these calls. */
  readonly act: (cluster: Embedded) => Promise<void> | void
  /** Waits until all is done. Default: `cluster.settle()`. For what never comes to rest, as a crash loop: `advance`. */
  readonly rest?: ((cluster: Embedded) => Promise<void>) | undefined
}

export type ExploredCluster = Omit<EmbeddedOptions, 'faults' | 'from' | 'transport' | 'seed'>

/** A fault, and the call that it happens to: 1 is the first after the step has begun. */
export interface Armed {
  readonly call: number
  readonly fault: FaultName
}

export interface Outcome {
  /** What the operator sent, from the beginning of the step. */
  readonly calls: readonly TransportRequest[]
  readonly counts: ReadonlyMap<string, number>
  /** What the oracles found, and what went wrong with the run itself. */
  readonly problems: readonly string[]
  readonly end: Snapshot
  /** Types of what the operator has written. */
  readonly written: ReadonlySet<string>
}

export class Trial {
  readonly cluster: Embedded
  /** When the operator had started, and before anything else happened. */
  readonly start: Snapshot
  readonly #changes: Changes
  readonly #script: Script

  private constructor(cluster: Embedded, changes: Changes, script: Script) {
    this.cluster = cluster
    this.#changes = changes
    this.#script = script
    this.start = cluster.snapshot()
  }

  /** Resolves when the operator has started and is at rest. */
  static async begin(options: ExploredCluster, oracles: readonly Oracle[], from?: Snapshot): Promise<Trial> {
    const script = new Script(() => cluster.env.now())
    const changes = new Changes(oracles)
    const cluster = await embedded({
      ...options,
      from,
      faults: (request) => script.next(request),
      transport: (inner) => changes.byOperator(inner),
    })
    changes.follow(cluster.plane.store, cluster.env)
    return new Trial(cluster, changes, script)
  }

  async run(step: Step, armed?: Armed): Promise<Outcome> {
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

  /** What is held back comes before the end. */
  async #rest({ rest = (cluster) => cluster.settle() }: Step): Promise<void> {
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

/** Counts the calls of a step, and says what happens to which. */
class Script {
  #calls: TransportRequest[] | undefined
  #armed: Armed | undefined
  readonly #now: () => number
  heldUntil = 0

  constructor(now: () => number) {
    this.#now = now
  }

  begin(armed: Armed | undefined): void {
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
    if (fault?.type === 'hold-watches') this.heldUntil = this.#now() + staleFor
    return fault
  }
}

/** What the language throws when a program is wrong is no answer to a fault. */
function bugsIn(logs: readonly string[]): readonly string[] {
  const thrown = logs
    .filter((line) => line.includes('"error":'))
    .map((line) => (JSON.parse(line) as { error?: { name?: string; message?: string } }).error)
    .filter((error) => /^(TypeError|ReferenceError|RangeError)$/.test(error?.name ?? ''))
  return [...new Set(thrown.map((error) => `the operator threw ${error?.name}: ${error?.message}`))]
}
