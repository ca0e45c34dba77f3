/**
 * Time as one process has it: a wall clock of its own, and timers that do not fire while the process is stopped, as by
 * SIGSTOP. Everything else is that of the machine.
 */
import type { Env, Timer } from '../env/env.ts'

export class ProcessEnv implements Env {
  readonly #machine: Env
  #offsetMs = 0
  /** What became due while the process was stopped. Undefined: it runs. */
  #due: Set<() => void> | undefined
  #resumed: Promise<void> = Promise.resolve()
  #resume: () => void = () => undefined

  constructor(machine: Env) {
    this.#machine = machine
  }

  // Bound, because callers pass single functions of an environment around.
  readonly now = (): number => this.#machine.now() + this.#offsetMs
  readonly monotonic = (): number => this.#machine.monotonic()
  readonly random = (): number => this.#machine.random()
  readonly uuid = (): string => this.#machine.uuid()

  readonly after = (ms: number, task: () => void): Timer => {
    let timer = this.#machine.after(ms, () => (this.#due === undefined ? task() : void this.#due.add(late)))
    const late = (): void => void (timer = this.#machine.after(0, task))
    return {
      cancel: () => {
        timer.cancel()
        this.#due?.delete(late)
      },
    }
  }

  /** Sets the wall clock of this process forward or back. Timers and `monotonic()` do not notice. */
  setClock(byMs: number): void {
    this.#offsetMs += byMs
  }

  get isStopped(): boolean {
    return this.#due !== undefined
  }

  stop(): void {
    if (this.isStopped) return
    this.#due = new Set()
    this.#resumed = new Promise((resolve) => (this.#resume = resolve))
  }

  /** What waits for {@link running} goes on first: requests that were about to be sent. Then come the timers, late. */
  resume(): void {
    const due = this.#due ?? []
    this.#due = undefined
    this.#resume()
    for (const fire of due) fire()
  }

  /** Resolves when the process is not stopped. */
  async running(): Promise<void> {
    while (this.isStopped) await this.#resumed
  }
}
