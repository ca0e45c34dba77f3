/** A ring buffer of the latest traces. */
import type { Trace, TraceSink } from './trace.ts'

export interface TraceRingOptions {
  /** The maximum of traces. Default 200. */
  readonly maxCount?: number | undefined
  /** The maximum of bytes, as JSON. Default 4 MiB. A single larger trace is not kept. */
  readonly maxBytes?: number | undefined
  /** Which traces to keep. Default: all. */
  readonly keep?: ((trace: Trace) => boolean) | undefined
}

export class TraceRing implements TraceSink {
  readonly #maxCount: number
  readonly #maxBytes: number
  readonly #keep: (trace: Trace) => boolean
  readonly #kept: { readonly trace: Trace; readonly bytes: number }[] = []
  readonly #listeners = new Set<(trace: Trace) => void>()
  #size = 0

  constructor({ maxCount = 200, maxBytes = 4 << 20, keep = () => true }: TraceRingOptions = {}) {
    if (!(maxCount >= 1 && maxBytes >= 1)) throw new RangeError('a trace ring needs room for at least one trace')
    this.#maxCount = maxCount
    this.#maxBytes = maxBytes
    this.#keep = keep
  }

  add(trace: Trace): void {
    if (!this.#keep(trace)) return
    const bytes = Buffer.byteLength(JSON.stringify(trace))
    this.#kept.push({ trace, bytes })
    this.#size += bytes
    while (this.#kept.length > this.#maxCount || this.#size > this.#maxBytes)
      this.#size -= this.#kept.shift()?.bytes ?? 0
    for (const listener of this.#listeners) listener(trace)
  }

  /** Oldest first. */
  get traces(): readonly Trace[] {
    return this.#kept.map(({ trace }) => trace)
  }

  /** The size of the kept traces, in bytes of JSON. */
  get size(): number {
    return this.#size
  }

  /** Calls the listener for each trace that is added. Returns a function that removes the listener. */
  subscribe(listener: (trace: Trace) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
