/** The errors of external calls. */

/** A call of an external system failed. `cause` is what its implementation threw, and decides whether to retry. */
export class ExternalError extends Error {
  readonly system: string
  readonly method: string

  constructor(system: string, method: string, cause: unknown) {
    super(`${system}.${method} failed: ${reasons(cause).join(': ')}`, { cause })
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

/** How many causes of causes are named: `fetch failed` alone says nothing. */
const maxReasons = 4

function reasons(cause: unknown, depth = 1): readonly string[] {
  if (!(cause instanceof Error)) return [String(cause)]
  const { message, cause: inner } = cause
  const own = message === '' ? ((cause as { code?: string }).code ?? cause.name) : message
  return inner === undefined || depth === maxReasons ? [own] : [own, ...reasons(inner, depth + 1)]
}
