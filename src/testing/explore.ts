/**
 * The explorer: does an operator reach the same end state whatever fails at any of its calls?
 *
 * Expected flow: the scenario runs once in one process, and a snapshot is taken before each step. From there each step
 * runs again in a cluster of its own: once without a fault, which gives the operator's calls and the expected end
 * state, then once for every call and every possible fault.
 *
 * Guarantees: the same scenario gives the same runs. After a fault the cluster must settle; the objects that the
 * operator writes must be the same as without the fault; none was created or deleted more often; no oracle reported a
 * problem.
 *
 * Caveats: there is one fault per run, and the operator has just started when its step begins. Events may get lost in a
 * crash: events and leases are not compared.
 */
import { realEnv } from '../env/real.ts'
import type { Snapshot } from '../cluster/embedded.ts'
import { kindText, type Oracle } from './explore-changes.ts'
import { faultAt, faultNames, isFaultName, type FaultName } from './explore-faults.ts'
import { standardOracles } from './explore-oracles.ts'
import { reportText } from './explore-report.ts'
import { differences, stateOf } from './explore-state.ts'
import { Trial, type ArmedFault, type ExploredCluster, type TrialResult, type ExploreStep } from './explore-trial.ts'

export interface ExploreOptions {
  /** The operator and its cluster, as for `embedded`. Give controllers that keep state in memory as a function. */
  readonly cluster: ExploredCluster
  readonly steps: readonly ExploreStep[]
  /** Default: all faults. */
  readonly faults?: readonly FaultName[] | undefined
  /** Default: `standardOracles`; include them in your own list to keep them. */
  readonly oracles?: readonly Oracle[] | undefined
  /**
   * Fields that may differ in the end: `status.attempts`, or for one type `apps/v1 ReplicaSet metadata.generation`; `*`
   * stands for any one key or index. Default: none.
   */
  readonly ignore?: readonly string[] | undefined
  /**
   * Types to compare besides those of the controllers and those that they write, for example `apps/v1 ReplicaSet`.
   * Default: none.
   */
  readonly types?: readonly string[] | undefined
  /** The maximum of runs, spread evenly over all. Default: no limit. */
  readonly atMost?: number | undefined
  /** Shard the runs over several processes: `{ index: 0, of: 2 }` and `{ index: 1, of: 2 }`. Default: all runs. */
  readonly part?: { readonly index: number; readonly of: number } | undefined
  /**
   * Only this run, as a report names it: `create/3/crash-after`. Default: the environment variable COXSWAIN_EXPLORE.
   */
  readonly only?: string | undefined
  /** Called after every run. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

export interface ExploreReport {
  readonly steps: readonly { readonly name: string; readonly calls: number }[]
  /** The number of runs with a fault. */
  readonly tried: number
  /** Real milliseconds. */
  readonly took: number
  /** Ordered by call. */
  readonly failures: readonly ExploreFailure[]
  /** A report for people: what was tried, the shortest description of a failure, and how to repeat it. */
  readonly text: string
}

export interface ExploreFailure {
  /** The value for `only`. */
  readonly id: string
  readonly step: string
  /** 0: no fault (`none`), or only a restart of the operator before the step (`restart`). */
  readonly call: number
  readonly fault: FaultName | 'none' | 'restart'
  /** What the operator sent, as `PATCH /api/v1/...`. */
  readonly calls: readonly string[]
  readonly problems: readonly string[]
}

/** Events may get lost, leases depend on the process, and addresses are allocated at random. */
const uncertain = [
  'v1 Event',
  'events.k8s.io/v1 Event',
  'coordination.k8s.io/v1 Lease',
  'networking.k8s.io/v1 IPAddress',
]

interface Planned extends ArmedFault {
  readonly step: ExploreStep
  readonly from: Snapshot
  readonly twin: TrialResult
}

export async function explore(options: ExploreOptions): Promise<ExploreReport> {
  return new Exploration(options).run()
}

