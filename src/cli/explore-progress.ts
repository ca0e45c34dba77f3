/** The progress of an exploration: one line that is kept up to date on a terminal, otherwise a line now and then. */
import type { Io } from './command.ts'

const everyMs = { terminal: 200, file: 10_000 }

export interface ProgressTexts {
  /** What is counted. */
  readonly what: string
  /** What happens before the first one. */
  readonly first: string
}

const ofSchedules: ProgressTexts = { what: 'schedules', first: 'running the scenario without faults' }

export class ExploreProgress {
  readonly #io: Pick<Io, 'error' | 'status'>
  readonly #now: () => number
  readonly #what: string
  readonly #startedAt: number
  #first: { readonly at: number; readonly done: number } | undefined
  #shownAt: number

  constructor(io: Pick<Io, 'error' | 'status'>, now: () => number, texts = ofSchedules) {
    this.#what = texts.what
    this.#io = io
    this.#now = now
    this.#startedAt = now()
    this.#shownAt = this.#startedAt
    io.status?.(texts.first)
  }

  show(done: number, of: number): void {
    const now = this.#now()
    this.#first ??= { at: now, done }
    const { status } = this.#io
    if (now - this.#shownAt < (status === undefined ? everyMs.file : everyMs.terminal)) return
    this.#shownAt = now
    const line = `${done.toLocaleString('en')} of ${of.toLocaleString('en')} ${this.#what}${this.#left(now, done, of)}`
    if (status === undefined) this.#io.error(line)
    else status(line)
  }

  /** Removes the line. */
  end(): void {
    this.#io.status?.('')
  }

  /** The time before the first schedule says nothing of the others. */
  #left(now: number, done: number, of: number): string {
    if (this.#first === undefined || done <= this.#first.done) return ''
    const seconds = Math.ceil((((now - this.#first.at) / (done - this.#first.done)) * (of - done)) / 1000)
    return seconds < 60 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`
  }
}
