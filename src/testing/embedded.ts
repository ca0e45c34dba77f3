/**
 * A cluster for tests: the embedded control plane, a manager with your controllers and a simulated clock, in this process.
 * Requests pass through no socket; a rollout of hours takes milliseconds; the same seed gives the same run.
 */
import type { ApiObject } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import { TransportError, type Transport } from '../client/transport.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { createControlPlane, type ControlPlane, type ControlPlaneOptions } from '../controlplane/index.ts'
import { promisesSettled } from '../env/real.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import { Manager, type ManagerOptions } from '../manager/manager.ts'
import { CoreEvent, CustomResourceDefinition } from '../schema/builtin/kinds.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import { faultyTransport, type FaultPlan } from './faulty-transport.ts'
import { settle, type SettleOptions } from './settle.ts'

export interface EmbeddedOptions extends Pick<ManagerOptions, 'namespaces' | 'cache' | 'tasks' | 'leaderElection' | 'gracePeriod'> {
  readonly controllers?: readonly ControllerDefinition[] | undefined
  /** Definitions to install beside those of the controllers' kinds. */
  readonly crds?: readonly object[] | undefined
  /** Of random numbers and UUIDs. Default 1. */
  readonly seed?: number | undefined
  /** What goes wrong with the controllers' requests. The test's own client has none. */
  readonly faults?: FaultPlan | undefined
  readonly controlPlane?: Omit<ControlPlaneOptions, 'env' | 'store'> | undefined
}

export interface Embedded {
  readonly env: SimulatedEnv
  readonly plane: ControlPlane
  /** A user's client: not the controllers', and not subject to faults. */
  readonly client: Client
  /** The manager that runs now; `restart` makes another one. */
  readonly manager: Manager
  /** What the controllers logged, as JSON lines. */
  readonly logs: readonly string[]
  /** Everything that the controllers sent so far, as `PATCH /api/v1/...`; events and leases included. */
  readonly requests: readonly string[]
  /** Creates the objects, or applies them where they exist, as a user with kubectl would. */
  apply<Objects extends readonly ApplyObject[]>(...objects: Objects): Promise<void>
  /** Runs until nothing is left to do. Throws a {@link NotSettledError} if that does not happen. */
  settle(options?: SettleOptions): Promise<void>
  /** Turns the clock on. */
  advance(ms: number): Promise<void>
  /** Reason, type and message of the events about an object, oldest first. */
  events(about: { readonly metadata: { readonly name?: string; readonly namespace?: string | undefined } }): Promise<readonly SeenEvent[]>
  /** The program dies in the middle of whatever it does, and is started again. */
  crash(): Promise<void>
  /** The program is stopped in order, and started again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface SeenEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
}

/** A whole manifest, with its apiVersion and kind. */
export type ApplyObject = ApiObject & { apiVersion: string; kind: string }

export async function embedded(options: EmbeddedOptions = {}): Promise<Embedded> {
  const cluster = new EmbeddedCluster(options)
  await cluster.start()
  return cluster
}

class EmbeddedCluster implements Embedded {
  readonly env: SimulatedEnv
  readonly plane: ControlPlane
  readonly client: Client
  readonly logs: string[] = []
  readonly requests: string[] = []
  readonly #options: EmbeddedOptions
  readonly #mapper: RestMapper
  #program: Program | undefined
  /** They crashed, and nothing that they send arrives. They come to their ends as time goes on. */
  readonly #dead: Program[] = []
  /** Writes of leases: they go on for ever, and are no work. */
  #heartbeats = 0

