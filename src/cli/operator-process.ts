/** The process around an operator: signals, streams, rejections that nobody handled, and its end. */
import { holdProcess } from '../env/real.ts'
import type { LeveledLogger } from '../telemetry/log-writer.ts'

/** Milliseconds after which a process that is done, and does not end by itself, is ended. */
const lingering = 2_000

export class OperatorProcess {
  readonly #stop = new AbortController()
  readonly #listeners: (readonly [event: string, listener: (value: unknown) => void])[] = []
  /** Also before the manager runs, while it waits for others. */
  readonly #alive = holdProcess()
  #log: LeveledLogger | undefined

  constructor() {
    this.#on('SIGTERM', () => this.#signalled('SIGTERM'))
    this.#on('SIGINT', () => this.#signalled('SIGINT'))
    // A reconcile that forgot to await is no reason to drop what all the others have in hand.
    this.#on('unhandledRejection', (error) => this.#log?.error('a promise was rejected and nobody handled it: is an await missing?', { error }))
    process.stdout.on('error', ignore)
  }

  /** Aborts at the first signal, or when the other does. */
  stopSignal(other: AbortSignal | undefined): AbortSignal {
    return other === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, other])
  }

  /** From now on signals and failures are logged, and SIGUSR2 turns debug lines on and off. (SIGUSR1 is Node's own.) */
  logTo(log: LeveledLogger): void {
    this.#log = log
    const { level } = log
    if (process.platform !== 'win32') this.#on('SIGUSR2', () => {
      log.level = log.level === 'debug' ? (level === 'debug' ? 'info' : level) : 'debug'
      log.info('log level changed', { logLevel: log.level })
    })
  }

  /** Leaves the process as it was, but for its exit code. It ends by itself, or is ended if something keeps it. */
  end(code: number): void {
    this.#alive.release()
    for (const [event, listener] of this.#listeners) process.off(event, listener)
    process.stdout.off('error', ignore)
    process.exitCode = code
    const isAsked = this.#stop.signal.aborted
    if (code !== 0 || isAsked) setTimeout(() => {
      process.stderr.write(`ended although something was still open: ${process.getActiveResourcesInfo().join(', ')}\n`)
      process.exit(code)
    }, lingering).unref()
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
