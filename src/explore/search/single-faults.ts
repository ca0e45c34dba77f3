/** Every fault at every call and every event of a watch of the runs without faults, one at a time. */
import { inLeaps, inTurns, spread } from './order.ts'
import type { FaultTable } from './possible-faults.ts'
import { ownShare, type Part } from './part.ts'
import type { KnownStep, PlannedRun } from './runs.ts'

export class SingleFaults {
  /** How many there are, in this part of the exploration. */
  readonly total: number
  /** How many `schedules` gives. */
  readonly chosen: number
  readonly #planned: readonly PlannedRun[]

  constructor(known: readonly KnownStep[], table: FaultTable, part: Part, atMost = Infinity) {
    const all = known.flatMap((each) =>
      table.after(each, [], each.twin).flatMap((faults) => faults.map((fault) => ({ ...each, faults: [fault] }))),
    )
    const own = all.filter((_, index) => index % part.of === part.index)
    this.total = own.length
    this.#planned = spread(own, ownShare(atMost, part))
    this.chosen = this.#planned.length
  }

  /** `takeTurns`: the steps take turns, and near points do not follow each other. */
  schedules(takeTurns: boolean): Iterable<PlannedRun> {
    if (!takeTurns) return this.#planned
    const steps = [...new Set(this.#planned.map(({ step }) => step))]
    return inTurns(steps.map((step) => inLeaps(this.#planned.filter((each) => each.step === step)).values()))
  }
}
