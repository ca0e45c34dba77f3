/** An observer that has every hook and never throws: what only listens cannot stop a watch. */
import type { CacheObserver } from './cache.ts'

export type GuardedObserver = Required<CacheObserver>

export function guardedObserver(observer: CacheObserver = {}): GuardedObserver {
  return {
    listed: (...told) => guard(() => observer.listed?.(...told)),
    watchStarted: (...told) => guard(() => observer.watchStarted?.(...told)),
    watchEnded: (...told) => guard(() => observer.watchEnded?.(...told)),
    retrying: (...told) => guard(() => observer.retrying?.(...told)),
    handlerFailed: (...told) => guard(() => observer.handlerFailed?.(...told)),
    staleRead: (...told) => guard(() => observer.staleRead?.(...told)),
  }
}

function guard(tell: () => void): void {
  try {
    tell()
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}
