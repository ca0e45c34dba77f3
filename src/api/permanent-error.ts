/** The error that says: do not try again. */

/** Trying again changes nothing until the object or what it depends on changes. */
export class PermanentError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PermanentError'
  }
}
