/** The progress of a build: one changing line on a terminal, otherwise a line every 30 seconds. */

/** Seconds between two lines without a terminal. */
const interval = 30

export interface Progress {
  /** The current activity, printed with the time since the start. */
  update(text: string): void
  end(): void
}

export type Log = (line: string) => void

/** Standard error, so that the output of a command stays clean. */
export const toStderr: Log = (line) => {
  process.stderr.write(`${line}\n`)
}

export function startProgress(title: string, log: Log): Progress {
  const started = performance.now()
  const live = log === toStderr && process.stderr.isTTY
  let detail = ''
  const show = (): void => {
    const line = `${title}: ${duration(performance.now() - started)}${detail}`
    if (live) process.stderr.write(`\r\u001B[2K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`)
    else log(line)
  }
  const timer = setInterval(show, live ? 1_000 : interval * 1_000)
  return {
    update(text) {
      detail = `, ${text}`
    },
    end() {
      clearInterval(timer)
      if (live) process.stderr.write('\r\u001B[2K')
    },
  }
}

/** Milliseconds as `4 min 35 s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
