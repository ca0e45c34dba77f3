/** Managers on one embedded control plane with a simulated clock, with their logs and requests. */
import { getEventListeners } from 'node:events'
import type { Client } from '../../client/client.ts'
import { inProcessTransport } from '../../client/in-process-transport.ts'
import { RestClient } from '../../client/rest-client.ts'
import type { Transport, TransportRequest } from '../../client/transport.ts'
import { createControlPlane, type ControlPlane } from '../../controlplane/index.ts'
import { simulatedEnv, type SimulatedEnv } from '../../env/simulated.ts'
import { createLogger } from '../../telemetry/log-writer.ts'
import { faultyTransport, type FaultPlan } from '../../cluster/faulty-transport.ts'
import { Manager, type ManagerOptions } from '../manager.ts'

export class Site {
  readonly env: SimulatedEnv = simulatedEnv()
  readonly plane: ControlPlane = createControlPlane({ env: this.env })
  /** The client of a user. */
  readonly client: Client = new RestClient({
    env: this.env,
    transport: inProcessTransport(this.plane.transport()),
    fieldManager: 'user',
    timeoutMs: 0,
  })
  readonly #managed: Managed[] = []
  #timers = 0

  manager(
    options: Omit<ManagerOptions, 'env' | 'transport' | 'log' | 'controllers'> &
      Partial<Pick<ManagerOptions, 'controllers'>> & { readonly faults?: FaultPlan },
  ): Managed {
    if (this.#managed.length === 0) this.#timers = this.env.pending
    const managed = new Managed(this, options)
    this.#managed.push(managed)
    return managed
  }

  /** Advances the clock until `holds` returns true; throws after `within` milliseconds. Returns the time it took. */
  async until(holds: () => boolean, within = 600_000): Promise<number> {
    const startedAt = this.env.now()
    while (!holds()) {
      if (this.env.now() - startedAt > within) throw new Error(`it does not hold after ${within} ms`)
      await this.env.advanceAsync(holds() ? 0 : 50)
    }
    return this.env.now() - startedAt
  }

  /** Timers in addition to those of the server before the first manager. */
  get timersLeft(): number {
    return this.env.pending - this.#timers
  }

  async close(): Promise<void> {
    for (const managed of this.#managed) await managed.stop().catch(() => undefined)
    await this.plane.close()
  }
}

export class Managed {
  readonly manager: Manager
  readonly logs: { readonly level: string; readonly msg: string; readonly [field: string]: unknown }[] = []
  /** `PUT /apis/…`, without queries. */
  readonly requests: string[] = []
  outcome: { readonly error?: unknown } | undefined
  readonly #site: Site
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>

  constructor(site: Site, { faults = () => undefined, ...options }: Parameters<Site['manager']>[0]) {
    this.#site = site
    const inner = faultyTransport(inProcessTransport(site.plane.transport()), site.env, faults)
    const transport: Transport = {
      request: (request: TransportRequest) => {
        this.requests.push(`${request.method} ${request.path.split('?')[0]}`)
        return inner.request(request)
      },
      close: () => inner.close(),
    }
    const log = createLogger({
      env: site.env,
      level: 'debug',
      write: (line) => this.logs.push(JSON.parse(line) as Managed['logs'][number]),
    })
    this.manager = new Manager({ controllers: [], ...options, env: site.env, transport, log })
    this.#ended = this.manager.run(this.#stop.signal).then(
      () => {
        this.outcome = {}
      },
      (error: unknown) => {
        this.outcome = { error }
      },
    )
  }

  get writes(): readonly string[] {
    return this.requests.filter((request) => !request.startsWith('GET '))
  }

  get listenersLeft(): number {
    return getEventListeners(this.#stop.signal, 'abort').length
  }

  ask(): void {
    this.#stop.abort()
  }

  async stop(): Promise<void> {
    this.ask()
    await this.ended()
  }

  /** Throws the error that ended it. */
  async ended(): Promise<void> {
    await this.#site.until(() => this.outcome !== undefined)
    await this.#ended
    if (this.outcome?.error !== undefined) throw this.outcome.error
  }
}
