/**
 * A cluster for tests in this process: the embedded control plane, a manager with your controllers, and a simulated
 * clock. Requests use no sockets, hours pass in milliseconds, and the same seed gives the same run.
 */
import type { Client } from '../client/client.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import type { Transport, TransportRequest } from '../client/transport.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { ControlPlane } from '../controlplane/index.ts'
import type { CarryOut, ExternalModel } from '../external/external.ts'
import { externalServices } from '../external/external-user.ts'
import { afterMicrotasks } from '../env/real.ts'
import type { SimulatedEnv } from '../env/simulated.ts'
import type { Manager } from '../manager/manager.ts'
import { CoreEvent } from '../schema/builtin/kinds.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import type { Logger } from '../telemetry/logger.ts'
import { AccessRecorder } from './access-recorder.ts'
import type {
  ApplyObject,
  Embedded,
  Instance,
  RestoreOptions,
  ReusableCluster,
  SeenEvent,
  Snapshot,
} from './embedded-handle.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import { embeddedEnv, embeddedServer } from './embedded-server.ts'
import { ExternalSystems } from './external-systems.ts'
import type { FailingKey } from './failing-keys.ts'
import { faultyCalls } from './faulty-calls.ts'
import { faultyTransport, type Fault } from './faulty-transport.ts'
import { inProcessWebhooks, installWebhooks, type InProcessServices } from './in-process-webhooks.ts'
import { definitionsOf, installDefinitions } from './install-definitions.ts'
import { Instances } from './instances.ts'
import { clusterControllers, embeddedControllers, emptyCa, simulatedPodLogs, simulatedUsage } from './live-cluster.ts'
import { OperatorConnections } from './operator-connections.ts'
import { installGuard } from './outgoing-guard.ts'
import { OperatorUnderTest } from './operator-under-test.ts'
import { overtake } from './restored-server.ts'
import { rewind } from './rewind.ts'
import { settle, type SettleOptions } from './settle.ts'
import { guarded, guardedTasks, marked, unguarded } from './user-code.ts'
import { WatchedRuns } from './watched-runs.ts'
import { withoutEvents } from './without-events.ts'

export function embedded(options: EmbeddedOptions = {}): Promise<Embedded> {
  return reusableCluster(options)
}

export async function reusableCluster(options: EmbeddedOptions): Promise<ReusableCluster> {
  const cluster = new EmbeddedCluster(options)
  await cluster.start().catch(async (error: unknown) => {
    await cluster.stop().catch(() => undefined)
    throw error
  })
  return cluster
}

/** Of `settleUntil`. */
const quietTurnsUntil = 10

class EmbeddedCluster implements ReusableCluster {
  #isOver: (() => boolean) | undefined
  readonly env: SimulatedEnv
  plane: ControlPlane
  readonly client: Client
  readonly logs: string[] = []
  readonly requests: string[] = []
  readonly externalCalls: string[] = []
  readonly access = new AccessRecorder()
  readonly #options: EmbeddedOptions
  readonly #mapper: RestMapper
  #runs: WatchedRuns
  readonly #externals: ExternalSystems
  readonly #connections: OperatorConnections
  readonly #instances = new Instances((die, isLive) => this.#program(die, isLive))
  readonly #callWebhook: ReturnType<typeof inProcessWebhooks> | undefined
  #serve: ReturnType<ControlPlane['transport']>
  /** Built-in controllers, scheduler and nodes, if requested. */
  #surroundings: OperatorUnderTest | undefined
  /** What the server and its surroundings were before they were restored. */
  readonly #replaced: { readonly plane: ControlPlane; readonly surroundings: OperatorUnderTest | undefined }[] = []
  #isStopped = false
  /** Ends the guard of connections. */
  #unguard: () => void = () => undefined
  /** Writes of leases, which never stop and do not count as work. */
  #heartbeats = 0

