/** Metrics and log lines of the caches: how many objects, how fresh, how often lists and watches restart, and why. */
import { errorText } from '../api/error-text.ts'
import type { ApiObject } from '../api/live-object.ts'
import type { Cache, CacheObserver, Informer } from '../cache/cache.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { kindName } from '../schema/kind.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { CacheSyncError } from './manager-errors.ts'
import { operatorRemedy } from './operator-remedy.ts'

export interface CacheTelemetry {
  readonly observer: CacheObserver
  /** Says which kinds have no list yet, why, and what to do. */
  syncError(cache: Cache, ms: number, error: unknown): CacheSyncError
  /** Sets the gauges, before a scrape. */
  measure(cache: Cache): void
}

export function cacheTelemetry(
  metrics: Metrics,
  log: Logger,
  controllers: readonly ControllerDefinition[],
): CacheTelemetry {
  /** The last failure of each kind since its last list. */
  const failures = new Map<string, unknown>()
  const fixOf = (error: unknown): string | undefined => operatorRemedy(error, controllers)
  const labels = ['kind'] as const
  const objects = metrics.gauge({ name: 'coxswain_cache_objects', help: 'Objects in the cache.', labels })
  const silence = metrics.gauge({
    name: 'coxswain_cache_silence_seconds',
    help: 'Time since the server last said anything about the kind.',
    labels,
  })
  const synced = metrics.gauge({ name: 'coxswain_cache_synced', help: 'Whether the first list is through.', labels })
  const lists = metrics.counter({
    name: 'coxswain_cache_lists_total',
    help: 'Full lists, first ones and again.',
    labels: ['kind', 'via', 'relist'],
  })
  const watches = metrics.counter({
    name: 'coxswain_cache_watch_ends_total',
    help: 'Watches that ended, and why.',
    labels: ['kind', 'why'],
  })
  const handlers = metrics.counter({
    name: 'coxswain_cache_handler_errors_total',
    help: 'Handlers, indexes and transforms that threw.',
    labels,
  })
  const stale = metrics.counter({
    name: 'coxswain_cache_stale_reads_total',
    help: 'Reads that waited for an own write.',
    labels: ['kind', 'timed_out'],
  })
  return {
    observer: {
      listed(kind, { relist, via, objectCount: count, durationMs }) {
        failures.delete(kindName(kind))
        lists.inc({ kind: kindName(kind), via, relist: String(relist) })
        log.info(relist ? 'listed again' : 'listed', { kind: kindName(kind), objects: count, ms: durationMs, via })
      },
      watchEnded(kind, why, error) {
        watches.inc({ kind: kindName(kind), why })
        log.debug('watch ended', { kind: kindName(kind), why, error })
      },
      retrying(kind, { doing, error, afterMs, isMissing }) {
        const message = isMissing ? 'the server does not serve the kind (yet)' : `cannot ${doing}; trying again`
        failures.set(kindName(kind), error)
        const fix = fixOf(error)
        log.warn(message, {
          kind: kindName(kind),
          error,
          afterMs: Math.round(afterMs),
          ...(fix === undefined ? {} : { fix }),
        })
      },
      handlerFailed(kind, error) {
        handlers.inc({ kind: kindName(kind) })
        log.error('a handler threw', { kind: kindName(kind), error })
      },
      staleRead: (kind, _waited, timedOut) => stale.inc({ kind: kindName(kind), timed_out: String(timedOut) }),
    },
    syncError(cache, ms, error) {
      const kinds = cache.informers.filter(({ synced: isSynced }) => !isSynced).map(({ kind }) => kindName(kind))
      const known = kinds.flatMap((kind) => (failures.has(kind) ? [failures.get(kind)] : []))
      const reasons = new Set(known.map((failure) => fixOf(failure) ?? errorText(failure)))
      return new CacheSyncError(kinds, ms, [...reasons], known[0] ?? error)
    },
    measure(cache) {
      for (const informer of cache.informers) measureInformer(informer)
    },
  }

  function measureInformer(informer: Informer<ApiObject>): void {
    const kind = kindName(informer.kind)
    objects.set({ kind }, informer.lister.size)
    silence.set({ kind }, informer.silenceMs / 1000)
    synced.set({ kind }, informer.synced ? 1 : 0)
  }
}
