/** What a status remembers of failures, so that neither a restart nor a new version of the operator forgets it. */
import { timestamp } from 'coxswain/env'
import type { DeepReadonly } from 'coxswain/api'
import type { WebAppStatus } from '../schema/webapp.ts'
import type { Target } from './revision.ts'
import type { Assessment } from './assessment.ts'

export interface Backoff {
  /** Milliseconds before the first retry. */
  readonly baseMs: number
  /** Milliseconds at most; each retry waits twice as long as the one before. */
  readonly maxMs: number
}

type Memory = Pick<WebAppStatus, 'failedRevision' | 'nextRetryTime'>

/** After a failure: attempts are counted for as long as it is the same revision that fails. */
export function afterFailure(
  before: DeepReadonly<Memory>,
  { requested, spec }: Target,
  { reason, message }: Assessment,
  now: number,
  { baseMs, maxMs }: Backoff,
): Memory {
  const same = before.failedRevision?.digest === requested ? before.failedRevision : undefined
  const attempts = (same?.attempts ?? 0) + 1
  const delay = Math.min(maxMs, baseMs * 2 ** Math.min(attempts - 1, 30))
  return {
    failedRevision: { digest: requested, image: spec.image, at: same?.at ?? timestamp(now), reason, message, attempts },
    nextRetryTime: timestamp(now + delay),
  }
}

/** Milliseconds until the next retry; 0 or less: it is due. Without a time there is none to wait for. */
export function untilRetry({ nextRetryTime }: Pick<DeepReadonly<WebAppStatus>, 'nextRetryTime'>, now: number): number {
  return nextRetryTime === undefined ? 0 : Date.parse(nextRetryTime) - now
}

type History = NonNullable<WebAppStatus['history']>

const maxHistory = 5

/** Newest first. A revision that ends as it ended before has one entry. */
export function withHistory(before: DeepReadonly<History>, entry: History[number]): DeepReadonly<History> {
  const [last] = before
  if (last?.digest === entry.digest && last.outcome === entry.outcome) return before
  return [entry, ...before].slice(0, maxHistory)
}