  constructor(options: EmbeddedOptions) {
    this.#options = options
    this.env = embeddedEnv(options)
    const { webhooks } = options
    this.#callWebhook = webhooks === undefined ? undefined : inProcessWebhooks(webhooks, () => this.#webhookServices())
    this.plane = embeddedServer(this.env, options, this.#callWebhook)
    this.#serve = this.plane.transport()
    this.#countHeartbeats()
    // What the server calls for a request, such as a webhook, is not the reconcile's.
    this.#connections = new OperatorConnections(this.env, (request) => unguarded(() => this.#serve(request)))
    this.client = new RestClient({
      env: this.env,
      transport: inProcessTransport((request) => this.#serve(request)),
      fieldManager: 'user',
      timeoutMs: 0,
    })
    this.#mapper = new RestMapper(this.client)
    this.#runs = new WatchedRuns(this.plane.store, this.env)
    this.#externals = new ExternalSystems(this.env, options.externals ?? [], options.from?.externals)
  }

  get failing(): readonly FailingKey[] {
    return this.#runs.failing
  }

  get reconciles(): number {
    return this.#runs.count
  }

  get manager(): Manager {
    return this.#instances.current.manager
  }

  async start(): Promise<void> {
    this.#unguard = installGuard()
    this.#externals.check({ ...this.#options, controllers: this.#controllers() })
    if (this.#options.from === undefined) await this.#install()
    this.#bringToLife()
    await this.#surroundings?.begun()
    this.#instances.start()
    await this.#instances.current.begun()
    // The test asks for failures when it settles.
    await this.settle({ allowFailing: true })
  }

  async #install(): Promise<void> {
    const { crds = [], webhooks = [] } = this.#options
    await installDefinitions(this.client, this.env, definitionsOf(this.#controllers(), crds, webhooks))
    await installWebhooks(this.client, webhooks)
  }

  /** Like a user's requests, reviews are not subject to faults. */
  #webhookServices(): InProcessServices {
    const { env, client } = this
    const { allowSockets = false, carryOut: around = (inner: CarryOut) => inner } = this.#options
    const carryOut = this.#recorded(around(this.#externals.carryOut))
    return {
      client,
      log: this.#logger(),
      externals: externalServices(env, carryOut),
      marked: (who, work) => marked({ env, allowSockets, who }, work),
    }
  }

  #recorded(carryOut: CarryOut): CarryOut {
    return (call) => {
      this.externalCalls.push(`${call.system.name}.${call.method}`)
      return carryOut(call)
    }
  }

  #controllers(): readonly ControllerDefinition[] {
    const { controllers = [] } = this.#options
    return typeof controllers === 'function' ? controllers() : controllers
  }

  /** A separate program: neither faults nor crashes of the operator affect it. */
  #bringToLife(): void {
    const { nodes = 0, behaviours, builtinEvents = true } = this.#options
    const builtin = embeddedControllers(this.#options)
    if (nodes === 0 && builtin.length === 0) return
    const parts = clusterControllers(this.plane, { ...this.#options, controllers: builtin, nodes, ca: emptyCa })
    if (nodes > 0) this.plane.serveLogs(simulatedPodLogs({ behaviours }))
    if (nodes > 0 && this.#options.metricsApi !== false) this.plane.serveUsage(simulatedUsage)
    const transport = inProcessTransport(this.plane.transport())
    this.#surroundings = new OperatorUnderTest({
      ...parts,
      env: this.env,
      transport: builtinEvents ? transport : withoutEvents(transport),
    })
    this.#surroundings.start()
  }

  /** An instance of the operator's program. */
  #program(die: () => void, isLive: () => boolean): OperatorUnderTest {
    const {
      faults,
      namespaces,
      cache,
      tasks,
      leaderElection,
      gracePeriodMs,
      traces,
      allowSockets = false,
      transport: between = (inner: Transport) => inner,
      carryOut: around = (inner: CarryOut) => inner,
    } = this.#options
    const plain = between(this.#connections.transport())
    const { env } = this
    let index = 0
    const plan = (request: TransportRequest): Fault | undefined => faults?.(request, index++, program)
    const faulty = faults === undefined ? plain : faultyTransport(plain, env, plan, die)
    const carryOut = faultyCalls(around(this.#externals.carryOut), { env, plan, die })
    const program: OperatorUnderTest = new OperatorUnderTest({
      env,
      transport: this.access.transport(faulty),
      carryOut: this.#recorded(carryOut),
      onRequest: (line) => this.requests.push(line),
      ...this.#runs.begin(guarded(this.#controllers(), { env, allowSockets }), isLive),
      namespaces,
      cache,
      tasks: tasks && guardedTasks(tasks, { env, allowSockets }),
      leaderElection,
      gracePeriodMs,
      traces,
      log: this.#logger(),
    })
    return program
  }

  #logger(): Logger {
    return createLogger({
      env: this.env,
      write: (line) => this.logs.push(line),
      level: this.#options.logLevel ?? 'debug',
    })
  }

  async apply<Objects extends readonly ApplyObject[]>(...objects: Objects): Promise<void> {
    for (const object of objects) {
      const kind = await this.#mapper.kindOfObject(object)
      const namespace = kind.namespaced ? (object.metadata.namespace ?? 'default') : undefined
      const metadata = {
        ...object.metadata,
        name: object.metadata.name ?? '',
        ...(namespace === undefined ? {} : { namespace }),
      }
      await this.client.apply(kind, { ...object, metadata }, { force: true })
    }
  }

  settle(options?: SettleOptions): Promise<void> {
    const programs = (): readonly Manager[] => this.#managers()
    return settle(
      {
        env: this.env,
        get programs() {
          return programs()
        },
        revision: () => this.plane.store.revision - this.#heartbeats,
        flush: () => this.#flush(),
        failing: () => this.failing,
        retries: () => this.#runs.retries,
        loop: () => this.#runs.loop,
        isOver: () => this.#isOver?.() ?? false,
        maxQuietTurns: this.#isOver === undefined ? undefined : quietTurnsUntil,
      },
      { ...this.#options.settle, ...options },
    )
  }

  #managers(): readonly Manager[] {
    const { awaited } = this.#instances
    return (this.#surroundings === undefined ? awaited : [...awaited, this.#surroundings]).map(({ manager }) => manager)
  }

  async #flush(): Promise<void> {
    // A program that has just been replaced has no keys before its caches have synced.
    while (this.#managers().some(({ state }) => state === 'starting')) await afterMicrotasks()
    await Promise.all(this.#managers().map((manager) => manager.flush()))
  }

  advance(ms: number): Promise<void> {
    return this.env.advanceAsync(ms)
  }

  async writesDuring(ms: number): Promise<readonly string[]> {
    const sent = this.requests.length
    await this.advance(ms)
    return this.requests.slice(sent).filter((line) => !line.startsWith('GET ') && !line.includes('/leases'))
  }

  async events({
    metadata,
  }: {
    readonly metadata: { readonly name?: string; readonly namespace?: string | undefined }
  }): Promise<readonly SeenEvent[]> {
    await this.#flush()
    const fieldSelector = `involvedObject.name=${metadata.name ?? ''}`
    const { items } = await this.client.list(CoreEvent, { namespace: metadata.namespace ?? 'default', fieldSelector })
    return [...items]
      .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ type = '', reason = '', message = '', count = 1 }) => ({ type, reason, message, count }))
  }

  async crash(): Promise<void> {
    this.#instances.crash()
    await this.#instances.current.begun()
  }

  async restart(): Promise<void> {
    await (await this.#instances.restart()).begun()
  }

  startInstance(): Instance {
    return this.#instances.start()
  }

  restore(backup: Snapshot, options?: RestoreOptions): void {
    unguarded(() => this.#restore(backup, options))
  }

  #restore(backup: Snapshot, { downMs = 0, isOvertaken = false }: RestoreOptions = {}): void {
    const { plane } = this
    this.#surroundings?.die()
    this.#replaced.push({ plane, surroundings: this.#surroundings })
    this.plane = embeddedServer(this.env, { ...this.#options, from: backup }, this.#callWebhook)
    this.#serve = this.plane.transport()
    this.#countHeartbeats()
    this.#runs.follow(this.plane.store)
    if (isOvertaken) overtake(this.plane.store, plane.store.revision)
    this.#connections.break(downMs)
    this.#bringToLife()
  }

  get externals(): Readonly<Record<string, unknown>> {
    return this.#externals.states()
  }

  get instances(): number {
    return this.#instances.count
  }

  async rewind(snapshot: Snapshot, isOver?: () => boolean): Promise<void> {
    this.#instances.kill()
    await this.#endReplaced()
    rewind(this.plane.store, snapshot)
    this.env.setClock(snapshot.time - this.env.now())
    this.#externals.reset(snapshot.externals)
    for (const list of [this.logs, this.requests, this.externalCalls]) list.length = 0
    this.#runs.stop()
    this.#runs = new WatchedRuns(this.plane.store, this.env)
    this.#instances.start()
    await this.#instances.current.begun()
    await this.settleUntil(isOver)
  }

  async settleUntil(isOver: (() => boolean) | undefined): Promise<void> {
    this.#isOver = isOver
    try {
      await this.settle({ allowFailing: true })
    } finally {
      this.#isOver = undefined
    }
  }

  #countHeartbeats(): void {
    this.plane.store.watch('/registry/leases/', this.plane.store.revision, () => this.#heartbeats++)
  }

  model<Model>(of: ExternalModel<Model>): Model {
    return this.#externals.model(of)
  }

  snapshot(): Snapshot {
    return { time: this.env.now(), ...this.plane.store.list('/registry/'), externals: this.externals }
  }

  async #endReplaced(): Promise<void> {
    for (const { plane, surroundings } of this.#replaced.splice(0)) {
      await surroundings?.end().catch(() => undefined)
      await plane.close()
    }
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    try {
      await this.#instances.stop()
      await this.#surroundings?.end()
      await this.#endReplaced()
      this.#runs.stop()
      await this.plane.close()
    } finally {
      this.#unguard()
    }
  }
}
