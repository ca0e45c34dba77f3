/**
 * A whole cluster in one process with a simulated clock. Its controllers, its scheduler and its kubelets are programs
 * that can crash.
 */
import { inProcessTransport } from '../../src/client/in-process-transport.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import type { TransportRequest } from '../../src/client/transport.ts'
import { builtinControllers } from '../../src/controllers/index.ts'
import { createControlPlane, quotaCount, type ControlPlane } from '../../src/controlplane/index.ts'
import { afterMicrotasks } from '../../src/env/real.ts'
import { simulatedEnv, type SimulatedEnv } from '../../src/env/simulated.ts'
import type { Client, ControllerDefinition } from '../../src/index.ts'
import type { Task } from '../../src/manager/index.ts'
import { kubelets, nodesTask, provisioners, storageTask } from '../../src/kubelet/index.ts'
import { scheduler } from '../../src/scheduler/index.ts'
import { faultyTransport, settle, type Fault } from '../../src/testing/index.ts'
import { clusterAdmission } from '../../src/cluster/live-cluster.ts'
import { OperatorUnderTest } from '../../src/cluster/operator-under-test.ts'

export const programNames = ['controllers', 'scheduler', 'kubelets'] as const
export type ProgramName = (typeof programNames)[number]

/** Eight of the pods below fit on a node. */
export const capacity = { cpu: '4', pods: '20' }
export const nodeCount = 3

function partsOf(name: ProgramName): {
  readonly controllers: readonly ControllerDefinition[]
  readonly tasks: readonly Task[]
} {
  switch (name) {
    case 'controllers':
      return builtinControllers(['all'], { quota: quotaCount })
    case 'scheduler':
      return { controllers: [scheduler()], tasks: [] }
    case 'kubelets':
      return {
        controllers: [kubelets(), ...provisioners()],
        tasks: [nodesTask({ count: nodeCount, capacity, heartbeatMs: 40_000 }), storageTask()],
      }
  }
}

interface PlannedFault {
  readonly fault: Fault
  /** The number of writes of the program before the fault. */
  left: number
}

export class World {
  readonly env: SimulatedEnv
  readonly plane: ControlPlane
  /** The client of a user, without faults. */
  readonly client: Client
  readonly #programs = new Map<ProgramName, OperatorUnderTest>()
  readonly #dead: OperatorUnderTest[] = []
  readonly #faults = new Map<ProgramName, PlannedFault[]>()
  #heartbeats = 0
  #told = 0
  /** Called with a request whose sender does not get the result. */
  onMisled: (request: TransportRequest) => void = () => undefined

  constructor(seed: number) {
    this.env = simulatedEnv({ seed })
    this.plane = createControlPlane({ env: this.env, admission: clusterAdmission(['all']) })
    this.plane.store.watch('/registry/leases/', this.plane.store.revision, () => this.#heartbeats++)
    this.plane.store.watch('/registry/events/', this.plane.store.revision, () => this.#told++)
    this.client = new RestClient({
      env: this.env,
      transport: inProcessTransport(this.plane.transport()),
      fieldManager: 'user',
      timeoutMs: 0,
    })
  }

  async start(): Promise<void> {
    for (const name of programNames) this.#begin(name)
    for (const program of this.#programs.values()) await program.begun()
    await this.settle()
  }

  /** Crashes the program and starts it again. */
  crash(name: ProgramName): void {
    const program = this.#programs.get(name) as OperatorUnderTest
    program.die()
    this.#dead.push(program)
    this.#begin(name)
  }

  /** Plans a fault for one of the next writes of the program. */
  plan(name: ProgramName, fault: Fault, writesBefore: number): void {
    this.#faults.set(name, [...(this.#faults.get(name) ?? []), { fault, left: writesBefore }])
  }

  /** Removes all planned faults. */
  heal(): void {
    this.#faults.clear()
  }

  /** The number of writes, without node leases, which never end. */
  get writes(): number {
    return this.plane.store.revision - this.#heartbeats
  }

  /** The same without events: programs emit some when they start. */
  get changes(): number {
    return this.writes - this.#told
  }

  settle(): Promise<void> {
    const programs = this.#programs
    const flush = async (): Promise<void> => {
      while ([...programs.values()].some(({ manager }) => manager.state === 'starting')) await afterMicrotasks()
      await Promise.all([...programs.values()].map(({ manager }) => manager.flush()))
    }
    return settle({
      env: this.env,
      flush,
      revision: () => this.writes,
      get programs() {
        return [...programs.values()].map(({ manager }) => manager)
      },
    })
  }

  async stop(): Promise<void> {
    for (const program of [...this.#programs.values(), ...this.#dead]) await program.end().catch(() => undefined)
    await this.plane.close()
  }

  /** Programs that have ended by themselves, which is a failure. */
  get ended(): readonly ProgramName[] {
    return programNames.filter((name) =>
      ['stopping', 'ended'].includes(this.#programs.get(name)?.manager.state ?? 'ended'),
    )
  }

  #begin(name: ProgramName): void {
    const plain = inProcessTransport(this.plane.transport())
    const transport = faultyTransport(
      plain,
      this.env,
      (request) => this.#faultFor(name, request),
      () => this.crash(name),
    )
    const program = new OperatorUnderTest({ ...partsOf(name), env: this.env, transport, gracePeriodMs: 0 })
    this.#programs.set(name, program)
    program.start()
  }

  #faultFor(name: ProgramName, request: TransportRequest): Fault | undefined {
    if (request.method === 'GET') return undefined
    const planned = this.#faults.get(name) ?? []
    for (const each of planned) each.left--
    const due = planned.find(({ left }) => left < 0)
    this.#faults.set(
      name,
      planned.filter((each) => each !== due),
    )
    if (due?.fault.type === 'drop-after' || due?.fault.type === 'duplicate') this.onMisled(request)
    return due?.fault
  }
}
