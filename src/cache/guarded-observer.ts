/** An observer that has every hook and never throws, so that an observer cannot stop a watch. */
import type { CacheObserver } from './cache.ts'

export type GuardedObserver = Required<CacheObserver>

export function guardedObserver(observer: CacheObserver = {}): GuardedObserver {
  return {
    listed: (...reported) => guard(() => observer.listed?.(...reported)),
    watchStarted: (...reported) => guard(() => observer.watchStarted?.(...reported)),
    watchEnded: (...reported) => guard(() => observer.watchEnded?.(...reported)),
    retrying: (...reported) => guard(() => observer.retrying?.(...reported)),
    handlerFailed: (...reported) => guard(() => observer.handlerFailed?.(...reported)),
    staleRead: (...reported) => guard(() => observer.staleRead?.(...reported)),
  }
}

function guard(report: () => void): void {
  try {
    report()
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}
