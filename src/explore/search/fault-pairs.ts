/**
 * Pairs of faults in one run. The second one happens at a call or an event of the run that had only the first: after a
 * fault the operator retries, or another process starts.
 *
 * Guarantees: pairs are made one by one, in an order that covers evenly. All steps and all pairs of kinds take turns;
 * near points come first, since faults interact most within a few calls.
 *
 * Two kinds of pairs are left out. A fault that fails alone would fail in each of its pairs. Two first faults at one
 * call with the same calls and states at the same times afterwards, such as an error and a lost call, differ in nothing
 * that a second fault could meet: only one of them is extended.
 */
import { hasEdit, type FaultName } from '../faults.ts'
import { callAt } from '../point.ts'
import type { InjectedFault } from '../schedule.ts'
import { Hash } from './hash.ts'
import { inLeaps, inTurns } from './order.ts'
import { pointsAfter, type FaultTable, type PossibleFaults } from './possible-faults.ts'
import { knownStep, type KnownStep, type PlannedRun, type TriedRun } from './runs.ts'

/** A run with one fault. */
interface First {
  readonly known: KnownStep
  readonly fault: InjectedFault
  readonly later: PossibleFaults
}

export class FaultPairs {
  /** How many pairs there are, without those that are left out. */
  total = 0
  /** How many pairs are left out, since another one is equal. */
  equal = 0
  /** How many faults fail alone. */
  failing = 0
  readonly #table: FaultTable
  readonly #firsts: First[] = []
  readonly #courses = new Set<string>()

  constructor(table: FaultTable) {
    this.#table = table
  }

  /** Tells of a run, which is extended if it had one fault. */
  learn(run: TriedRun): void {
    const { faults, outcome, problems } = run
    const [fault] = faults
    if (fault === undefined || faults.length > 1) return
    if (problems.length > 0) {
      this.failing++
      return
    }
    const later = this.#table.after(run, faults, outcome)
    const pairs = later.reduce((sum, { length }) => sum + length, 0)
    const course = courseOf(run)
    if (this.#courses.has(course)) {
      this.equal += pairs
      return
    }
    this.#courses.add(course)
    this.#firsts.push({ known: knownStep(run), fault, later })
    this.total += pairs
  }

  /** All pairs that follow from the runs so far. */
  schedules(): Iterable<PlannedRun> {
    const groups = new Map<string, First[]>()
    for (const first of this.#firsts) {
      const key = `${first.known.step.name}/${first.fault.fault}`
      groups.set(key, [...(groups.get(key) ?? []), first])
    }
    const kinds = [...groups.values()].flatMap((firsts) =>
      this.#table.names.map((kind) => pairsOf(inLeaps(firsts), kind)),
    )
    return inTurns(inLeaps(kinds))
  }
}

/** The pairs with a second fault of this kind, near ones first. */
function* pairsOf(firsts: readonly First[], second: FaultName): Generator<PlannedRun> {
  const farthest = Math.max(0, ...firsts.map(({ later }) => later.length))
  for (let distance = 0; distance < farthest; distance++) {
    for (const { known, fault, later } of firsts) {
      const next = later[distance]?.find((each) => each.fault === second)
      if (next !== undefined) yield { ...known, faults: [fault, next] }
    }
  }
}

/** Equal for runs of a step that went on in the same way, at the same times, after a fault at the same point. */
function courseOf({ step, faults, outcome, states }: TriedRun): string {
  const hash = new Hash()
  const later = pointsAfter(faults, outcome)
  hash.add(`${step.name} ${outcome.points.length - later.length} ${faults.some(({ fault }) => hasEdit(fault))}`)
  for (const point of later) {
    const call = outcome.calls[(callAt(point) ?? 0) - 1]
    hash.add(call === undefined ? point : `${call.method} ${call.path} ${JSON.stringify(call.body)}`)
  }
  for (const { id, atMs } of states) hash.add(`${atMs} ${id}`)
  return hash.text
}
