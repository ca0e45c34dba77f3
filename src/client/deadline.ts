/** Deadlines and signals of calls: a signal that combines several, and waits that can be aborted. */
import { setMaxListeners } from 'node:events'
import type { Env, Timer } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import { TransportError } from './transport.ts'

/**
 * A signal that aborts when any of the others does. Must be disposed: it listens to the others, which may live long.
 */
export class LinkedSignal {
  readonly #controller = new AbortController()
  readonly #others: readonly (AbortSignal | undefined)[]

  constructor(...others: readonly (AbortSignal | undefined)[]) {
    this.#others = others
    for (const other of others) {
      if (other === undefined) continue
      if (other.aborted) this.abort(other.reason)
      // Many listeners on one signal are no leak: it may end everything that a program does.
      setMaxListeners(0, other)
      other.addEventListener('abort', this.#follow)
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  dispose(): void {
    for (const other of this.#others) other?.removeEventListener('abort', this.#follow)
  }

  readonly #follow = ({ target }: Event): void => this.abort((target as AbortSignal).reason)
}

/** The same with a timeout. */
export class Deadline extends LinkedSignal {
  readonly #timer: Timer | undefined
  readonly #dueAt: number
  readonly #env: Env

  /** `timeout`: milliseconds; 0 means never. `what` appears in the error: `GET /version`. */
  constructor(env: Env, timeout: number, what: string, outer?: AbortSignal) {
    super(outer)
    this.#env = env
    this.#dueAt = timeout > 0 ? env.monotonic() + timeout : Infinity
    if (timeout <= 0) return
    this.#timer = env.after(timeout, () => {
      this.abort(new TransportError('TIMEOUT', `${what}: no answer within ${timeout / 1000} s`, false))
    })
  }

  /** Milliseconds left. */
  get leftMs(): number {
    return this.#dueAt - this.#env.monotonic()
  }

  /** Removes the timeout: only the caller's signal counts from now on. */
  lift(): void {
    this.#timer?.cancel()
  }

  override dispose(): void {
    this.lift()
    super.dispose()
  }
}

/** Resolves after `ms`; rejects if the signal aborts before. */
export async function sleep(env: Env, ms: number, signal?: AbortSignal): Promise<void> {
  await pause(env, ms, signal)
  if (signal?.aborted === true) throw abortError(signal, false)
}

/** The error of an aborted call: a deadline, a closed transport, or the caller's abort. */
export function abortError(signal: AbortSignal | undefined, sent: boolean): TransportError {
  const reason: unknown = signal?.reason
  if (reason instanceof TransportError) return new TransportError(reason.code, reason.message, sent, reason.cause)
  return new TransportError('ABORTED', 'the call was aborted by its signal', sent, reason)
}

/** The error of a closed transport. */
export function closedError(sent = false): TransportError {
  return new TransportError('CLOSED', 'the transport is closed', sent)
}
