/**
 * A limit for the work that patterns, rules and schemas of clients make, counted in steps of about 10 ns of CPU time.
 * Upstream's costs of CEL do not bound time: `size(text)` costs 1 whatever the length, and a comparison of nested lists
 * counts the outer one only. Counting instead of measuring keeps responses the same on every machine.
 *
 * The count is global because evaluation is synchronous: {@link limitSteps} starts it and ends it.
 */

/** For one validation of one object: about 100 ms. A request is not to use more than 200 ms without yielding. */
export const maxSteps = 10_000_000

/** The work exceeds {@link maxSteps}. */
export class StepLimitExceeded extends Error {
  override readonly name = 'StepLimitExceeded'

  constructor() {
    super(`validation takes more than ${maxSteps} steps`)
  }
}

let isLimited = false
let remaining = 0

/** Counts work that is about to be done, or was just done. Throws {@link StepLimitExceeded}, then at every call. */
export function takeSteps(count: number): void {
  if (!isLimited) return
  remaining -= count
  if (remaining < 0) throw new StepLimitExceeded()
}

/** Runs with a limit. Within another call, the outer limit counts. */
export function limitSteps<T>(run: () => T): T {
  if (isLimited) return run()
  isLimited = true
  remaining = maxSteps
  try {
    return run()
  } finally {
    isLimited = false
  }
}
