/** What a reconcile may say at its end. Failing is not among it: that is what throwing is for. */

/** Requeue after this many milliseconds, unless a trigger comes first. */
export interface Requeue {
  readonly requeueAfterMs: number
}

/**
 * Nothing, which means done until the next event, or {@link requeueAfter}. A delay cannot be combined with an error.
 */
export type ReconcileResult = Requeue | void

export function requeueAfter(ms: number): Requeue {
  if (isDelay(ms)) return { requeueAfterMs: ms }
  throw new RangeError(
    `requeueAfter(${String(ms)}): give a number of milliseconds above 0; return nothing when there is ` +
      'nothing to wait for',
  )
}

/**
 * Throws for anything else than the two results there are: taken for "done", it would be lost; taken for "at once", it
 * would spin.
 */
export function checkedResult(value: unknown): Requeue | undefined {
  if (value === undefined) return undefined
  const { requeueAfterMs: ms, ...rest } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Requeue>
  if (isDelay(ms) && Object.keys(rest).length === 0) return { requeueAfterMs: ms }
  throw new TypeError(
    `a reconcile returned ${JSON.stringify(value) ?? String(value)}: return nothing, or requeueAfter(milliseconds)`,
  )
}

function isDelay(ms: unknown): ms is number {
  return typeof ms === 'number' && ms > 0 && ms < Infinity
}
