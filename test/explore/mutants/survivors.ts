/** The mutants that the explorer does not find, and what it would take. */

export interface Survivor {
  readonly id: string
  /** The fault, the step or the oracle that would find it; or why nothing can. */
  readonly needs: string
}

export const survivors: readonly Survivor[] = [
  { id: 'runtime/not-fenced', needs: 'two instances with a lease' },
  { id: 'runtime/leader-until-told', needs: 'two instances with a lease, and a pause beyond it' },
  { id: 'runtime/lost-lease-taken-back', needs: 'two instances with a lease, and a pause beyond it' },
]
