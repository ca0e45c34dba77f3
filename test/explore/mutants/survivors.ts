/** The mutants that the explorer does not find, and what it would take. */

export interface Survivor {
  readonly id: string
  /** The fault, the step or the oracle that would find it; or why nothing can. */
  readonly needs: string
}

export const survivors: readonly Survivor[] = []
