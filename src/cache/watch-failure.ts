/** Classifies failures of lists and watches for the reflector. The only place that checks codes and reasons. */
import {
  isBadRequest,
  isGone,
  isInvalid,
  isMethodNotSupported,
  isNotFound,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from '../api/error-reasons.ts'
import { ApiError } from '../api/status.ts'
import { TransportError } from '../client/transport.ts'

export type WatchFailure =
  /** 410: the version is no longer in the server's history. */
  | 'expired'
  /** The server has not reached this version: it is another, slower one, or was reset. */
  | 'ahead'
  /** 429 */
  | 'throttled'
  /** 404: the kind is not served, or not yet. */
  | 'missing'
  /** The server rejects the request, as one without watch-lists does. */
  | 'unsupported'
  /** No connection, or a broken one: the version may still be valid. */
  | 'cut'
  /** The server was silent for too long. */
  | 'idle'
  /** Any other response: 401, 403, 5xx. */
  | 'refused'

/** The server was silent for longer than allowed. */
export class SilentWatchError extends Error {
  constructor(ms: number) {
    super(`the server has said nothing for ${Math.round(ms / 1000)} s`)
    this.name = 'SilentWatchError'
  }
}

/** The server was rolled back, or is another one. */
export class RevisionResetError extends Error {
  constructor(reached: string, version?: string) {
    super(
      version === undefined
        ? `the server was rolled back, or is another one: it does not have the objects of version ${reached}`
        : `the server was rolled back: it is at version ${version}, after version ${reached}`,
    )
    this.name = 'RevisionResetError'
  }
}

export function watchFailureOf(error: unknown): WatchFailure {
  if (error instanceof SilentWatchError) return 'idle'
  if (error instanceof TransportError) return error.code === 'TIMEOUT' ? 'idle' : 'cut'
  if (error instanceof RevisionResetError || isTooLargeResourceVersion(error)) return 'ahead'
  if (isGone(error)) return 'expired'
  if (isTooManyRequests(error)) return 'throttled'
  if (isNotFound(error)) return 'missing'
  if (isInvalid(error) || isBadRequest(error) || isMethodNotSupported(error)) return 'unsupported'
  return error instanceof ApiError ? 'refused' : 'cut'
}

/** A server that is rolled back ends its connections, and nothing or a proxy responds until it runs again. */
export function isDoubtful(failure: WatchFailure, error: unknown): boolean {
  if (failure === 'refused') return error instanceof ApiError && error.code >= 500
  return failure === 'cut' || failure === 'idle'
}

/** The names of failures for observers. */
export const watchEndings = {
  expired: 'expired',
  ahead: 'expired',
  throttled: 'throttled',
  idle: 'idle',
  missing: 'error',
  unsupported: 'error',
  cut: 'error',
  refused: 'error',
} as const satisfies Record<WatchFailure, string>
