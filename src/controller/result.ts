/** The results of a reconcile. Failures are not among them: a reconcile throws to fail. */

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

/** Throws for any other value: as "done" it would be lost, as "at once" it would loop. */
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
