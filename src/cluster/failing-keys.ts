/** The keys of an operator whose last run failed and that wait for their retry. */
import type { EndedRun } from '../controller/run-result.ts'
import { messageOf } from '../controller/errors.ts'
import { placeLines } from '../telemetry/error-place.ts'
import { userFrameOf } from '../telemetry/user-frame.ts'

/** A key that keeps failing. */
export interface FailingKey {
  readonly controller: string
  /** `App default/web` */
  readonly object: string
  /** Failed runs in a row. */
  readonly failures: number
  /** What the last run threw. */
  readonly error: unknown
  /** The line of the user's code that threw it: `src/operator.ts:12:5`. Undefined if the stack names none. */
  readonly at: string | undefined
}

/** A key that failed more often in a row is not waited for. */
const maxAwaitedCount = 5

export class FailingKeys {
  #retries = 0
  readonly #failed = new Map<string, EndedRun & { readonly result: { readonly error: unknown } }>()

  /** The number of runs that lost a race, or had not failed often yet: their retries may change something. */
  get retries(): number {
    return this.#retries
  }

  /** A terminal error is not retried, and a lost race is no failure: neither counts. */
  note(run: EndedRun): void {
    const id = `${run.controller} ${run.key}`
    const { result } = run
    const hasFailed = result.type === 'retryable' || result.type === 'bug'
    const isAwaited = hasFailed
      ? run.failures <= maxAwaitedCount
      : result.type === 'conflict' || result.type === 'stale'
    if (isAwaited) this.#retries++
    if (hasFailed) this.#failed.set(id, { ...run, result })
    else this.#failed.delete(id)
  }

  get list(): readonly FailingKey[] {
    return [...this.#failed.values()].map(({ controller, kind, key, failures, result: { error } }) => ({
      controller,
      object: `${kind} ${key}`,
      failures,
      error,
      at: userFrameOf(error),
    }))
  }
}

/** The maximum of keys that a text names. */
const shown = 5

/** Several lines: who fails, how often, why and where. `withCode`: and the code there. */
export function failingText(keys: readonly FailingKey[], { withCode = false } = {}): string {
  const lines = keys.slice(0, shown).map(({ controller, object, failures, error, at }) => {
    const what = `${error instanceof Error ? `${error.name}: ` : ''}${messageOf(error)}`
    const times = failures === 1 ? 'once' : `${failures} times in a row`
    const placed = withCode ? placeLines(error) : at === undefined ? [] : [`at ${at}`]
    const place = placed.map((line) => `\n    ${line}`).join('')
    return `  ${object}, controller ${controller}: failed ${times}, the last time with ${what}${place}`
  })
  const more = keys.length > shown ? [`  and ${keys.length - shown} more`] : []
  const count = keys.length === 1 ? 'a key keeps failing' : `${keys.length} keys keep failing`
  return [`${count}, and everything else is at rest:`, ...lines, ...more].join('\n')
}
