/** What a failed list or watch means for the reflector. The one place that looks at codes and reasons. */
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
  /** The server has not come so far yet: another, slower one, or one that was set back. */
  | 'ahead'
  /** 429 */
  | 'throttled'
  /** 404: the kind is not served, or not yet. */
  | 'missing'
  /** The server understood and will not, as one without watch-lists. */
  | 'unsupported'
  /** No connection, or one that broke: nothing is known to be wrong with the version. */
  | 'cut'
  /** The server said nothing for too long. */
  | 'idle'
  /** Any other answer: 401, 403, 5xx. */
  | 'refused'

/** Nothing came for longer than the server may be silent. */
export class SilentWatchError extends Error {
  constructor(ms: number) {
    super(`the server has said nothing for ${Math.round(ms / 1000)} s`)
    this.name = 'SilentWatchError'
  }
}

/** The server's versions are lower than what it has told before: it was set back, or is another one. */
export class RevisionResetError extends Error {
  constructor(reached: string, version: string) {
    super(`the server was set back: it is at version ${version}, after version ${reached}`)
    this.name = 'SetBackError'
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
