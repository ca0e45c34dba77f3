/** One cluster in which a step of the scenario runs, optionally with faults. */
import type { KubeObject } from '../api/object.ts'
import { embedded } from '../cluster/embedded.ts'
import type { Embedded, Snapshot } from '../cluster/embedded-handle.ts'
import type { EmbeddedOptions } from '../cluster/embedded-options.ts'
import { failingText } from '../cluster/failing-keys.ts'
import { ChangeRecorder, kindText, type Oracle } from './changes.ts'
import { countExternalWrites } from './external-calls.ts'
import { unmet, type StepExpectation } from './expectations.ts'
import type { UserEdit } from './fault.ts'
import { LeaseWatch } from './lease-watch.ts'
import type { GrowingOperatorView } from './operator-view.ts'
import type { Point } from './point.ts'
import type { RunRecorder } from './run-recorder.ts'
import type { InjectedFault } from './schedule.ts'
import { Script, type SentCall } from './script.ts'

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
  /**
   * What holds at the end of the step. Default `ready`: no key fails, and the objects of the controllers are ready. The
   * report names the steps that expect something else.
   */
  readonly expects?: StepExpectation | undefined
  /**
   * Without a fault, the operator writes for the last time no later than this many simulated milliseconds after the
   * act: it notices by itself what has changed, and not in a periodic check. Default: no limit.
   */
  readonly withinMs?: number | undefined
}

export type ExploredCluster = Omit<EmbeddedOptions, 'faults' | 'from' | 'transport' | 'carryOut' | 'seed'>

export interface TrialResult {
  /** What the operator sent since the step began. */
  readonly calls: readonly SentCall[]
  /** These calls and the events that its watches received, in order. */
  readonly points: readonly Point[]
  readonly counts: ReadonlyMap<string, number>
  /** What the oracles reported, and failures of the run itself. */
  readonly problems: readonly string[]
  readonly end: Snapshot
  /** The types that the operator has written. */
  readonly written: ReadonlySet<string>
  /** How often the operator has changed an object, without events and leases, or called an external system to. */
  readonly writes: number
  readonly reconciles: number
  /** What is not as the step expects it. */
  readonly unmet: readonly string[]
  /** A user could not do then what he was to do: the run says nothing. */
  readonly isVoid: boolean
  /** The state right after the user's act. */
  readonly acted: Snapshot
}

/** What a user does besides the act of the step. */
export interface LaterEdit {
  readonly step: UserEdit
  /** Right after the act of the step. */
  readonly isAtOnce?: boolean | undefined
}

export interface TrialStart {
  /** The state of the cluster. Default: a new one. */
  readonly from?: Snapshot | undefined
  /** An older state, for faults that read from a server that is behind. */
  readonly past?: Snapshot | undefined
  readonly recorder?: RunRecorder | undefined
}

export class Trial {
  readonly cluster: Embedded
  /** The state when the operator had started, before the step. */
  readonly start: Snapshot
  readonly #changes: ChangeRecorder
  readonly #script: Script
  readonly #leases: LeaseWatch | undefined
  readonly #operator: GrowingOperatorView

  private constructor(
    cluster: Embedded,
    changes: ChangeRecorder,
    script: Script,
    leases: LeaseWatch | undefined,
    operator: GrowingOperatorView,
  ) {
    this.#operator = operator
    this.#leases = leases
    this.cluster = cluster
    this.#changes = changes
    this.#script = script
    this.start = cluster.snapshot()
  }

  /** Resolves when the operator has started and is settled. */
  static async begin(
    options: ExploredCluster,
    { oracles, operator }: { readonly oracles: readonly Oracle[]; readonly operator: GrowingOperatorView },
    { from, past, recorder }: TrialStart = {},
  ): Promise<Trial> {
    const script = new Script({
      options,
      from,
      past,
      onEvent: (point, fault) => recorder?.event(point, fault),
      onRestored: () => {
        changes.follow(cluster.plane.store, cluster.env)
        recorder?.follow(cluster)
        leases?.restart()
      },
    })
    const leases = leaseWatch(options, () => script.now)
    const changes = new ChangeRecorder(leases === undefined ? oracles : [...oracles, leases.oracle], operator)
    const cluster: Embedded = await embedded({
      ...options,
      from,
      faults: (request, _, sender) => {
        const fault = script.next(request, sender)
        recorder?.call(request, fault)
        return fault
      },
      transport: (inner) => {
        const observed = changes.byOperator(recorder?.transport(inner) ?? inner)
        return leases?.program(observed) ?? observed
      },
    })
    await leads(cluster)
    changes.follow(cluster.plane.store, cluster.env)
    return new Trial(cluster, changes, script, leases, operator)
  }

