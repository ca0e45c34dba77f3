/** A program under test: a manager that can end gracefully, be stopped for a while, or die at any moment. */
import { TransportError, type Transport } from '../client/transport.ts'
import { RunEnded } from '../external/external-error.ts'
import { connected, type CarryOut } from '../external/external.ts'
import { afterMicrotasks } from '../env/real.ts'
import type { SimulatedEnv } from '../env/simulated.ts'
import { Manager, type ManagerOptions } from '../manager/manager.ts'
import type { Instance } from './embedded-handle.ts'
import { ProcessEnv } from './process-env.ts'
import { stoppableCalls, stoppableTransport } from './stoppable-transport.ts'

export interface OperatorUnderTestOptions extends ManagerOptions {
  readonly env: SimulatedEnv
  /** Called for every request, as `PATCH /api/v1/...`. */
  readonly onRequest?: ((line: string) => void) | undefined
}

export class OperatorUnderTest implements Instance {
  readonly manager: Manager
  readonly #env: SimulatedEnv
  readonly #process: ProcessEnv
  readonly #stop = new AbortController()
  readonly #gone = new AbortController()
  #ended: Promise<void> = Promise.resolve()

  constructor({ onRequest, ...options }: OperatorUnderTestOptions) {
    this.#env = options.env
    this.#process = new ProcessEnv(options.env)
    const { transport, carryOut = connected } = options
    this.manager = new Manager({
      ...options,
      env: this.#process,
      measuresLag: false,
      transport: stoppableTransport(this.#untilStopped(transport, onRequest), this.#process),
      carryOut: stoppableCalls(this.#untilDead(carryOut), this.#process),
    })
  }

  get isLeading(): boolean {
    return this.manager.state === 'working' && !this.#process.isStopped
  }

  get isStopped(): boolean {
    return this.#process.isStopped
  }

  /** It was told to end, or ends because it failed. */
  get isEnding(): boolean {
    return this.#stop.signal.aborted || this.manager.state === 'stopping' || this.manager.state === 'ended'
  }

  /** Rejects with its failure. */
  get ended(): Promise<void> {
    return this.#ended
  }

  /** The first requests are sent before it returns. */
  start(): void {
    this.#ended = this.manager.run(this.#stop.signal)
    // The caller awaits the end. Until then a failure must not count as an unhandled rejection.
    this.#ended.catch(() => undefined)
  }

  #untilStopped(inner: Transport, onRequest: OperatorUnderTestOptions['onRequest']): Transport {
    const gone = this.#gone.signal
    return {
      request: async (request) => {
        if (gone.aborted) throw new TransportError('CLOSED', 'the program has died', false)
        onRequest?.(`${request.method} ${request.path}`)
        return inner.request({
          ...request,
          signal: request.signal === undefined ? gone : AbortSignal.any([gone, request.signal]),
        })
      },
      close: () => inner.close(),
    }
  }

  /** The code of a dead program does not continue. */
  #untilDead(carryOut: CarryOut): CarryOut {
    const checkAlive = (): void => {
      if (this.#gone.signal.aborted) throw new RunEnded('the program has died')
    }
    return async (call) => {
      checkAlive()
      try {
        return await carryOut(call)
      } finally {
        checkAlive()
      }
    }
  }

  /** Resolves when the manager works or is a standby. Without leader election that is when its caches have synced. */
  async begun(): Promise<void> {
    const { manager } = this
    for (let tries = 0; manager.state === 'starting'; tries++)
      await (tries < 20 ? afterMicrotasks() : this.#env.advanceAsync(100))
    if (manager.state !== 'stopping' && manager.state !== 'ended') return
    const ended = this.end()
    // A task that a crash interrupts fails, but only in a process that is gone.
    await (this.#gone.signal.aborted ? ended.catch(() => undefined) : ended)
  }

  setClock(byMs: number): void {
    this.#process.setClock(byMs)
  }

  stop(): void {
    this.#process.stop()
  }

  resume(): void {
    this.#process.resume()
  }

  running(): Promise<void> {
    return this.#process.running()
  }

  terminate(): void {
    this.#stop.abort()
  }

  /** Its requests are no longer sent. It ends as the clock advances. */
  die(): void {
    this.#gone.abort()
    this.#stop.abort()
    this.#process.resume()
  }

  /** Ends it gracefully; the clock advances for grace periods. Rejects with its failure. */
  async end(): Promise<void> {
    this.#stop.abort()
    this.#process.resume()
    for (let tries = 0; this.manager.state !== 'ended'; tries++)
      await (tries < 20 ? afterMicrotasks() : this.#env.advanceAsync(1000))
    await this.#ended
  }
}
