/**
 * The routes of a manager's ports: probes and metrics for machines; log level, queues and profiles for administrators.
 */
import { keyText } from '../api/live-object.ts'
import { formatTraces } from '../flow/trace-file.ts'
import type { TraceRing } from '../flow/trace-ring.ts'
import type { Trace } from '../flow/trace.ts'
import type { LeveledLogger } from '../telemetry/log-writer.ts'
import type { LogLevel } from '../telemetry/logger.ts'
import { metricsContentType } from '../telemetry/metrics.ts'
import { debugPage } from './debug-page.ts'
import type { Probes } from './health.ts'
import type { Route, RouteResponse } from './http-server.ts'
import type { Manager } from './manager.ts'
import { cpuProfile, heapSnapshot } from './profiles.ts'

type Routes = Readonly<Record<string, Route>>

export function metricsRoutes({ metrics }: Manager): Routes {
  return { '/metrics': () => ({ status: 200, body: metrics.text(), contentType: metricsContentType }) }
}

export function probeRoutes({ healthz, readyz }: Manager): Routes {
  return { ...routesOf('healthz', healthz), ...routesOf('readyz', readyz) }
}

/** `/healthz`, and `/healthz/NAME` for one check. */
function routesOf(endpoint: string, probes: Probes): Routes {
  const exclude = (query: URLSearchParams): string[] => query.getAll('exclude').flatMap((names) => names.split(','))
  return {
    [`/${endpoint}`]: ({ query }) =>
      probes.answer(endpoint, { verbose: query.has('verbose'), exclude: exclude(query) }),
    [`/${endpoint}/`]: ({ rest, query }) =>
      probes.answer(
        endpoint,
        rest === '' ? { verbose: query.has('verbose'), exclude: exclude(query) } : { name: rest },
      ),
  }
}

export function debugRoutes(manager: Manager, log: LeveledLogger, traces?: TraceRing): Routes {
  return {
    '/debug/queues': () => ({ status: 200, body: debugPage(manager) }),
    '/debug/traces': ({ query }) => tracesPage(traces?.traces ?? [], query.get('key')),
    '/debug/loglevel': ({ method, body }) =>
      method === 'PUT' ? setLevel(log, body.trim()) : { status: 200, body: `${log.level}\n` },
    '/debug/profile': ({ query, signal }) => cpuProfile(manager.env, query.get('seconds'), signal),
    '/debug/heap': () => heapSnapshot(),
  }
}

/** For `parseTraces`. `key`: only traces of this object. */
function tracesPage(traces: readonly Trace[], key: string | null): RouteResponse {
  const wanted =
    key === null ? traces : traces.filter(({ namespace, name = '' }) => keyText({ namespace, name }) === key)
  return { status: 200, body: formatTraces(wanted), contentType: 'application/jsonl' }
}

function setLevel(log: LeveledLogger, level: string): { readonly status: number; readonly body: string } {
  try {
    log.level = level as LogLevel
  } catch (error) {
    return { status: 400, body: `${(error as Error).message}\n` }
  }
  return { status: 200, body: `${log.level}\n` }
}
