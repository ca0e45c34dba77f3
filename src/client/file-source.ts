/** A file that another process rewrites: a token, a CA, a certificate. Read at most once a minute. */
import { readFile } from 'node:fs/promises'
import type { Env } from '../env/env.ts'

/** As client-go: tokens of service accounts live for an hour and are replaced long before their end. */
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

  /**
   * The text now, without the white space around it. When the file cannot be read, what it was before, if it ever was.
   */
  read(): Promise<string> {
    if (this.#text !== undefined && this.#env.now() - this.#readAt < lifetimeMs) return Promise.resolve(this.#text)
    this.#reading ??= this.#load().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  /** The next read reads the file again. */
  expire(): void {
    this.#readAt = -Infinity
  }

  async #load(): Promise<string> {
    const readAt = this.#env.now()
    try {
      this.#text = (await readFile(this.#path, 'utf8')).trim()
    } catch (error) {
      if (this.#text === undefined) throw error
    }
    this.#readAt = readAt
    return this.#text
  }
}
