/**
 * Our controllers beside a replay, in place of the kube-controller-manager of the recording. They work between two
 * records, as far as it had worked then: a write that the recorded answers do not show yet waits.
 */
import type { Transport, TransportRequest } from '../../src/client/transport.ts'
import { builtinControllers } from '../../src/controllers/index.ts'
import { quotaCount } from '../../src/controlplane/index.ts'
import { afterMicrotasks } from '../../src/env/real.ts'
import { inProcessTransport } from '../../src/client/index.ts'
import { Manager } from '../../src/manager/index.ts'
import type { Golden } from '../conformance/golden.ts'
import type { ClockedPlane } from '../conformance/plane-target.ts'
import { liveFile } from './recording.ts'

const toDeployment = /^(?:PUT|PATCH) .*\/deployments\/dep/

/**
 * Writes that had not arrived when a record was answered. The user patched the Deployment five times within a second,
 * faster than its controller worked: what had been done by then shows in the revisions of the objects.
 */
const late: Readonly<Record<number, RegExp>> = {
  // The annotation had reached the ReplicaSet, the new generation not yet the status.
  129: toDeployment,
  // The ReplicaSet of the second template was there, its revision not yet noted on the Deployment.
  132: toDeployment,
  // The third template had come before it was. The controller, which was refused, was about to make its ReplicaSet.
  133: /^POST .*\/replicasets/,
  // It is there. That the strategy has changed meanwhile the controller does not know yet.
  134: toDeployment,
  135: toDeployment,
}

const anyWrite = /^(?!GET )/

interface Held {
  readonly name: string
  readonly pass: () => void
}

export class LiveControllers {
  readonly #world: ClockedPlane
  readonly #manager: Manager
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>
  #late: RegExp | undefined
  #held: Held[] = []

  constructor(world: ClockedPlane) {
    this.#world = world
    const { controllers, tasks } = builtinControllers(['all'], { quota: quotaCount })
    const transport = this.#holding(inProcessTransport(world.plane.transport()))
    this.#manager = new Manager({ env: world.clock, transport, controllers, tasks, instance: '', gracePeriodMs: 0 })
    this.#ended = this.#manager.run(this.#stop.signal)
    // Whoever stops them looks at it.
    this.#ended.catch(() => undefined)
  }

  /**
   * Lets them do what had been done when the record was answered: half a second, in which whatever can be done is done.
   */
  async workUpTo({ file, n }: Golden): Promise<void> {
    this.#hold(file === liveFile ? late[n] : undefined)
    for (let step = 0; step < 25; step++) {
      for (let turn = 0; turn < 5; turn++) await afterMicrotasks()
      await this.#world.clock.advanceAsync(20)
    }
    // They stand still while the record is sent and answered.
    this.#late = anyWrite
  }

  async stop(): Promise<void> {
    this.#hold(undefined)
    this.#stop.abort()
    while (this.#manager.state !== 'ended') await this.#world.clock.advanceAsync(1000)
    await this.#ended
  }

  /** From now on these wait, and those that waited before do not. */
  #hold(names: RegExp | undefined): void {
    this.#late = names
    const [still, free] = [
      this.#held.filter(({ name }) => names?.test(name)),
      this.#held.filter(({ name }) => names?.test(name) !== true),
    ]
    this.#held = still
    for (const { pass } of free) pass()
  }

  #holding(inner: Transport): Transport {
    return {
      request: async (request) => {
        const name = nameOf(request)
        if (this.#late?.test(name) === true) await new Promise<void>((pass) => this.#held.push({ name, pass }))
        return inner.request(request)
      },
      close: () => inner.close(),
    }
  }
}

function nameOf({ method, path }: TransportRequest): string {
  return `${method} ${path}`
}