/** Joins the reports of several processes into one. */
export function joinReports(reports: readonly Omit<ExploreReport, 'text'>[]): ExploreReport {
  const found = new Map(reports.flatMap(({ failures }) => failures).map((failure) => [failure.id, failure]))
  return report({
    steps: reports[0]?.steps ?? [],
    tried: reports.reduce((sum, { tried }) => sum + tried, 0),
    took: Math.max(0, ...reports.map(({ took }) => took)),
    failures: [...found.values()],
  })
}

function report(done: Omit<ExploreReport, 'text'>): ExploreReport {
  return { ...done, text: reportText(done) }
}

class Exploration {
  readonly #options: ExploreOptions
  readonly #oracles: readonly Oracle[]
  readonly #failures: ExploreFailure[] = []
  readonly #steps: { name: string; calls: number }[] = []
  readonly #only: string | undefined

  constructor(options: ExploreOptions) {
    this.#options = options
    this.#oracles = options.oracles ?? standardOracles
    this.#only = options.only ?? process.env['COXSWAIN_EXPLORE']
    checkNames(options.steps, this.#only)
  }

  async run(): Promise<ExploreReport> {
    const { atMost = Infinity, part = { index: 0, of: 1 }, onProgress } = this.#options
    const clock = realEnv()
    const startedAt = clock.now()
    const planned = (await this.#plan()).filter((each) => this.#only === undefined || idOf(each) === this.#only)
    const chosen = spread(planned, atMost).filter((_, index) => index % part.of === part.index)
    for (const [index, each] of chosen.entries()) {
      await this.#try(each)
      onProgress?.(index + 1, chosen.length)
    }
    return report({ steps: this.#steps, tried: chosen.length, took: clock.now() - startedAt, failures: this.#failures })
  }

  /** The scenario without faults: in one process, and each step once more after a restart. */
  async #plan(): Promise<readonly Planned[]> {
    const { cluster, steps, faults = faultNames } = this.#options
    const planned: Planned[] = []
    const life = await Trial.begin(cluster, this.#oracles)
    try {
      for (const step of steps) {
        const from = life.cluster.snapshot()
        const inOneLife = await life.run(step)
        if (this.#fail({ step, call: 0, fault: 'none' }, inOneLife, inOneLife.problems)) return planned
        const { outcome: twin, start } = await this.#runFrom(from, step)
        const rewrittenAtRest = rewritten(from, start, this.#types(twin)).map(
          (name) => `restarted before the step, when all was at rest, it wrote ${name}`,
        )
        this.#fail({ step, call: 0, fault: 'restart' }, twin, [...rewrittenAtRest, ...this.#judge(inOneLife, twin)])
        this.#steps.push({ name: step.name, calls: twin.calls.length })
        for (const [index, request] of twin.calls.entries()) {
          for (const fault of faults)
            if (faultAt(fault, request) !== undefined) planned.push({ step, from, twin, call: index + 1, fault })
        }
      }
      return planned
    } finally {
      await life.stop()
    }
  }

  async #runFrom(
    from: Snapshot,
    step: ExploreStep,
    armed?: ArmedFault,
  ): Promise<{ readonly outcome: TrialResult; readonly start: Snapshot }> {
    const trial = await Trial.begin(this.#options.cluster, this.#oracles, from)
    try {
      return { outcome: await trial.run(step, armed), start: trial.start }
    } finally {
      await trial.stop()
    }
  }

  async #try({ step, from, twin, call, fault }: Planned): Promise<void> {
    const { outcome } = await this.#runFrom(from, step, { call, fault })
    const [expected, actual] = [lineOf(twin.calls[call - 1]), lineOf(outcome.calls[call - 1])]
    // The operator did something else than without a fault: it depends on something outside the simulation.
    const strayed =
      expected === actual
        ? []
        : [
            `call ${call} was ${actual}, and ${expected} without a fault: the operator does not do the same ` +
              'in the same situation',
          ]
    this.#fail({ step, call, fault }, outcome, [...strayed, ...this.#judge(twin, outcome)])
  }

  #judge(twin: TrialResult, outcome: TrialResult): readonly string[] {
    const types = this.#types(twin, outcome)
    const state = ({ end }: TrialResult): ReturnType<typeof stateOf> =>
      stateOf(
        end.items.map(({ object }) => object),
        { types, ignore: this.#options.ignore ?? [] },
      )
    const counted = [...outcome.counts]
      .filter(
        ([what, count]) => types.has(what.split(' ').slice(1, 3).join(' ')) && count > (twin.counts.get(what) ?? 0),
      )
      .map(([what, count]) => `${what} ${times(count)} instead of ${times(twin.counts.get(what) ?? 0)}`)
    return [...outcome.problems, ...counted, ...differences(state(twin), state(outcome))]
  }

  #types(...outcomes: readonly TrialResult[]): ReadonlySet<string> {
    const {
      cluster: { controllers = [] },
      types = [],
    } = this.#options
    const definitions = typeof controllers === 'function' ? controllers() : controllers
    const own = definitions.flatMap(({ kind, sources }) => [
      kind,
      ...sources.filter(({ type }) => type === 'owned').map((source) => source.kind),
    ])
    const compared = new Set([...types, ...own.map(kindText), ...outcomes.flatMap(({ written }) => [...written])])
    for (const type of uncertain) compared.delete(type)
    return compared
  }

  #fail(
    {
      step,
      call,
      fault,
    }: { readonly step: ExploreStep; readonly call: number; readonly fault: ExploreFailure['fault'] },
    outcome: TrialResult,
    problems: readonly string[],
  ): boolean {
    if (problems.length === 0) return false
    const calls = outcome.calls.map(lineOf)
    this.#failures.push({ id: idOf({ step, call, fault }), step: step.name, call, fault, calls, problems })
    return true
  }
}

function idOf({
  step,
  call,
  fault,
}: {
  readonly step: ExploreStep
  readonly call: number
  readonly fault: string
}): string {
  return `${step.name}/${call}/${fault}`
}

function lineOf(request: { readonly method: string; readonly path: string } | undefined): string {
  // The timeout of a watch is random.
  return request === undefined ? 'nothing' : `${request.method} ${request.path.replace(/&timeoutSeconds=\d+/, '')}`
}

/** Objects with another version, or that exist only on one side. */
function rewritten(before: Snapshot, after: Snapshot, types: ReadonlySet<string>): readonly string[] {
  const versions = new Map(before.items.map(({ key, revision }) => [key, revision]))
  const written = after.items.filter(({ key, revision }) => versions.get(key) !== revision)
  const left = new Set(after.items.map(({ key }) => key))
  return [...written, ...before.items.filter(({ key }) => !left.has(key))]
    .filter(({ object }) => types.has(kindText(object)))
    .map(({ object }) => `${kindText(object)} ${object.metadata.name ?? ''}`)
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** Up to `most` of them, evenly spread, including the first and the last. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  return Array.from(
    { length: most },
    (_, index) => all[Math.floor((index * (all.length - 1)) / Math.max(1, most - 1))] as T,
  )
}

function checkNames(steps: readonly ExploreStep[], only: string | undefined): void {
  const names = steps.map(({ name }) => name)
  const wrong = names.find((name, index) => name.includes('/') || names.indexOf(name) !== index)
  if (wrong !== undefined) throw new Error(`"${wrong}" cannot name a step: names must be unique, without slashes`)
  if (only === undefined) return
  const [name = '', call = '', fault = ''] = only.split('/')
  if (!names.includes(name) || !/^\d+$/.test(call) || !isFaultName(fault))
    throw new Error(`"${only}" is not the name of a run: give STEP/CALL/FAULT, as in a report`)
}
