/** Errors that end a manager early, or make its stop incomplete. */

/** The lease was lost: another replica works now. The program must end. */
export class LeaseLostError extends Error {
  constructor() {
    super('the lease was lost: another copy of the program takes over, and this one must end')
    this.name = 'LeaseLostError'
  }
}

/** The first lists did not complete in time. */
export class CacheSyncError extends Error {
  /** `reasons`: why, and what to do. */
  constructor(kinds: readonly string[], ms: number, reasons: readonly string[], cause: unknown) {
    const why =
      reasons.length === 0 ? 'is the server too slow? --cache-sync-timeout gives it more time' : reasons.join('; ')
    super(`no first list of ${kinds.join(', ')} within ${ms / 1000} s: ${why}`, { cause })
    this.name = 'CacheSyncError'
  }
}

/** A run or task did not stop, even after its signal was aborted. Its writes are fenced if there is a lease. */
export class StillWorkingError extends Error {
  constructor(names: readonly string[]) {
    super(
      `still at work after the grace period, though asked to stop: ${names.join(', ')}; does it look at its signal?`,
    )
    this.name = 'StillWorkingError'
  }
}
