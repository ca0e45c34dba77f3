/**
 * Whether the state of a kind is in doubt: the connection of a watch broke, and the server may have been rolled back
 * since. Reads of the cache wait until a check or a list has resolved the doubt, so that nothing is reconciled that may
 * not exist any more.
 */
import type { Env } from '../env/env.ts'
import { Latch } from './latch.ts'

export class ServerDoubt {
  #count = 0
  #resolved: Latch | undefined

  get exists(): boolean {
    return this.#count > 0
  }

  begin(): void {
    if (this.#count++ === 0) this.#resolved = new Latch()
  }

  end(): void {
    if (--this.#count === 0) this.#resolved?.open()
  }

  /** False if there is still a doubt after `ms`. Rejects with the signal's reason. */
  async resolvedWithin(ms: number, env: Env, signal?: AbortSignal): Promise<boolean> {
    return !this.exists || this.#resolved === undefined || this.#resolved.openedWithin(ms, env, signal)
  }
}
