/** Compares a run that had faults with its twin, the run of the same step that had none. */
import type { Snapshot } from '../cluster/embedded-handle.ts'
import { kindText, type OperatorView } from './changes.ts'
import { differences, stateOf } from './state.ts'
import type { TrialResult } from './trial.ts'

/** Events may get lost, leases depend on the process, and addresses are allocated at random. */
const uncertain = [
  'v1 Event',
  'events.k8s.io/v1 Event',
  'coordination.k8s.io/v1 Lease',
  'networking.k8s.io/v1 IPAddress',
]

export interface JudgeOptions {
  readonly operator: OperatorView
  /** Types to compare besides those of the operator, for example `apps/v1 ReplicaSet`. */
  readonly types: readonly string[]
  /** Fields that may differ, as for `stateOf`. */
  readonly ignore: readonly string[]
}

export class Judge {
  readonly #options: JudgeOptions

  constructor(options: JudgeOptions) {
    this.#options = options
  }

  /** What is wrong with the run, in lines. `mayRepeat`: objects may be created and deleted more often. */
  problems(twin: TrialResult, outcome: TrialResult, mayRepeat = false): readonly string[] {
    return [...this.problemsOfItself(twin, outcome), ...this.differences(twin, outcome, mayRepeat)]
  }

  /** What came of the two runs that should be the same. */
  differences(twin: TrialResult, outcome: TrialResult, mayRepeat = false): readonly string[] {
    const types = this.types(twin, outcome)
    const state = ({ end }: TrialResult): ReturnType<typeof stateOf> =>
      stateOf(
        end.items.map(({ object }) => object),
        { types, ignore: this.#options.ignore, externals: end.externals },
      )
    // A run that ended where it joined its twin has the end of the twin.
    const isSameEnd = twin.end === outcome.end
    return [
      ...(mayRepeat ? [] : moreOften(twin, outcome, types)),
      ...(isSameEnd ? [] : differences(state(twin), state(outcome))),
    ]
  }

  /** What is wrong with the run, whatever its end should be. */
  problemsOfItself(twin: TrialResult, outcome: TrialResult): readonly string[] {
    return [...outcome.problems, ...tooBusy(twin, outcome)]
  }

  /** The types to compare: `apps/v1 Deployment`. */
  types(...outcomes: readonly TrialResult[]): ReadonlySet<string> {
    const { operator, types } = this.#options
    const own = [...operator.kinds, ...operator.owned].map(kindText)
    const compared = new Set([...types, ...own, ...outcomes.flatMap(({ written }) => [...written])])
    for (const type of uncertain) compared.delete(type)
    return compared
  }
}

/** Objects with another version, or that exist only on one side. */
export function rewritten(before: Snapshot, after: Snapshot, types: ReadonlySet<string>): readonly string[] {
  const versions = new Map(before.items.map(({ key, revision }) => [key, revision]))
  const written = after.items.filter(({ key, revision }) => versions.get(key) !== revision)
  const left = new Set(after.items.map(({ key }) => key))
  return [...written, ...before.items.filter(({ key }) => !left.has(key))]
    .filter(({ object }) => types.has(kindText(object)))
    .map(({ object }) => `${kindText(object)} ${object.metadata.name ?? ''}`)
}

/** Objects that were created or deleted more often than by the twin. */
function moreOften(twin: TrialResult, outcome: TrialResult, types: ReadonlySet<string>): readonly string[] {
  const isCompared = (what: string): boolean => types.has(what.split(' ').slice(1, 3).join(' '))
  return [...outcome.counts]
    .filter(([what, count]) => isCompared(what) && count > (twin.counts.get(what) ?? 0))
    .map(([what, count]) => `${what} ${times(count)} instead of ${times(twin.counts.get(what) ?? 0)}`)
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** A fault costs a few calls more: a relist, a retry. It must not cost many times as much. */
export function tooBusy(twin: TrialResult, outcome: TrialResult): readonly string[] {
  const most = (usual: number): number => 10 * usual + 100
  const lines: string[] = []
  if (outcome.calls.length > most(twin.calls.length))
    lines.push(`${outcome.calls.length} calls instead of ${twin.calls.length}: a hot loop`)
  if (outcome.reconciles > most(twin.reconciles))
    lines.push(`${outcome.reconciles} reconciles instead of ${twin.reconciles}: a hot loop`)
  return lines
}
