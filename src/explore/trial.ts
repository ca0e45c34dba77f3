/** One cluster in which a step of the scenario runs, optionally with faults. */
import type { KubeObject } from '../api/object.ts'
import { reusableCluster } from '../cluster/embedded.ts'
import type { Embedded, ReusableCluster, Snapshot } from '../cluster/embedded-handle.ts'
import type { EmbeddedOptions } from '../cluster/embedded-options.ts'
import { failingText } from '../cluster/failing-keys.ts'
import { kindText } from './changes.ts'
import { isSameState, PlayedCourse, type Course } from './course.ts'
import { countExternalWrites } from './external-calls.ts'
import { unmet, type StepExpectation } from './expectations.ts'
import type { UserEdit } from './fault.ts'
import type { GrowingOperatorView } from './operator-view.ts'
import type { Point } from './point.ts'
import { RunObservers, type TrialStart, type Watchers } from './run-observers.ts'
import type { InjectedFault } from './schedule.ts'
import type { SentCall } from './script.ts'

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
  /** The moments of the run, for runs with faults that come to one of them. */
  readonly course: Course
}

/** What a user does besides the act of the step. */
export interface LaterEdit {
  readonly step: UserEdit
  /** Right after the act of the step. */
  readonly isAtOnce?: boolean | undefined
}

export interface TrialRun {
  readonly step: ExploreStep
  /** Default: none. */
  readonly faults?: readonly InjectedFault[] | undefined
  /** Another act of the user, at rest unless it happens earlier. */
  readonly edit?: LaterEdit | undefined
  /** The same run without faults: when this one comes to a moment of it, it ends, and goes on as that one did. */
  readonly twin?: TrialResult | undefined
}

export class Trial {
  readonly cluster: ReusableCluster
  readonly #options: ExploredCluster
  readonly #operator: GrowingOperatorView
  readonly #stage: { observers: RunObservers }
  /** The state when the operator had started, before the step. */
  start: Snapshot

  private constructor(
    options: ExploredCluster,
    operator: GrowingOperatorView,
    cluster: ReusableCluster,
    stage: { observers: RunObservers },
  ) {
    this.cluster = cluster
    this.#options = options
    this.#operator = operator
    this.#stage = stage
    stage.observers.follow(cluster)
    this.start = cluster.snapshot()
  }

  /** Resolves when the operator has started and is settled. */
  static async begin(options: ExploredCluster, watchers: Watchers, start: TrialStart = {}): Promise<Trial> {
    const stage = { observers: new RunObservers(options, watchers, start) }
    const cluster = await reusableCluster({
      logLevel: 'warn',
      builtinEvents: watchers.operator.readsEvents,
      ...options,
      from: start.from,
      faults: (request, _, sender) => stage.observers.fault(request, sender),
      transport: (inner) => stage.observers.transport(inner),
    })
    await leads(cluster)
    return new Trial(options, watchers.operator, cluster, stage)
  }

  /** Begins once more in the same cluster. False: it is not in that state, and of no use any more. */
  async again(watchers: Watchers, start: TrialStart & { readonly from: Snapshot }): Promise<boolean> {
    const { cluster } = this
    this.#observers.stop()
    this.#stage.observers = new RunObservers(this.#options, watchers, start)
    const isBack = (): boolean => isSameState(start.from, cluster.snapshot())
    await cluster.rewind(start.from, isBack)
    await leads(cluster)
    this.#observers.follow(cluster)
    this.start = cluster.snapshot()
    return isBack()
  }

  get #observers(): RunObservers {
    return this.#stage.observers
  }

  async run({ step, faults = [], edit, twin }: TrialRun): Promise<TrialResult> {
    const { cluster } = this
    const { changes, script } = this.#observers
    const last = edit?.step ?? step
    const logged = cluster.logs.length
    const reconciled = cluster.reconciles
    const { expects = 'ready' } = last
    changes.expects = expects
    changes.takeWrites()
    script.begin(cluster, faults, edit?.step)
    const course = new PlayedCourse(cluster, this.#observers, twin)
    const problems: string[] = []
    let acted = this.start
    try {
      await step.act(cluster)
      acted = cluster.snapshot()
      script.acted(acted)
      if (edit?.isAtOnce === true) await script.editNow()
      await this.#rest(step, course)
      if (edit !== undefined && !course.isJoined) {
        await script.editNow()
        await this.#rest(last, course)
      }
      if (!course.isJoined && (await script.runLater())) await this.#rest(last, course)
      if (!course.isJoined) {
        this.#checkFailing(last)
        changes.rest()
      }
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
    course.end()
    const { calls, points } = script.end()
    problems.push(...this.#observers.takeProblems(), ...bugsIn(cluster.logs.slice(logged)))
    const end = cluster.snapshot()
    const result = {
      calls,
      points,
      counts: changes.takeCounts(),
      problems,
      end,
      written: changes.written,
      writes: changes.takeWrites() + countExternalWrites(calls),
      reconciles: cluster.reconciles - reconciled,
      isVoid: script.isVoid,
      acted,
      unmet: course.isJoined ? [] : unmet({ expects, objects: this.#own(end), failing: cluster.failing }),
      course: course.moments,
    }
    return course.completed(result)
  }

  /** What is late must arrive before the end. */
  async #rest({ rest = () => course.settle() }: ExploreStep, course: PlayedCourse): Promise<void> {
    const { cluster } = this
    const { script } = this.#observers
    for (let isLate = true; isLate && !course.isJoined;) {
      await rest(cluster)
      isLate = false
      for (let ms = script.waitMs; ms > 0 && !course.isJoined; ms = script.waitMs) {
        await cluster.advance(ms)
        isLate = true
      }
    }
  }

  #checkFailing({ expects }: ExploreStep): void {
    const { failing } = this.cluster
    if (expects !== 'failing' && failing.length > 0) throw new Error(failingText(failing, { withCode: true }))
  }

  #own({ items }: Snapshot): readonly KubeObject[] {
    const own = new Set(this.#operator.kinds.map(kindText))
    return items.map(({ object }) => object).filter((object) => own.has(kindText(object)))
  }

  async stop(): Promise<void> {
    this.#observers.stop()
    await this.cluster.stop()
  }
}

/** In a snapshot the lease is still held by a process that is gone: a step begins when the operator has taken over. */
async function leads(cluster: Embedded): Promise<void> {
  if (cluster.manager.state !== 'standby') return
  for (let tries = 0; cluster.manager.state === 'standby' && tries < 600; tries++) await cluster.advance(1000)
  await cluster.settle({ allowFailing: true })
}

/** A TypeError, ReferenceError or RangeError is a bug, not a reaction to a fault. */
function bugsIn(logs: readonly string[]): readonly string[] {
  const thrown = logs
    .filter((line) => line.includes('"error":'))
    .map((line) => (JSON.parse(line) as { error?: { name?: string; message?: string } }).error)
    .filter((error) => /^(TypeError|ReferenceError|RangeError)$/.test(error?.name ?? ''))
  return [...new Set(thrown.map((error) => `the operator threw ${error?.name}: ${error?.message}`))]
}
