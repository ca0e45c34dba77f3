/** Helpers for writes that race with other writers: RetryOnConflict and create-or-get. */
import { isAlreadyExists, isConflict, isNotFound } from '../api/error-reasons.ts'
import { keyOf, type ApiObject, type Live } from '../api/live-object.ts'
import type { Env } from '../env/env.ts'
import type { Kind } from '../schema/kind.ts'
import type { Client, WriteOptions } from './client.ts'
import { sleep } from './deadline.ts'

export interface ConflictRetryOptions {
  /** The maximum of attempts. Default 5. */
  readonly maxTries?: number | undefined
  /** Milliseconds before the second attempt. Default 10. */
  readonly delayMs?: number | undefined
  /** The factor by which each delay grows. Default 1. */
  readonly factor?: number | undefined
  /** The largest random share that is added to a delay. Default 0.1. */
  readonly jitter?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs `attempt`, and again if it rejects with a conflict: client-go's RetryOnConflict with its defaults. The attempt
 * must read the object again each time. Rejects with the last conflict, or at once with any other error.
 */
export async function retryOnConflict<T>(
  env: Env,
  attempt: () => Promise<T>,
  options: ConflictRetryOptions = {},
): Promise<T> {
  const { maxTries = 5, factor = 1, jitter = 0.1, signal } = options
  let { delayMs = 10 } = options
  for (let step = 1; ; step++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isConflict(error) || step >= maxTries) throw error
    }
    await sleep(env, delayMs * (1 + env.random() * jitter), signal)
    delayMs *= factor
  }
}

/** How often an object may be deleted between our create and our read before this fails. */
const maxRaces = 5

/** Creates the object, or returns the existing one of that name. */
export async function createOrGet<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  object: T,
  options: WriteOptions = {},
): Promise<{ readonly object: Live<T>; readonly created: boolean }> {
  for (let race = 1; ; race++) {
    try {
      return { object: await client.create(kind, object, options), created: true }
    } catch (error) {
      if (!isAlreadyExists(error) || object.metadata.name === undefined) throw error
    }
    try {
      const { signal, timeoutMs } = options
      return { object: await client.get(kind, keyOf(object), { signal, timeoutMs }), created: false }
    } catch (error) {
      if (!isNotFound(error) || race >= maxRaces) throw error
    }
  }
}
