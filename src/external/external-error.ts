/** The errors of external calls. */
import { errorText } from '../api/error-text.ts'

/** A call of an external system failed. `cause` is what its implementation threw, and decides whether to retry. */
export class ExternalError extends Error {
  readonly system: string
  readonly method: string

  constructor(system: string, method: string, cause: unknown) {
    super(`${system}.${method} failed: ${errorText(cause)}`, { cause })
    this.name = 'ExternalError'
    this.system = system
    this.method = method
  }
}

/** A controller, a task or a webhook uses an external system that it does not declare. */
export class UndeclaredExternalError extends Error {
  constructor(system: string, who: string, remedy: string) {
    super(`${who} uses ${system} and does not declare it: ${remedy}`)
    this.name = 'UndeclaredExternalError'
  }
}

/**
 * Ends a run at an external call that is not made: its process has died, or a plan does not know the answer. The code
 * of the reconcile does not continue, so it cannot catch it.
 */
export class RunEnded extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RunEnded'
  }
}
