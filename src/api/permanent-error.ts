/** The error that is not retried. */

/** A retry cannot succeed until the object, or something it depends on, changes. */
export class PermanentError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PermanentError'
  }
}
