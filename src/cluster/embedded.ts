/**
 * A cluster for tests in this process: the embedded control plane, a manager with your controllers, and a simulated
 * clock. Requests use no sockets, hours pass in milliseconds, and the same seed gives the same run.
 */
import type { ApiObject } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Client } from '../client/client.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import type { Transport } from '../client/transport.ts'
import {
  clusterAdmission,
  clusterControllers,
  emptyCa,
  embeddedControllers,
  simulatedPodLogs,
  simulatedUsage,
} from './live-cluster.ts'
import type { MetricsSource } from '../controllers/horizontal-pod-autoscaler/metrics.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { createControlPlane, type ControlPlane, type ControlPlaneOptions } from '../controlplane/index.ts'
import { defaultStore } from '../controlplane/storage/default-store.ts'
import { afterMicrotasks } from '../env/real.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import type { BehaviourRule } from '../kubelet/index.ts'
import type { Manager, ManagerOptions } from '../manager/manager.ts'
import { CoreEvent, CustomResourceDefinition } from '../schema/builtin/kinds.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import { conversionsOf } from '../webhooks/configurations.ts'
import type { Webhook } from '../webhooks/webhook-server.ts'
import { AccessRecorder } from './access-recorder.ts'
import { idleKindWarnings } from './idle-kinds.ts'
import { inProcessWebhooks, installWebhooks } from './in-process-webhooks.ts'
import { faultyTransport, type FaultPlan } from './faulty-transport.ts'
import { OperatorUnderTest } from './operator-under-test.ts'
import { settle, type SettleOptions } from './settle.ts'

export interface EmbeddedOptions extends Pick<
  ManagerOptions,
  'namespaces' | 'cache' | 'tasks' | 'leaderElection' | 'gracePeriodMs' | 'traces'
> {
  /** A function is called at every start of the program, so that state in memory does not survive a crash. */
  readonly controllers?: readonly ControllerDefinition[] | (() => readonly ControllerDefinition[]) | undefined
  /**
   * Built-in controllers, by the names of kube-controller-manager: `['all']`, or some. Default: all if there are nodes,
   * otherwise none. They run in a separate program: faults, crashes and `requests` do not include them. With
   * `serviceaccount-controller` the admission plugin ServiceAccount is on.
   */
  readonly builtin?: readonly string[] | undefined
  /** Simulated nodes with a scheduler: pods go through their life cycle, no containers run. Default 0. */
  readonly nodes?: number | undefined
  /** Capacity of each node. Default 8 CPUs, 32 GiB, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>> | undefined
  /**
   * Claims of every storage class get simulated volumes, also of classes that do not exist. Default false: they wait,
   * as on a real cluster.
   */
  readonly anyStorageClass?: boolean | undefined
  /** How pods behave; the first matching rule counts. Default: they start after a second, become ready and run. */
  readonly behaviours?: readonly BehaviourRule[] | undefined
  /**
   * Metrics for autoscalers. Default: annotations of pods, for example `coxswain.dev/cpu: 250m` (see `MetricsSource`),
   * then the metrics API.
   */
  readonly metrics?: MetricsSource | undefined
  /**
   * Serves metrics.k8s.io, with a usage that is derived from requests and annotations of pods (see docs/reference/
   * nodes.md). Default: true if there are nodes.
   */
  readonly metricsApi?: boolean | undefined
  /** Admission and conversion webhooks, called without sockets. Default: none. */
  readonly webhooks?: readonly Webhook[] | undefined
  /** CRDs to install besides those of the controllers' kinds. */
  readonly crds?: readonly object[] | undefined
  /** Seed of random numbers and UUIDs. Default 1. */
  readonly seed?: number | undefined
  /** Faults of the controllers' requests. The test's own client has none. */
  readonly faults?: FaultPlan | undefined
  /** Defaults for `settle`. */
  readonly settle?: SettleOptions | undefined
  /** Wraps the transport of the controllers, below the faults: it sees the requests that arrive. */
  readonly transport?: ((inner: Transport) => Transport) | undefined
  /** Continues from a snapshot: objects, revision and time. No CRDs are installed, and the default seed differs. */
  readonly from?: Snapshot | undefined
  /** Options of the control plane. Cluster IPs are of 10.0.0.0/16 by default, for 65,533 Services. */
  readonly controlPlane?: Omit<ControlPlaneOptions, 'env' | 'store'> | undefined
}

