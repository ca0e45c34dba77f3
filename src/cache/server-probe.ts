/**
 * Finds a server that accepts connections and says nothing: a stopped process, a dead host behind a proxy. A watch at
 * rest is silent, too, for up to a minute. So there is one light request, for all watches, when the server has sent
 * nothing for a while. Any response will do.
 *
 * Guarantees: at most one probe at a time, none while anything arrives, and less than four a minute. A silent server is
 * reported within 30 s after it last sent something.
 */
import type { Client } from '../client/client.ts'
import { TransportError } from '../client/transport.ts'
import type { Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import { SilentWatchError } from './watch-failure.ts'

/** Four probes a minute need 15 s each. */
export const defaultProbeMs = 16_000
const timeoutMs = 12_000

/** A watch that is open. */
export interface ProbedWatch {
  fail(error: Error): void
}

export class ServerProbe {
  readonly #client: Client
  readonly #env: Env
  readonly #silenceMs: number
  readonly #watches = new Set<ProbedWatch>()
  #lastSeenAt: number

  /** `silenceMs`: milliseconds without anything from the server after which it is probed; 0: never. */
  constructor(client: Client, env: Env, silenceMs: number) {
    this.#client = client
    this.#env = env
    this.#silenceMs = silenceMs
    this.#lastSeenAt = env.monotonic()
  }

  /** The server has sent something. */
  seen(): void {
    this.#lastSeenAt = this.#env.monotonic()
  }

  opened(watch: ProbedWatch): void {
    this.#watches.add(watch)
  }

  closed(watch: ProbedWatch): void {
    this.#watches.delete(watch)
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#silenceMs <= 0) return
    while (!signal.aborted) {
      const leftMs = this.#lastSeenAt + this.#silenceMs - this.#env.monotonic()
      if (leftMs > 0 || this.#watches.size === 0) await pause(this.#env, Math.max(leftMs, 1000), signal)
      else await this.#probe(signal)
    }
  }

  async #probe(signal: AbortSignal): Promise<void> {
    const sentAt = this.#env.monotonic()
    try {
      await this.#client.raw('GET', '/version', { signal, timeoutMs })
    } catch (error) {
      const isTimeout = error instanceof TransportError && error.code === 'TIMEOUT'
      if (isTimeout && this.#lastSeenAt < sentAt && !signal.aborted) {
        const silent = new SilentWatchError(this.#env.monotonic() - this.#lastSeenAt)
        for (const watch of this.#watches) watch.fail(silent)
      }
    }
    this.seen()
  }
}
