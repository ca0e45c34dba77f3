/**
 * Runs our controllers during a replay, instead of the kube-controller-manager of the recording. They work between two
 * records, up to the recorded state: writes that the recorded responses do not show yet are held back.
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
 * Writes that had not happened at the time of a record. The user patched the Deployment five times within a second,
 * faster than its controller worked; the revisions of the objects show the state of the controller.
 */
const late: Readonly<Record<number, RegExp>> = {
  // The annotation was on the ReplicaSet, the new generation not yet in the status.
  129: toDeployment,
  // The ReplicaSet of the second template existed, its revision was not yet on the Deployment.
  132: toDeployment,
  // The third template was written before that. The controller's update failed, and it was about to create the
  // ReplicaSet.
  133: /^POST .*\/replicasets/,
  // The ReplicaSet exists. The controller has not seen the changed strategy yet.
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
    // `stop` reports the error.
    this.#ended.catch(() => undefined)
  }

  /** Lets the controllers work up to the state of the record: all possible work of half a second. */
  async workUpTo({ file, n }: Golden): Promise<void> {
    this.#hold(file === liveFile ? late[n] : undefined)
    for (let step = 0; step < 25; step++) {
      for (let turn = 0; turn < 5; turn++) await afterMicrotasks()
      await this.#world.clock.advanceAsync(20)
    }
    // No writes while the request is sent and answered.
    this.#late = anyWrite
  }

  async stop(): Promise<void> {
    this.#hold(undefined)
    this.#stop.abort()
    while (this.#manager.state !== 'ended') await this.#world.clock.advanceAsync(1000)
    await this.#ended
  }

  /** Holds these writes from now on, and lets all others pass. */
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
