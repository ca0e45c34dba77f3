/** Rate limiters: how long a key waits after failures. One function per policy, and two that combine limiters. */
import type { Env } from '../env/env.ts'
import type { RateLimiter } from './queue.ts'

export interface ExponentialOptions {
  /** Milliseconds after the first failure. Default 5. */
  readonly baseMs?: number | undefined
  /** The maximum, in milliseconds. Default 1000 s. */
  readonly maxMs?: number | undefined
  /**
   * The share by which each wait is randomized in both directions, so that keys that failed together are not retried
   * together. Default 0.2.
   */
  readonly jitter?: number | undefined
}

/**
 * Per key: the base, doubled with each failure. The exponent rises at most once in a backoff window: a key that fails
 * again because an event ran it early waits out the rest of its window, rather than being pushed to the maximum by a
 * burst of events.
 */
export function exponentialLimiter(env: Env, options: ExponentialOptions = {}): RateLimiter {
  const { baseMs = 5, maxMs = 1_000_000, jitter = 0.2 } = options
  const failures = new Map<string, { count: number; untilMs: number }>()
  return {
    when(key) {
      const now = env.monotonic()
      const before = failures.get(key)
      if (before !== undefined && now < before.untilMs) return before.untilMs - now
      const count = before?.count ?? 0
      const wait = Math.min(baseMs * 2 ** count, maxMs) * (1 + jitter * (2 * env.random() - 1))
      failures.set(key, { count: count + 1, untilMs: now + wait })
      return wait
    },
    forget: (key) => void failures.delete(key),
    retries: (key) => failures.get(key)?.count ?? 0,
  }
}

/** `fast` milliseconds for the first `attempts` failures of a key, `slow` from then on. */
export function fastSlowLimiter(fastMs: number, slowMs: number, attempts: number): RateLimiter {
  const failures = new Map<string, number>()
  return {
    when(key) {
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      return count <= attempts ? fastMs : slowMs
    },
    forget: (key) => void failures.delete(key),
    retries: (key) => failures.get(key) ?? 0,
  }
}

/** For all keys together: `burst` at once, then `qps` per second. */
export function bucketLimiter(env: Env, { qps, burst }: { readonly qps: number; readonly burst: number }): RateLimiter {
  let tokens = burst
  let at = env.monotonic()
  return {
    when() {
      const now = env.monotonic()
      tokens = Math.min(burst, tokens + ((now - at) * qps) / 1000)
      at = now
      tokens -= 1
      return tokens >= 0 ? 0 : (-tokens * 1000) / qps
    },
    forget: () => undefined,
    retries: () => 0,
  }
}

/** The longest wait of these limiters. */
export function maxOfLimiters(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (key) => Math.max(0, ...limiters.map((limiter) => limiter.when(key))),
    forget: (key) => limiters.forEach((limiter) => limiter.forget(key)),
    retries: (key) => Math.max(0, ...limiters.map((limiter) => limiter.retries(key))),
  }
}

/** The wait of another limiter, at most `maxMs` milliseconds. */
export function limiterWithMaxWait(limiter: RateLimiter, maxMs: number): RateLimiter {
  return {
    when: (key) => Math.min(limiter.when(key), maxMs),
    forget: (key) => limiter.forget(key),
    retries: (key) => limiter.retries(key),
  }
}
