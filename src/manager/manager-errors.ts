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
  constructor(kinds: readonly string[], ms: number, cause: unknown) {
    super(
      `no first list of ${kinds.join(', ')} within ${ms / 1000} s: does the server serve it (is its CRD ` +
        'there), and may this account list and watch it?',
      { cause },
    )
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
