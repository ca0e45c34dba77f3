/** The embedded control plane as the target of a replay: over HTTP on a free port, or in process. */
import { cloneJson, deepFreeze } from '../../src/api/json.ts'
import type { Json } from '../../src/api/json.ts'
import { createControlPlane } from '../../src/controlplane/index.ts'
import { ApiError } from '../../src/api/status.ts'
import type { ControlPlane, InProcessResponse } from '../../src/controlplane/index.ts'
import type { UserInfo } from '../../src/controlplane/contract/resource.ts'
import { simulatedEnv } from '../../src/env/simulated.ts'
import type { SimulatedEnv } from '../../src/env/simulated.ts'
import { httpTarget } from './http-target.ts'
import type { LiveRequest, Stream, Target } from './target.ts'

/** The users of the recording, by token. */
const tokens = [
  { token: 'admintoken', user: { name: 'admin', uid: 'admin', groups: ['system:masters'] } },
  { token: 'alicetoken', user: { name: 'alice', uid: 'alice', groups: [] } },
]

export interface ClockedPlane {
  readonly clock: SimulatedEnv
  readonly plane: ControlPlane
}

/** `time`: the start of its clock, in milliseconds since the epoch. */
export function startPlane(time: number, runtimeConfig: readonly string[] = []): ClockedPlane {
  const clock = simulatedEnv({ start: time })
  return { clock, plane: createControlPlane({ env: clock, authorization: 'RBAC', tokens, runtimeConfig }) }
}

export function planeOverHttp(time: number, runtimeConfig?: readonly string[]): Promise<Target> {
  return overHttp(startPlane(time, runtimeConfig))
}

export function planeInProcess(time: number, runtimeConfig?: readonly string[]): Target {
  return inProcess(startPlane(time, runtimeConfig))
}

export async function overHttp({ clock, plane }: ClockedPlane): Promise<Target> {
  const listener = await plane.listen({ host: '127.0.0.1', port: 0, tls: true })
  // The certificate is valid from the recorded time on, not from the time of this machine, so it is not verified.
  return httpTarget({
    url: listener.url,
    clock,
    async close() {
      await listener.close()
      await plane.close()
    },
  })
}

export function inProcess({ clock, plane }: ClockedPlane): Target {
  async function send(request: LiveRequest): Promise<InProcessResponse> {
    const { authorization = `Bearer ${request.token}` } = request.headers
    let user: UserInfo
    try {
      user = plane.authenticate({ authorization })
    } catch (error) {
      if (error instanceof ApiError) return { status: error.code, headers: {}, body: error.status as unknown as Json }
      throw error
    }
    return await plane.transport(user)({
      method: request.method,
      path: request.path,
      headers: {
        'user-agent': 'probe/1.0',
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...linesOf(request.headers),
      },
      // Frozen: the server must not modify its input.
      ...(request.body === undefined ? {} : { body: deepFreeze(cloneJson(request.body)) }),
    })
  }

  return {
    name: 'in process',
    wire: false,
    remote: false,
    async send(request) {
      const { status, headers, body } = await send(request)
      return { status, headers: joined(headers), body: { value: copyOf(body) } }
    },
    async watch(request) {
      return streamOf(await send(request))
    },
    passTime: (ms) => clock.advance(ms),
    now: () => clock.now(),
    idle: () => new Promise((resolve) => void setImmediate(resolve)),
    close: () => plane.close(),
  }
}

/** A value with several lines stands for a repeated header. */
function linesOf(headers: LiveRequest['headers']): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      return [name.toLowerCase(), value.includes('\n') ? value.split('\n') : value]
    }),
  )
}

/** A JSON copy, without undefined members. */
function copyOf(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}

function joined(headers: InProcessResponse['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : value.join(', ')]),
  )
}

function streamOf({ status, headers, body, events }: InProcessResponse): Stream {
  const seen: Json[] = events === undefined ? [copyOf(body)] : []
  return {
    status,
    headers: joined(headers),
    get events() {
      for (const { type, object } of events?.drain() ?? []) seen.push({ type, object: copyOf(object) })
      return seen
    },
    get ended() {
      return events?.ended ?? true
    },
    rest: '',
    stop: () => events?.stop(),
  }
}
