/** The outcomes of a step. Failures are not among them: a step throws to fail. */

/** Continues with the next step. Returning nothing means the same. */
export interface Next {
  readonly type: 'next'
}

/** Ends the whole flow: nothing is left to do until something changes. */
export interface Done {
  readonly type: 'done'
  readonly why?: string | undefined
}

/** Ends the whole flow for now: it runs again after `ms` milliseconds, or earlier if something changes. */
export interface Wait {
  readonly type: 'wait'
  readonly ms: number
  readonly why: string
}

/** Goes to another phase; only within a {@link machine}. */
export interface Goto<Phase extends string> {
  readonly type: 'goto'
  readonly phase: Phase
  readonly why: string
}

/** `Phase`: the phases that the step may go to; none outside of a machine. */
export type Outcome<Phase extends string = never> = Next | Done | Wait | Goto<Phase>

/** The return type of a step's function. */
export type StepResult<Phase extends string = never> = Outcome<Phase> | void

const goesOn: Next = Object.freeze({ type: 'next' })

export function next(): Next {
  return goesOn
}

export function done(why?: string): Done {
  return { type: 'done', why }
}

export function wait(ms: number, why: string): Wait {
  if (ms > 0 && ms < Infinity) return { type: 'wait', ms, why }
  throw new RangeError(
    `wait(${String(ms)}): give a number of milliseconds above 0; return done() when there is nothing to wait for`,
  )
}

export function goto<const Phase extends string>(phase: Phase, why: string): Goto<Phase> {
  return { type: 'goto', phase, why }
}

const types: ReadonlySet<unknown> = new Set<Outcome<string>['type']>(['next', 'done', 'wait', 'goto'])

/** Throws for a value that is not an outcome, which would be lost otherwise. */
export function checkedOutcome<Phase extends string>(step: string, value: StepResult<Phase>): Outcome<Phase> {
  if (value === undefined) return goesOn
  if (typeof value === 'object' && value !== null && types.has(value.type)) return value
  throw new TypeError(
    `the step ${step} returned ${JSON.stringify(value)}: return nothing, or next(), done(), wait() or goto()`,
  )
}
