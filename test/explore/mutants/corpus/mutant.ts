/** The form of a mutant: one small replacement of text, as a person could have written it by mistake. */

export type MistakeClass =
  | 'adoption'
  | 'apply'
  | 'backoff'
  | 'cache'
  | 'conditions'
  | 'deletion'
  | 'drift'
  | 'fencing'
  | 'finalizer'
  | 'idempotency'
  | 'ignored field'
  | 'lost requeue'
  | 'lost wake-up'
  | 'own writes'
  | 'owner'
  | 'queue'
  | 'retry'
  | 'state machine'
  | 'status'
  | 'swallowed error'
  | 'timeout'
  | 'unguarded write'
  | 'watch'
  | 'write loop'

export interface Mutant {
  /** `webapp/…` is a mistake in the operator, `runtime/…` one in the runtime. */
  readonly id: string
  readonly class: MistakeClass
  /** Relative to the root of the repository. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The mistake, and why a user would suffer. */
  readonly why: string
}
