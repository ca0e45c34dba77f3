/** Profiles on demand: CPU profiles and heap snapshots, for Chrome's developer tools. */
import type { Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import type { RouteResponse } from './http-server.ts'

const maxSeconds = 300
let isProfiling = false

/**
 * A CPU profile of `seconds` (default 30). Ends early if the signal aborts. One at a time, since the profiler belongs
 * to the process.
 */
export async function cpuProfile(env: Env, seconds: string | null, signal: AbortSignal): Promise<RouteResponse> {
  const time = Number(seconds ?? 30)
  if (!(time > 0 && time <= maxSeconds))
    return { status: 400, body: `seconds must be above 0 and at most ${maxSeconds}\n` }
  if (isProfiling) return { status: 409, body: 'a profile is being taken already\n' }
  isProfiling = true
  const { Session } = await import('node:inspector/promises')
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await pause(env, time * 1000, signal)
    const { profile } = await session.post('Profiler.stop')
    return { status: 200, body: JSON.stringify(profile), contentType: 'application/json' }
  } finally {
    session.disconnect()
    isProfiling = false
  }
}

/** Blocks the program while it walks the heap. */
export async function heapSnapshot(): Promise<RouteResponse> {
  const { getHeapSnapshot } = await import('node:v8')
  return { status: 200, body: getHeapSnapshot(), contentType: 'application/json' }
}
