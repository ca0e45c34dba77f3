/** Work in steps: a generator that yields where its caller may interrupt it. */

/** The result of all steps at once. */
export function completed<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