export interface Embedded {
  readonly env: SimulatedEnv
  readonly plane: ControlPlane
  /** A client for the test, as a user would have it. Faults do not affect it. */
  readonly client: Client
  /** The running manager; `restart` and `crash` replace it. */
  readonly manager: Manager
  /** The log of the controllers, as JSON lines. */
  readonly logs: readonly string[]
  /** Every request of the controllers so far, as `PATCH /api/v1/...`, including events and leases. */
  readonly requests: readonly string[]
  /** The permissions that the controllers used so far. */
  readonly access: AccessRecorder
  /** Applies the objects, as `kubectl apply --server-side --force-conflicts` does. */
  apply<Objects extends readonly ApplyObject[]>(...objects: Objects): Promise<void>
  /** Advances the clock until nothing is left to do. Throws a {@link NotSettledError} if that does not happen. */
  settle(options?: SettleOptions): Promise<void>
  /** Advances the clock. */
  advance(ms: number): Promise<void>
  /**
   * Advances the clock, and returns the writes that the controllers sent meanwhile, as `PATCH /api/v1/...`. Renewals of
   * leases are left out. An operator at rest sends none: `expect(await cluster.writesDuring(3_600_000)).toEqual([])`.
   */
  writesDuring(ms: number): Promise<readonly string[]>
  /** The events about an object, oldest first. */
  events(about: {
    readonly metadata: { readonly name?: string; readonly namespace?: string | undefined }
  }): Promise<readonly SeenEvent[]>
  /** Kills the program at once, and starts it again. */
  crash(): Promise<void>
  /** Stops the program gracefully, and starts it again. */
  restart(): Promise<void>
  /** Everything that the server stores, and the time. Another cluster can continue from it. */
  snapshot(): Snapshot
  stop(): Promise<void>
}

/** The state of a cluster at one moment, without the memory of programs. */
export interface Snapshot {
  readonly time: number
  readonly revision: number
  readonly items: readonly { readonly key: string; readonly object: KubeObject; readonly revision: number }[]
}

export interface SeenEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
}

/** A whole manifest. */
export type ApplyObject = ApiObject & { apiVersion: string; kind: string }

export async function embedded(options: EmbeddedOptions = {}): Promise<Embedded> {
  const cluster = new EmbeddedCluster(options)
  await cluster.start().catch(async (error: unknown) => {
    await cluster.stop().catch(() => undefined)
    throw error
  })
  return cluster
}

class EmbeddedCluster implements Embedded {
  readonly env: SimulatedEnv
  readonly plane: ControlPlane
  readonly client: Client
  readonly logs: string[] = []
  readonly requests: string[] = []
  readonly access = new AccessRecorder()
  readonly #options: EmbeddedOptions
  readonly #mapper: RestMapper
  #program: OperatorUnderTest | undefined
  /** Built-in controllers, scheduler and nodes, if requested. */
  #surroundings: OperatorUnderTest | undefined
  /** Programs that crashed: their requests are not sent, and they end as the clock advances. */
  readonly #dead: OperatorUnderTest[] = []
  #isStopped = false
  /** Writes of leases, which never stop and do not count as work. */
  #heartbeats = 0

