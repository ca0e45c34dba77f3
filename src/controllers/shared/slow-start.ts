/** Starts many writes with caution: a full quota must not refuse five hundred of them. */

export interface Started<Result> {
  readonly results: readonly Result[]
  /** Of the batch in which the first one failed. */
  readonly errors: readonly unknown[]
}

/** Slow start: one, then two, four, eight, until all are done or a batch has a failure. Never rejects. */
export async function slowStart<Item, Result>(
  items: readonly Item[],
  start: (item: Item) => Promise<Result>,
  maxBatchCount = Infinity,
): Promise<Started<Result>> {
  const results: Result[] = []
  const errors: unknown[] = []
  for (let done = 0, batch = 1; done < items.length && errors.length === 0;) {
    for (const outcome of await Promise.allSettled(items.slice(done, done + batch).map(start))) {
      if (outcome.status === 'fulfilled') results.push(outcome.value)
      else errors.push(outcome.reason)
    }
    done += batch
    batch = Math.min(2 * batch, maxBatchCount)
  }
  return { results, errors }
}
