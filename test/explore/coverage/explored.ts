/** What the explorations of a test, or of all tests, covered. */
export interface Explored {
  readonly explorations: number
  /** Runs with faults. */
  readonly schedules: number
  /** Those with one fault, and how many there are. */
  readonly singles: Covered
  /** On the spec of a kind. */
  readonly operations: Covered
  /** Real milliseconds. */
  readonly took: number
}

interface Covered {
  readonly tried: number
  readonly total: number
}

declare module 'vitest' {
  interface TaskMeta {
    explored?: Explored
  }
}

export function addExplored(a: Explored | undefined, b: Explored): Explored {
  if (a === undefined) return b
  const sum = (one: Covered, other: Covered): Covered => ({
    tried: one.tried + other.tried,
    total: one.total + other.total,
  })
  return {
    explorations: a.explorations + b.explorations,
    schedules: a.schedules + b.schedules,
    singles: sum(a.singles, b.singles),
    operations: sum(a.operations, b.operations),
    took: a.took + b.took,
  }
}

/** A line for people. */
export function exploredText({ explorations, schedules, singles, operations, took }: Explored): string {
  const covered = ({ tried, total }: Covered): string =>
    `${tried.toLocaleString('en')} of ${total.toLocaleString('en')}`
  return (
    `${explorations} explorations, ${schedules.toLocaleString('en')} schedules in ${(took / 1000).toFixed(1)} s: ` +
    `${covered(singles)} single faults, ${covered(operations)} operations on specs`
  )
}
