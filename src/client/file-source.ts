/** A file that another process rewrites: a token, a CA, a certificate. Read at most once a minute. */
import { readFile } from 'node:fs/promises'
import type { Env } from '../env/env.ts'

/** As in client-go: tokens of service accounts are valid for an hour and are replaced long before their expiry. */
const lifetimeMs = 60_000

export class FileSource {
  readonly #env: Env
  readonly #path: string
  #text: string | undefined
  #readAt = -Infinity
  #reading: Promise<string> | undefined

  constructor(env: Env, path: string) {
    this.#env = env
    this.#path = path
  }

  get path(): string {
    return this.#path
  }

  /** The current text, trimmed. If the file cannot be read, the last text, if there was one. */
  read(): Promise<string> {
    if (this.#text !== undefined && this.#env.monotonic() - this.#readAt < lifetimeMs)
      return Promise.resolve(this.#text)
    this.#reading ??= this.#load().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  /** Makes the next read read the file again. */
  expire(): void {
    this.#readAt = -Infinity
  }

  async #load(): Promise<string> {
    const readAt = this.#env.monotonic()
    try {
      this.#text = (await readFile(this.#path, 'utf8')).trim()
    } catch (error) {
      if (this.#text === undefined) throw error
    }
    this.#readAt = readAt
    return this.#text
  }
}
