/**
 * The environment for tests of elections: one server, and processes with inaccurate clocks that can be stopped
 * (SIGSTOP) and continued (SIGCONT), over a network with latency and losses.
 */
import { inProcessTransport } from '../../client/in-process-transport.ts'
import { RestClient } from '../../client/rest-client.ts'
import {
  TransportError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../client/transport.ts'
import { createControlPlane, type ControlPlane } from '../../controlplane/index.ts'
import type { Env } from '../../env/env.ts'
import { pause } from '../../env/pause.ts'
import { afterMicrotasks } from '../../env/real.ts'
import { simulatedEnv, type SimulatedEnv } from '../../env/simulated.ts'
import { Lease } from '../../schema/builtin/kinds.ts'
import { silentLogger } from '../../telemetry/logger.ts'
import { faultyTransport, type Fault } from '../../cluster/faulty-transport.ts'
import { LeaseElection, type ElectionObserver, type LeaseOptions } from '../lease-election.ts'

export const key = { namespace: 'default', name: 'the-lease' }

export class World {
  readonly env: SimulatedEnv
  readonly plane: ControlPlane
  /** In process, without the network. */
  readonly client: RestClient
  /** The faults of the next requests, in order. */
  readonly faults: Fault[] = []
  isServerUp = true
  /** The latency to the server, and back, in milliseconds. */
  latency = 1

  constructor(seed = 1) {
    this.env = simulatedEnv({ seed })
    this.plane = createControlPlane({ env: this.env })
    this.client = new RestClient({ env: this.env, transport: inProcessTransport(this.plane.transport()) })
  }

  /** Effects on the server stay; a response waits until the process runs. */
  transport(process: Process): Transport {
    const plan = (): Fault | undefined => (this.isServerUp ? this.faults.shift() : { type: 'refuse' })
    const inner = faultyTransport(inProcessTransport(this.plane.transport()), this.env, plan)
    const way = async (request: TransportRequest): Promise<TransportResponse> => {
      await pause(this.env, this.latency)
      try {
        const answer = await inner.request(request)
        await pause(this.env, this.latency)
        return answer
      } finally {
        await process.running()
      }
    }
    return {
      // A sent request arrives even if its sender has aborted it.
      request: ({ signal, ...request }) =>
        signal === undefined ? way(request) : Promise.race([way(request), aborted(signal)]),
      close: () => inner.close(),
    }
  }

  /** In steps, with a call of `look` after each. */
  async advance(ms: number, look: () => void = () => undefined): Promise<void> {
    const step = 100
    for (let left = ms; left > 0; left -= step) {
      await this.env.advanceAsync(Math.min(step, left))
      look()
    }
  }

  /** Advances the clock until `holds` returns true; throws after `within` milliseconds. Returns the time it took. */
  async until(holds: () => boolean, within = 120_000): Promise<number> {
    const startedAt = this.env.now()
    while (!holds()) {
      if (this.env.now() - startedAt > within) throw new Error(`it does not hold after ${within} ms`)
      await this.env.advanceAsync(50)
    }
    return this.env.now() - startedAt
  }

  lease(): Promise<Lease> {
    return this.client.get(Lease, key) as unknown as Promise<Lease>
  }

  async close(): Promise<void> {
    await afterMicrotasks()
    await this.plane.close()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(new TransportError('ABORTED', 'aborted', true))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}

/** A process in this environment. */
export class Process implements Env {
  readonly #world: World
  #skew: number
  #isStopped = false
  readonly #late: (() => void)[] = []

  constructor(world: World, skew = 0) {
    this.#world = world
    this.#skew = skew
  }

  readonly now = (): number => this.#world.env.now() + this.#skew
  readonly monotonic = (): number => this.#world.env.monotonic()
  readonly random = (): number => this.#world.env.random()
  readonly uuid = (): string => this.#world.env.uuid()

  /** Timers of a stopped process fire when it continues, whatever the time is. */
  readonly after = (ms: number, task: () => void): { cancel(): void } => {
    let isOver = false
    const once = (): void => {
      if (!isOver) task()
    }
    const timer = this.#world.env.after(ms, () => {
      if (this.#isStopped) this.#late.push(once)
      else once()
    })
    return {
      cancel: () => {
        isOver = true
        timer.cancel()
      },
    }
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Sets the clock of the machine forward, or back. */
  adjustClock(ms: number): void {
    this.#skew += ms
  }

  /** Handles everything that arrived meanwhile in order. */
  async goOn(): Promise<void> {
    this.#isStopped = false
    while (this.#late.length > 0 && !this.#isStopped) {
      this.#late.shift()?.()
      await afterMicrotasks()
    }
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  running(): Promise<void> {
    return this.#isStopped ? new Promise((resolve) => this.#late.push(resolve)) : Promise.resolve()
  }
}

/** A replica of a program: it acquires the lease, holds it, and releases it. */
export class Copy {
  readonly process: Process
  readonly election: LeaseElection
  /** Undefined: it has not ended. */
  outcome: 'released' | 'lost' | 'never led' | undefined
  readonly #stop = new AbortController()

  constructor(
    world: World,
    identity: string,
    options: { readonly skew?: number; readonly observer?: ElectionObserver } & Partial<LeaseOptions> = {},
  ) {
    const { skew, observer, ...lease } = options
    this.process = new Process(world, skew)
    const client = new RestClient({ env: this.process, transport: world.transport(this.process) })
    this.election = new LeaseElection(
      { env: this.process, client, log: silentLogger, observer },
      { ...key, identity, ...lease },
    )
    void this.#live()
  }

  /** Stops it gracefully. */
  stop(): void {
    this.#stop.abort()
  }

  async #live(): Promise<void> {
    const { signal } = this.#stop
    const led = await this.election.acquire(signal)
    const kept = led && (await this.election.hold(signal))
    await this.election.release()
    this.outcome = led ? (kept ? 'released' : 'lost') : 'never led'
  }
}
