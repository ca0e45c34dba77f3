/** One controller on an embedded control plane, in this process and with a simulated clock. */
import type { Json } from '../../api/json.ts'
import type { ApiObject } from '../../api/live-object.ts'
import { createCache } from '../../cache/create-cache.ts'
import type { Cache } from '../../cache/cache.ts'
import type { Client } from '../../client/client.ts'
import { inProcessTransport } from '../../client/in-process-transport.ts'
import { RestClient } from '../../client/rest-client.ts'
import type { Transport, TransportRequest, WireEvents } from '../../client/transport.ts'
import { createControlPlane, type ControlPlane } from '../../controlplane/index.ts'
import { pause } from '../../env/pause.ts'
import { simulatedEnv, type SimulatedEnv } from '../../env/simulated.ts'
import { controllerMetrics } from '../../telemetry/controller-metrics.ts'
import { eventRecorder, type EventRecorder } from '../../telemetry/event-recorder.ts'
import { createLogger } from '../../telemetry/log-writer.ts'
import { Metrics } from '../../telemetry/metrics.ts'
import type { Tracer } from '../../telemetry/tracer.ts'
import { Controller } from '../controller.ts'
import { declareKinds } from '../declared-kinds.ts'
import type { ControllerDefinition } from '../definition.ts'

/** What starts and ends with the process. */
export interface Process<T extends ApiObject> {
  readonly cache: Cache
  readonly controller: Controller<T>
  readonly events: EventRecorder
  readonly metrics: Metrics
}

export interface Harness<T extends ApiObject> extends Process<T> {
  readonly env: SimulatedEnv
  readonly plane: ControlPlane
  /** The client of a user, not of the controller. */
  readonly client: Client
  readonly logs: string[]
  /** The controller's writes so far: method and path. */
  readonly writes: string[]
  /** Called before each request of the controller; it may throw. */
  intercept: (request: TransportRequest) => void | Promise<void>
  /** Lets everything happen that needs no time. */
  settle(): Promise<void>
  /** Aborts the current runs, as a shutdown after its grace period does, and waits for their end. */
  abort(): Promise<void>
  /** Starts a new process with another definition: only the state of the server remains. */
  restart(definition: ControllerDefinition<T>, meanwhile?: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

export interface HarnessOptions {
  /** CRDs that exist from the start. */
  readonly crds?: readonly object[]
  /** Creates the objects that exist from the start. */
  readonly prepare?: (client: Client) => Promise<void>
  readonly tracer?: Tracer
  /** The initial {@link Harness.intercept}. */
  readonly intercept?: (request: TransportRequest, env: SimulatedEnv) => Promise<void>
  /** The delay of the controller's watches, in milliseconds. Default 0. */
  readonly watchDelay?: number
}

export async function harness<T extends ApiObject>(
  definition: ControllerDefinition<T>,
  options: HarnessOptions = {},
): Promise<Harness<T>> {
  const env = simulatedEnv()
  const plane = createControlPlane({ env })
  const user = new RestClient({ env, transport: inProcessTransport(plane.transport()) })
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  for (const crd of options.crds ?? []) await user.raw('POST', definitions, { body: crd as Json })
  await env.advanceAsync(10_000)
  await options.prepare?.(user)
  const writes: string[] = []
  const logs: string[] = []
  const inner = inProcessTransport(plane.transport())
  const transport: Transport = {
    async request(request) {
      await result.intercept(request)
      const { method, path } = request
      if (method !== 'GET' && !path.includes('/events')) writes.push(`${method} ${path.split('?')[0] ?? ''}`)
      const answer = await inner.request(request)
      const { watchDelay } = options
      return answer.events === undefined || watchDelay === undefined
        ? answer
        : { ...answer, events: late(env, answer.events, watchDelay) }
    },
    close: () => inner.close(),
  }

  const begin = (of: ControllerDefinition<T>) => {
    const stop = new AbortController()
    const client = new RestClient({ env, transport, fieldManager: of.name })
    const cache = createCache({ env, client, probeMs: 0 })
    const metrics = new Metrics()
    const events = eventRecorder({ env, client, component: of.name, signal: stop.signal })
    const log = createLogger({ env, write: (line) => logs.push(line), level: 'debug' })
    declareKinds(cache, [of])
    const controller = new Controller(of, {
      env,
      cache,
      log,
      metrics: controllerMetrics(metrics),
      events,
      tracer: options.tracer,
    })
    controller.start()
    const running = [cache.run(stop.signal), controller.work(stop.signal, stop.signal)]
    const end = async (): Promise<void> => {
      stop.abort()
      await Promise.all(running)
      controller.stop()
    }
    return { cache, controller, events, metrics, end }
  }

  let process: ReturnType<typeof begin>
  const result: Harness<T> = {
    env,
    plane,
    client: user,
    logs,
    writes,
    get cache() {
      return process.cache
    },
    get controller() {
      return process.controller
    },
    get events() {
      return process.events
    },
    get metrics() {
      return process.metrics
    },
    intercept: (request) => options.intercept?.(request, env),
    settle: () => env.advanceAsync(1000),
    abort: () => process.end(),
    async restart(next, meanwhile) {
      await process.end()
      await meanwhile?.()
      process = begin(next)
      await result.settle()
    },
    async stop() {
      await process.end()
      await plane.close()
    },
  }
  process = begin(definition)
  await result.settle()
  return result
}

async function* late(env: SimulatedEnv, events: WireEvents, ms: number) {
  for await (const batch of events) {
    await pause(env, ms)
    yield batch
  }
}
