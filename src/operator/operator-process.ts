/** The process around an operator: signals, streams, memory, rejections that nobody handled, and its end. */
import { setFlagsFromString } from 'node:v8'
import { atEndOfTurn, holdProcess } from '../env/real.ts'
import type { LeveledLogger } from '../telemetry/log-writer.ts'

/** Milliseconds after which a process that is done, and does not end by itself, is ended. */
const lingering = 2_000

/**
 * Percent by which the heap may grow beyond what lives until it is cleaned. An operator lives beside what it operates,
 * for months: V8's own measure, up to four times, is that of a page that is closed soon.
 */
const heapGrowth = 20

export class OperatorProcess {
  readonly #stop = new AbortController()
  readonly #listeners: (readonly [event: string, listener: (value: unknown) => void])[] = []
  /** Also before the manager runs, while it waits for others. */
  readonly #alive = holdProcess()
  #log: LeveledLogger | undefined
  #lines = ''

  constructor() {
    setFlagsFromString(`--heap-growing-percent=${heapGrowth}`)
    this.#on('SIGTERM', () => this.#signalled('SIGTERM'))
    this.#on('SIGINT', () => this.#signalled('SIGINT'))
    // A reconcile that forgot to await is no reason to drop what all the others have in hand.
    this.#on('unhandledRejection', (error) =>
      this.#log?.error('a promise was rejected and nobody handled it: is an await missing?', { error }),
    )
    this.#on('exit', () => this.#flush())
    process.stdout.on('error', ignore)
  }

  /**
   * A line for stdout. Those of one turn of the event loop are written together: a system call costs more than a line.
   */
  readonly write = (line: string): void => {
    if (this.#lines === '') atEndOfTurn(() => this.#flush())
    this.#lines += `${line}\n`
  }

  /** Aborts at the first signal, or when the other does. */
  stopSignal(other: AbortSignal | undefined): AbortSignal {
    return other === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, other])
  }

  /** From now on signals and failures are logged, and SIGUSR2 turns debug lines on and off. (SIGUSR1 is Node's own.) */
  logTo(log: LeveledLogger): void {
    this.#log = log
    const { level } = log
    if (process.platform !== 'win32')
      this.#on('SIGUSR2', () => {
        log.level = log.level === 'debug' ? (level === 'debug' ? 'info' : level) : 'debug'
        log.info('log level changed', { logLevel: log.level })
      })
  }

  /** Leaves the process as it was, but for its exit code. It ends by itself, or is ended if something keeps it. */
  end(code: number): void {
    this.#flush()
    this.#alive.release()
    for (const [event, listener] of this.#listeners) process.off(event, listener)
    process.stdout.off('error', ignore)
    process.exitCode = code
    const isAsked = this.#stop.signal.aborted
    if (code !== 0 || isAsked)
      setTimeout(() => {
        process.stderr.write(
          `ended although something was still open: ${process.getActiveResourcesInfo().join(', ')}\n`,
        )
        process.exit(code)
      }, lingering).unref()
  }

  #flush(): void {
    if (this.#lines !== '') process.stdout.write(this.#lines)
    this.#lines = ''
  }

  #signalled(signal: string): void {
    if (this.#stop.signal.aborted) process.exit(1)
    this.#log?.info('stopping', { signal })
    this.#stop.abort()
  }

  #on(event: string, listener: (value: unknown) => void): void {
    process.on(event, listener)
    this.#listeners.push([event, listener])
  }
}

function ignore(): void {
  // Whoever read the log has gone; the work goes on.
}