  constructor(options: EmbeddedOptions) {
    this.#options = options
    this.env = simulatedEnv({ seed: options.seed ?? 1 })
    this.plane = createControlPlane({ ...options.controlPlane, env: this.env })
    this.plane.store.watch('/registry/leases/', this.plane.store.revision, () => this.#heartbeats++)
    this.client = new RestClient({ env: this.env, transport: inProcessTransport(this.plane.transport()), fieldManager: 'user', timeout: 0 })
    this.#mapper = new RestMapper(this.client)
  }

  get manager(): Manager {
    if (this.#program === undefined) throw new Error('the embedded cluster has been stopped')
    return this.#program.manager
  }

  async start(): Promise<void> {
    const kinds = (this.#options.controllers ?? []).flatMap(({ kind, sources }) => [kind, ...sources.map((source) => source.kind)]) as { readonly crd?: object }[]
    const crds = new Set([...kinds.flatMap(({ crd }) => crd ?? []), ...(this.#options.crds ?? [])])
    for (const crd of crds) await this.client.create(CustomResourceDefinition, crd as CustomResourceDefinition)
    await this.#established()
    this.#begin()
    await this.#working()
    await this.settle()
  }

  async #established(): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      const { items } = await this.client.list(CustomResourceDefinition)
      if (items.every(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true)) return
      await this.env.advanceAsync(100)
    }
    throw new Error('a custom resource definition was not accepted: look at its conditions')
  }

  #begin(): void {
    const { controllers = [], faults, namespaces, cache, tasks, leaderElection, gracePeriod } = this.#options
    const plain = inProcessTransport(this.plane.transport())
    const noted = this.#noting(faults === undefined ? plain : faultyTransport(plain, this.env, faults))
    const log = createLogger({ env: this.env, write: (line) => this.logs.push(line), level: 'debug' })
    const manager = new Manager({ env: this.env, transport: noted.transport, controllers, namespaces, cache, tasks, leaderElection, gracePeriod, log })
    const stop = new AbortController()
    const ended = manager.run(stop.signal)
    // Whoever stops the program looks at it; until then a failure must not be taken for an unhandled one.
    ended.catch(() => undefined)
    this.#program = { manager, stop, ended, cutOff: noted.cutOff }
  }

  /** Without a lease a manager works as soon as its caches have synced. */
  async #working(): Promise<void> {
    const { manager } = this.#program as Program
    for (let tries = 0; manager.state === 'starting'; tries++) await (tries < 20 ? promisesSettled() : this.env.advanceAsync(100))
    if (manager.state === 'stopping' || manager.state === 'ended') await this.#ended(this.#program as Program)
  }

  #noting(inner: Transport): { readonly transport: Transport; readonly cutOff: () => void } {
    let dead = false
    const gone = new AbortController()
    return {
      cutOff: () => {
        dead = true
        gone.abort()
      },
      transport: {
        request: async (request) => {
          if (dead) throw new TransportError('CLOSED', 'the program has died', false)
          this.requests.push(`${request.method} ${request.path}`)
          const signal = request.signal === undefined ? gone.signal : AbortSignal.any([gone.signal, request.signal])
          return inner.request({ ...request, signal })
        },
        close: () => inner.close(),
      },
    }
  }

  async apply<Objects extends readonly ApplyObject[]>(...objects: Objects): Promise<void> {
    for (const object of objects) {
      const kind = await this.#mapper.kindOfObject(object)
      const namespace = kind.namespaced ? (object.metadata.namespace ?? 'default') : undefined
      const metadata = { ...object.metadata, name: object.metadata.name ?? '', ...(namespace === undefined ? {} : { namespace }) }
      await this.client.apply(kind, { ...object, metadata }, { force: true })
    }
  }

  settle(options?: SettleOptions): Promise<void> {
    const { manager } = this
    return settle({ env: this.env, get queues() { return manager.queues }, revision: () => this.plane.store.revision - this.#heartbeats, flush: () => manager.flush() }, options)
  }

  advance(ms: number): Promise<void> {
    return this.env.advanceAsync(ms)
  }

  async events({ metadata }: { readonly metadata: { readonly name?: string; readonly namespace?: string | undefined } }): Promise<readonly SeenEvent[]> {
    await this.manager.flush()
    const fieldSelector = `involvedObject.name=${metadata.name ?? ''}`
    const { items } = await this.client.list(CoreEvent, { namespace: metadata.namespace ?? 'default', fieldSelector })
    return [...items].sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ type = '', reason = '', message = '', count = 1 }) => ({ type, reason, message, count }))
  }

  async crash(): Promise<void> {
    const program = this.#program as Program
    program.cutOff()
    program.stop.abort()
    this.#dead.push(program)
    this.#begin()
    await this.#working()
  }

  async restart(): Promise<void> {
    await this.#halt()
    this.#begin()
    await this.#working()
  }

  async stop(): Promise<void> {
    if (this.#program === undefined) return
    await this.#halt()
    this.#program = undefined
    for (const program of this.#dead.splice(0)) await this.#ended(program).catch(() => undefined)
    await this.plane.close()
  }

  async #halt(): Promise<void> {
    const program = this.#program as Program
    program.stop.abort()
    await this.#ended(program)
  }

  /** Time goes on while a program ends: grace periods are waited for. */
  async #ended({ manager, ended }: Program): Promise<void> {
    for (let tries = 0; manager.state !== 'ended'; tries++) await (tries < 20 ? promisesSettled() : this.env.advanceAsync(1000))
    await ended
  }
}

interface Program {
  readonly manager: Manager
  readonly stop: AbortController
  readonly ended: Promise<void>
  /** Whatever it still sends arrives nowhere. */
  readonly cutOff: () => void
}
