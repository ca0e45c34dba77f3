/**
 * The log subresource of pods, as text or followed. The server does not have the logs: the {@link PodLogSource} of the
 * embedded cluster returns what a container has printed so far. Tail, since, limits and following are done here.
 */
import type { KubeObject } from '../../api/object.ts'
import type { Env } from '../../env/env.ts'
import type { ApiResponse, StreamSink } from '../contract/request.ts'
import type { Store } from '../storage/store.ts'
import type { PodLogOptions } from './pod-log-options.ts'
import { instanceById, type ContainerInstance } from './pod-containers.ts'

/** Undefined if the pod is not on a node of this source. Called repeatedly while a log is followed. */
export type PodLogSource = (query: PodLogQuery) => ContainerLog | undefined

export interface PodLogQuery {
  readonly pod: KubeObject
  readonly container: string
  /** Which run of the container. */
  readonly instance: ContainerInstance
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface ContainerLog {
  /**
   * The retained lines, oldest first. Later calls return more lines at the end, and may have dropped lines at the
   * beginning.
   */
  readonly lines: readonly LogLine[]
  /** How many lines were dropped before them. */
  readonly dropped: number
  /** When the container prints next without a change of the pod, in milliseconds since the epoch. */
  readonly nextAt?: number | undefined
}

export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly time: number
  /** Without the line terminator. */
  readonly text: string
}

export interface LogReading {
  readonly env: Env
  readonly store: Store
  /** The storage key of the pod. */
  readonly key: string
  readonly source: PodLogSource
  readonly container: string
  readonly instance: ContainerInstance
  readonly options: PodLogOptions
}

/** `log` is the current log of the source. */
export function podLog(reading: LogReading, log: ContainerLog): ApiResponse {
  const text = new LogText(reading.options)
  const begin = text.first(log)
  if (!reading.options.follow) return { type: 'text', status: 200, contentType: 'text/plain', body: begin }
  return {
    type: 'stream',
    status: 200,
    contentType: 'text/plain',
    start: (sink) => new Following(reading, text, begin, sink),
  }
}

/** Selects and formats the lines of a log according to the options, incrementally. */
class LogText {
  readonly #options: PodLogOptions
  /** The number of lines processed so far, dropped ones included. */
  #seen = 0
  #bytesLeft: number

  constructor(options: PodLogOptions) {
    this.#options = options
    this.#bytesLeft = options.limitBytes ?? Infinity
  }

  get isFull(): boolean {
    return this.#bytesLeft === 0
  }

  first(log: ContainerLog): string {
    const { tailLines = Infinity } = this.#options
    this.#seen = Math.max(0, log.dropped + log.lines.length - tailLines)
    return this.more(log)
  }

  more({ lines, dropped }: ContainerLog): string {
    const { since = -Infinity } = this.#options
    const fresh = lines.slice(Math.max(0, this.#seen - dropped)).filter(({ time }) => time >= since)
    this.#seen = Math.max(this.#seen, dropped + lines.length)
    return this.#limited(fresh.map((line) => this.#written(line)).join(''))
  }

  #written({ time, text }: LogLine): string {
    return this.#options.timestamps ? `${new Date(time).toISOString().slice(0, -1)}000000Z ${text}\n` : `${text}\n`
  }

  #limited(text: string): string {
    const bytes = Buffer.byteLength(text)
    const taken = bytes <= this.#bytesLeft ? text : Buffer.from(text).subarray(0, this.#bytesLeft).toString()
    this.#bytesLeft = Math.max(0, this.#bytesLeft - bytes)
    return taken
  }
}

/** Reads the log again when the pod changes and at `nextAt`, until the container has terminated. */
class Following {
  readonly #reading: LogReading
  readonly #text: LogText
  readonly #sink: StreamSink
  readonly #watch: { stop(): void }
  #timer: { cancel(): void } | undefined
  #isOver = false

  constructor(reading: LogReading, text: LogText, begin: string, sink: StreamSink) {
    const { store, key } = reading
    this.#reading = reading
    this.#text = text
    this.#sink = sink
    this.#write(begin)
    this.#watch = store.watch(key.slice(0, key.lastIndexOf('/') + 1), store.revision, (event) => {
      if (event.key === key) this.#look(event.current.object, event.type === 'delete')
    })
    const stored = store.get(key)
    if (stored === undefined) this.#end()
    else this.#look(stored.object, false)
  }

  stop(): void {
    this.#isOver = true
    this.#timer?.cancel()
    this.#watch.stop()
  }

  #write(text: string): void {
    if (text !== '') this.#sink.write(text)
  }

  #end(): void {
    this.stop()
    this.#sink.end()
  }

  #look(pod: KubeObject, isGone: boolean): void {
    if (this.#isOver) return
    this.#timer?.cancel()
    const { env, source, container, instance } = this.#reading
    const now = env.now()
    const present = instanceById(pod, container, instance.id)
    const log = present === undefined ? undefined : source({ pod, container, instance: present, now })
    if (log !== undefined) this.#write(this.#text.more(log))
    if (isGone || log === undefined || present?.finishedAt !== undefined || this.#text.isFull) this.#end()
    else if (log.nextAt !== undefined)
      this.#timer = env.after(Math.max(1, log.nextAt - now), () => this.#look(pod, false))
  }
}
