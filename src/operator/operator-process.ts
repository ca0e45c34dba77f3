/** The process of an operator: signals, streams, memory settings, unhandled rejections, exit. */
import { setFlagsFromString } from 'node:v8'
import { onEventLoopTurn, holdProcess } from '../env/real.ts'
import type { LeveledLogger } from '../telemetry/log-writer.ts'

/** When to end a process that is done but does not exit by itself. */
const exitDelayMs = 2_000

/**
 * By how many percent the heap may grow beyond the live objects before a collection. An operator runs for months beside
 * its workload; V8's default, up to four times the live size, suits short-lived pages.
 */
const heapGrowth = 20

export class OperatorProcess {
  readonly #stop = new AbortController()
  readonly #listeners: (readonly [event: string, listener: (value: unknown) => void])[] = []
  /** Keeps the process alive, also while the manager waits for others. */
  readonly #alive = holdProcess()
  #log: LeveledLogger | undefined
  #lines = ''

  constructor() {
    setFlagsFromString(`--heap-growing-percent=${heapGrowth}`)
    this.#on('SIGTERM', () => this.#signalled('SIGTERM'))
    this.#on('SIGINT', () => this.#signalled('SIGINT'))
    // A missing await in one reconcile must not end all others.
    this.#on('unhandledRejection', (error) =>
      this.#log?.error('unhandled promise rejection: is an await missing?', { error }),
    )
    this.#on('exit', () => this.#flush())
    process.stdout.on('error', ignore)
  }

  /** Queues a line for stdout. Lines of one turn of the event loop are written together: system calls are expensive. */
  readonly write = (line: string): void => {
    if (this.#lines === '') onEventLoopTurn(() => this.#flush())
    this.#lines += `${line}\n`
  }

  /** Aborts at the first signal, or with the given signal. */
  stopSignal(other: AbortSignal | undefined): AbortSignal {
    return other === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, other])
  }

  /** From now on signals and failures are logged, and SIGUSR2 toggles debug logging. (Node reserves SIGUSR1.) */
  logTo(log: LeveledLogger): void {
    this.#log = log
    const { level } = log
    if (process.platform !== 'win32')
      this.#on('SIGUSR2', () => {
        log.level = log.level === 'debug' ? (level === 'debug' ? 'info' : level) : 'debug'
        log.info('log level changed', { logLevel: log.level })
      })
  }

  /**
   * Removes all handlers and sets the exit code. The process exits by itself, or is ended if something keeps it alive.
   */
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
      }, exitDelayMs).unref()
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
  // The reader of the log has gone; the program continues.
}
