/**
 * One accepted watch, read batch by batch. It is aborted if the server is silent for too long, since a connection can
 * die without notice. Only silence counts, not the age of the watch.
 */
import type { ApiObject } from '../api/live-object.ts'
import type { Client, WatchEvent, WatchOptions } from '../client/client.ts'
import type { Env, Timer } from '../env/env.ts'
import type { Kind } from '../schema/kind.ts'
import { SilentWatchError } from './watch-failure.ts'

export interface OpenWatchOptions extends Omit<WatchOptions, 'signal'> {
  /** Milliseconds without any data after which the watch is aborted. */
  readonly silenceMs: number
}

/** Shared: each one costs an exception with a stack, and only the connection sees it. */
const closed: unknown = AbortSignal.abort().reason

type Batch<T extends ApiObject> = readonly WatchEvent<T>[]

export class OpenWatch<T extends ApiObject> {
  readonly startedAt: number
  readonly #env: Env
  readonly #connection = new AbortController()
  readonly #signal: AbortSignal
  #silenceMs: number
  #iterator: AsyncIterator<Batch<T>> | undefined
  #prefetched: Promise<Batch<T> | undefined> | undefined
  #failure: { readonly error: unknown } | undefined
  #lastEventAt: number
  #guard: Timer | undefined
  #fail: ((error: Error) => void) | undefined

  private constructor(env: Env, silenceMs: number, signal: AbortSignal) {
    this.#env = env
    this.#silenceMs = silenceMs
    this.#signal = signal
    this.startedAt = env.monotonic()
    this.#lastEventAt = this.startedAt
    this.#arm(silenceMs)
    signal.addEventListener('abort', this.#abort, { once: true })
  }

  /** Rejects as the client does, or with a {@link SilentWatchError}. */
  static async open<T extends ApiObject>(
    client: Client,
    kind: Kind<T>,
    plan: OpenWatchOptions,
    env: Env,
    signal: AbortSignal,
  ): Promise<OpenWatch<T>> {
    const { silenceMs, ...options } = plan
    const watch = new OpenWatch<T>(env, silenceMs, signal)
    try {
      const events = await watch.#orSilence(client.watch(kind, { ...options, signal: watch.#connection.signal }))
      watch.#iterator = events[Symbol.asyncIterator]()
      return watch
    } catch (error) {
      watch.close()
      throw error
    }
  }

  /** Aborted when the watch is closed or has failed. */
  get signal(): AbortSignal {
    return this.#connection.signal
  }

  /** Starts to read the first events, for {@link next}. */
  prefetch(): void {
    this.#prefetched = this.#read()
    this.#prefetched.catch((error: unknown) => (this.#failure = { error }))
  }

  /** Throws if the watch has failed since {@link prefetch}, as by a 410. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** The next events; undefined if the server has ended the watch. */
  next(): Promise<Batch<T> | undefined> {
    const prefetched = this.#prefetched
    this.#prefetched = undefined
    return prefetched ?? this.#read()
  }

  async #read(): Promise<Batch<T> | undefined> {
    if (this.#iterator === undefined) return undefined
    const { done, value } = await this.#orSilence(this.#iterator.next())
    return done === true ? undefined : value
  }

  /** Changes the maximum silence from now on. */
  allowSilence(ms: number): void {
    this.#silenceMs = ms
    this.#arm(ms)
  }

  /** Ends the wait for events with this error. */
  fail(error: Error): void {
    this.#fail?.(error)
    this.#connection.abort(closed)
  }

  close(): void {
    this.#guard?.cancel()
    this.#signal.removeEventListener('abort', this.#abort)
    this.#connection.abort(closed)
    const iterator = this.#iterator
    this.#iterator = undefined
    // Not awaited: a reader that hangs in the middle of a batch would block.
    iterator?.return?.().then(undefined, () => undefined)
  }

  readonly #abort = (): void => {
    this.#connection.abort(closed)
    this.#fail?.(new Error('stopped'))
  }

  /** Does not rely on the connection to notice an abort. */
  async #orSilence<Value>(promise: Promise<Value>): Promise<Value> {
    this.#lastEventAt = this.#env.monotonic()
    try {
      return await new Promise<Value>((resolve, reject) => {
        this.#fail = reject
        promise.then(resolve, reject)
        if (this.#signal.aborted) this.#abort()
      })
    } finally {
      this.#fail = undefined
    }
  }

  #arm(ms: number): void {
    this.#guard?.cancel()
    this.#guard = this.#env.after(ms, () => {
      const silence = this.#env.monotonic() - this.#lastEventAt
      if (this.#fail === undefined) {
        // The reader is processing events and does not wait.
        this.#arm(this.#silenceMs)
      } else if (silence < this.#silenceMs) {
        this.#arm(this.#silenceMs - silence)
      } else {
        this.fail(new SilentWatchError(silence))
      }
    })
  }
}
