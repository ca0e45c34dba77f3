/** The health checks of every manager: caches, watches, queues, the lease and the event loop. */
import { kindName } from '../schema/kind.ts'
import type { EventLoopLag } from './event-loop-lag.ts'
import type { Manager } from './manager.ts'

/** A longer block of the event loop would prevent renewals of the lease. */
const maxLagMs = 5_000
/** Servers send bookmarks every minute and end watches after ten: longer silence means a dead connection. */
const maxSilenceMs = 11 * 60_000
/** A cache without a watch for longer is stale. */
const maxBreakMs = 60_000
/** For this long keys were ready, none was being reconciled, and none was taken. */
const maxStandstillMs = 5 * 60_000

export function addStandardChecks(manager: Manager, lag: EventLoopLag): void {
  const { healthz, readyz, env } = manager
  healthz.add('ping', () => undefined)
  healthz.add('event-loop', () => (lag.ms > maxLagMs ? `blocked for ${lag.ms} ms` : undefined))
  healthz.add('lease', () => (manager.leadership.isLate ? 'held, but not renewed in time' : undefined))

  readyz.add('started', () => (manager.state === 'standby' || manager.state === 'working' ? undefined : manager.state))
  readyz.add('caches', () =>
    list(
      'not synced',
      manager.cache.informers.filter(({ synced }) => !synced).map(({ kind }) => kindName(kind)),
    ),
  )
  readyz.add('watches', () =>
    list(
      'no news',
      manager.cache.informers
        .filter(
          ({ synced, state, silenceMs }) => synced && silenceMs > (state === 'watching' ? maxSilenceMs : maxBreakMs),
        )
        .map(({ kind, state, silenceMs }) => `${kindName(kind)} (${state}, for ${Math.round(silenceMs / 1000)} s)`),
    ),
  )
  const standing = new Map<string, number>()
  readyz.add('queues', () =>
    list(
      'standing still',
      manager.controllers
        .filter(({ name, queue, idle }) => {
          const stands = manager.state === 'working' && !idle && queue.processingCount === 0
          if (!stands) standing.delete(name)
          else if (!standing.has(name)) standing.set(name, env.monotonic())
          return env.monotonic() - (standing.get(name) ?? env.monotonic()) > maxStandstillMs
        })
        .map(({ name }) => name),
    ),
  )
}

function list(problem: string, names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `${problem}: ${names.join(', ')}`
}