  /** `edit`: another act of the user, at rest unless it happens earlier. */
  async run(step: ExploreStep, faults: readonly InjectedFault[] = [], edit?: LaterEdit): Promise<TrialResult> {
    const { cluster } = this
    const last = edit?.step ?? step
    const changes = this.#changes
    const logged = cluster.logs.length
    const reconciled = cluster.reconciles
    const { expects = 'ready' } = last
    changes.expects = expects
    changes.takeWrites()
    this.#script.begin(cluster, faults, edit?.step)
    const problems: string[] = []
    let acted = this.start
    try {
      await step.act(cluster)
      acted = cluster.snapshot()
      this.#script.acted(acted)
      if (edit?.isAtOnce === true) await this.#script.editNow()
      await this.#rest(step)
      if (edit !== undefined) {
        await this.#script.editNow()
        await this.#rest(last)
      }
      if (await this.#script.runLater()) await this.#rest(last)
      this.#checkFailing(last)
      changes.rest()
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
    const end = cluster.snapshot()
    const { calls, points } = this.#script.end()
    problems.push(...changes.takeViolations(), ...this.#script.takeProblems(), ...(this.#leases?.takeProblems() ?? []))
    problems.push(...bugsIn(cluster.logs.slice(logged)))
    return {
      calls,
      points,
      counts: changes.takeCounts(),
      problems,
      end,
      written: changes.written,
      writes: changes.takeWrites() + countExternalWrites(calls),
      reconciles: cluster.reconciles - reconciled,
      isVoid: this.#script.isVoid,
      acted,
      unmet: unmet({ expects, objects: this.#own(end), failing: cluster.failing }),
    }
  }

  /** What is late must arrive before the end. */
  async #rest({ rest = (cluster) => cluster.settle({ allowFailing: true }) }: ExploreStep): Promise<void> {
    const { cluster } = this
    for (let isLate = true; isLate;) {
      await rest(cluster)
      isLate = false
      for (let ms = this.#script.waitMs; ms > 0; ms = this.#script.waitMs) {
        await cluster.advance(ms)
        isLate = true
      }
    }
  }

  #checkFailing({ expects }: ExploreStep): void {
    const { failing } = this.cluster
    if (expects !== 'failing' && failing.length > 0) throw new Error(failingText(failing))
  }

  #own({ items }: Snapshot): readonly KubeObject[] {
    const own = new Set(this.#operator.kinds.map(kindText))
    return items.map(({ object }) => object).filter((object) => own.has(kindText(object)))
  }

  async stop(): Promise<void> {
    this.#changes.stop()
    await this.cluster.stop()
  }
}

/** In a snapshot the lease is still held by a process that is gone: a step begins when the operator has taken over. */
async function leads(cluster: Embedded): Promise<void> {
  if (cluster.manager.state !== 'standby') return
  for (let tries = 0; cluster.manager.state === 'standby' && tries < 600; tries++) await cluster.advance(1000)
  await cluster.settle({ allowFailing: true })
}

function leaseWatch(options: ExploredCluster, now: () => number): LeaseWatch | undefined {
  const { leaderElection, controllers = [], tasks = [] } = options
  if (leaderElection === undefined || (leaderElection.shards ?? 0) > 0) return undefined
  const definitions = typeof controllers === 'function' ? controllers() : controllers
  return new LeaseWatch({ leaderElection, controllers: definitions, tasks, now })
}

/** A TypeError, ReferenceError or RangeError is a bug, not a reaction to a fault. */
function bugsIn(logs: readonly string[]): readonly string[] {
  const thrown = logs
    .filter((line) => line.includes('"error":'))
    .map((line) => (JSON.parse(line) as { error?: { name?: string; message?: string } }).error)
    .filter((error) => /^(TypeError|ReferenceError|RangeError)$/.test(error?.name ?? ''))
  return [...new Set(thrown.map((error) => `the operator threw ${error?.name}: ${error?.message}`))]
}
