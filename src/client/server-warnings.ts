/** Warning headers of responses (`Warning: 299 - "…"`), each reported once an hour. */
import type { Env } from '../env/env.ts'
import type { Headers } from './transport.ts'

const hourMs = 60 * 60 * 1000
/** If there are more distinct warnings than this, the oldest are forgotten and reported again. */
const maxRememberedWarnings = 1000

export class ServerWarnings {
  readonly #env: Env
  readonly #report: (message: string) => void
  /** When each was reported, oldest first. */
  readonly #reported = new Map<string, number>()

  constructor(env: Env, report: (message: string) => void) {
    this.#env = env
    this.#report = report
  }

  read(headers: Headers): void {
    const values = headers['warning']
    if (values === undefined) return
    for (const value of typeof values === 'string' ? [values] : values)
      for (const message of parseWarnings(value)) this.#once(message)
  }

  #once(message: string): void {
    const now = this.#env.monotonic()
    const last = this.#reported.get(message)
    if (last !== undefined && now - last < hourMs) return
    this.#reported.delete(message)
    this.#reported.set(message, now)
    const [oldest] = this.#reported.keys()
    if (this.#reported.size > maxRememberedWarnings && oldest !== undefined) this.#reported.delete(oldest)
    this.#report(message)
  }
}

/** The texts of code 299 in a header, which may contain several. Invalid parts are ignored. */
export function parseWarnings(header: string): string[] {
  const messages: string[] = []
  const warning = /\s*(\d{3}) (?:[^\s"]+|\S+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*(?:,|$)/gy
  for (let found = warning.exec(header); found !== null; found = warning.exec(header)) {
    const [, code, text = ''] = found
    if (code === '299') messages.push(text.replaceAll(/\\(.)/g, '$1'))
  }
  return messages
}
