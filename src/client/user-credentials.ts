/** The credentials of a kubeconfig or a service account: tokens, passwords, certificates, as text or in files. */
import type { ClientCertificate, Credential, Credentials } from './credentials.ts'
import type { FileSource } from './file-source.ts'
import { TransportError } from './transport.ts'

/** A text, or the file that contains it. */
export type TextOrFile = string | FileSource

export interface UserCredentialsOptions {
  /** The owner in errors: `user "dev" in /home/dev/.kube/config`. */
  readonly owner: string
  readonly token?: TextOrFile | undefined
  /** `Basic …`; a token takes precedence. */
  readonly basic?: string | undefined
  readonly cert?: TextOrFile | undefined
  readonly key?: TextOrFile | undefined
}

/**
 * The text itself, or the content of the file. A file that cannot be read is a CREDENTIALS error with its name and
 * owner.
 */
export async function readTextOrFile(value: TextOrFile, what: string, owner: string): Promise<string> {
  if (typeof value === 'string') return value
  try {
    return await value.read()
  } catch (error) {
    throw new TransportError(
      'CREDENTIALS',
      `${owner}: ${what} cannot be read from ${value.path}: ${(error as Error).message}`,
      false,
      error,
    )
  }
}

export class UserCredentials implements Credentials {
  readonly #options: UserCredentialsOptions
  #last: Credential | undefined

  constructor(options: UserCredentialsOptions) {
    this.#options = options
  }

  async current(): Promise<Credential> {
    const authorization = await this.#authorization()
    const certificate = await this.#certificate()
    const last = this.#last
    if (last !== undefined && last.authorization === authorization && last.certificate === certificate) return last
    return (this.#last = { authorization, certificate })
  }

  refused(): boolean {
    const { token } = this.#options
    if (token === undefined || typeof token === 'string') return false
    token.expire()
    return true
  }

  async #authorization(): Promise<string | undefined> {
    const { token, basic, owner } = this.#options
    return token === undefined ? basic : `Bearer ${await readTextOrFile(token, 'the token', owner)}`
  }

  /** The same value as before unless one of the two has changed: connections depend on its identity. */
  async #certificate(): Promise<ClientCertificate | undefined> {
    const { cert, key, owner } = this.#options
    if (cert === undefined || key === undefined) return undefined
    const texts = {
      cert: await readTextOrFile(cert, 'the client certificate', owner),
      key: await readTextOrFile(key, 'the client key', owner),
    }
    const last = this.#last?.certificate
    return last?.cert === texts.cert && last.key === texts.key ? last : texts
  }
}