  constructor(options: EmbeddedOptions) {
    this.#options = options
    const { from } = options
    // The seed of the snapshot would give the same UUIDs again.
    this.env = simulatedEnv({
      seed: options.seed ?? 1 + (from?.revision ?? 0),
      ...(from === undefined ? {} : { start: from.time }),
    })
    const store = defaultStore({ env: this.env, from })
    const { webhooks } = options
    const called =
      webhooks === undefined
        ? {}
        : {
            callWebhook: inProcessWebhooks(
              webhooks,
              () => this.client,
              createLogger({ env: this.env, write: (line) => this.logs.push(line), level: 'debug' }),
            ),
          }
    const builtin = embeddedControllers(options)
    this.plane = createControlPlane({
      creationWarnings: idleKindWarnings({ controllers: builtin, nodes: options.nodes ?? 0 }),
      serviceClusterIpRange: '10.0.0.0/16',
      ...options.controlPlane,
      ...called,
      admission: clusterAdmission(builtin, options.controlPlane?.admission),
      env: this.env,
      store,
    })
    this.plane.store.watch('/registry/leases/', this.plane.store.revision, () => this.#heartbeats++)
    this.client = new RestClient({
      env: this.env,
      transport: inProcessTransport(this.plane.transport()),
      fieldManager: 'user',
      timeoutMs: 0,
    })
    this.#mapper = new RestMapper(this.client)
  }

  get manager(): Manager {
    return this.#running.manager
  }

  get #running(): OperatorUnderTest {
    if (this.#program === undefined) throw new Error('the embedded cluster has been stopped')
    return this.#program
  }

  async start(): Promise<void> {
    if (this.#options.from === undefined) await this.#install()
    await this.#bringToLife()
    this.#begin()
    await this.#running.begun()
    await this.settle()
  }

  async #install(): Promise<void> {
    const kinds = this.#controllers().flatMap(({ kind, sources }) => [
      kind,
      ...sources.map((source) => source.kind),
    ]) as { readonly crd?: object }[]
    const { crds = [], webhooks = [] } = this.#options
    const converted = conversionsOf(webhooks).map(({ hub }) => hub.crd)
    // By name: a kind gives a fresh value on each access. Hubs come last, since their CRD has all versions.
    const definitions = new Map<string, CustomResourceDefinition>()
    for (const crd of [...kinds.flatMap((kind) => kind.crd ?? []), ...crds, ...converted] as CustomResourceDefinition[])
      definitions.set(crd.metadata.name ?? '', crd)
    for (const crd of definitions.values()) await this.client.create(CustomResourceDefinition, crd)
    await this.#established()
    await installWebhooks(this.client, webhooks)
  }

  #controllers(): readonly ControllerDefinition[] {
    const { controllers = [] } = this.#options
    return typeof controllers === 'function' ? controllers() : controllers
  }

  /** A separate program: neither faults nor crashes of the operator affect it. */
  async #bringToLife(): Promise<void> {
    const { nodes = 0, behaviours } = this.#options
    const builtin = embeddedControllers(this.#options)
    if (nodes === 0 && builtin.length === 0) return
    const parts = clusterControllers(this.plane, { ...this.#options, controllers: builtin, nodes, ca: emptyCa })
    if (nodes > 0) this.plane.serveLogs(simulatedPodLogs({ behaviours }))
    if (nodes > 0 && this.#options.metricsApi !== false) this.plane.serveUsage(simulatedUsage)
    this.#surroundings = new OperatorUnderTest({
      ...parts,
      env: this.env,
      transport: inProcessTransport(this.plane.transport()),
    })
    await this.#surroundings.begun()
  }

  async #established(): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      const { items } = await this.client.list(CustomResourceDefinition)
      if (
        items.every(
          ({ status }) =>
            status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true,
        )
      )
        return
      await this.env.advanceAsync(100)
    }
    throw new Error('a CustomResourceDefinition was not established: see its conditions')
  }

  #begin(): void {
    const {
      faults,
      namespaces,
      cache,
      tasks,
      leaderElection,
      gracePeriodMs,
      traces,
      transport: between = (inner: Transport) => inner,
    } = this.#options
    const plain = between(inProcessTransport(this.plane.transport()))
    const faulty = faults === undefined ? plain : faultyTransport(plain, this.env, faults, () => this.#replace())
    const log = createLogger({ env: this.env, write: (line) => this.logs.push(line), level: 'debug' })
    this.#program = new OperatorUnderTest({
      env: this.env,
      transport: this.access.transport(faulty),
      onRequest: (line) => this.requests.push(line),
      controllers: this.#controllers(),
      namespaces,
      cache,
      tasks,
      leaderElection,
      gracePeriodMs,
      traces,
      log,
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
    const managers = (): readonly Manager[] => this.#managers()
    return settle(
      {
        env: this.env,
        get queues() {
          return managers().flatMap(({ queues }) => queues)
        },
        revision: () => this.plane.store.revision - this.#heartbeats,
        flush: () => this.#flush(),
      },
      { ...this.#options.settle, ...options },
    )
  }

  #managers(): readonly Manager[] {
    return this.#surroundings === undefined ? [this.manager] : [this.manager, this.#surroundings.manager]
  }

  async #flush(): Promise<void> {
    // A program that has just been replaced has no keys before its caches have synced.
    while (this.manager.state === 'starting') await afterMicrotasks()
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
    this.#replace()
    await this.#running.begun()
  }

  #replace(): void {
    this.#running.die()
    this.#dead.push(this.#running)
    this.#begin()
  }

  async restart(): Promise<void> {
    await this.#running.end()
    this.#begin()
    await this.#running.begun()
  }

  snapshot(): Snapshot {
    return { time: this.env.now(), ...this.plane.store.list('/registry/') }
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    await this.#program?.end()
    this.#program = undefined
    for (const program of this.#dead.splice(0)) await program.end().catch(() => undefined)
    await this.#surroundings?.end()
    await this.plane.close()
  }
}
