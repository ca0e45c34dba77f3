/** The mutants that the explorer does not find, and what it would take. */

export interface Survivor {
  readonly id: string
  /** The fault, the step or the oracle that would find it; or why nothing can. */
  readonly needs: string
}

export const survivors: readonly Survivor[] = [
  {
    id: 'webapp/progress-never-written',
    needs:
      'a counter that changes last while the phase and all conditions stay. In this scenario the last change of a ' +
      'counter changes a condition, too, and conditions are written at once with all counters',
  },
]
