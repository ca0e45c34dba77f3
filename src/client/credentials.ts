/** Who a client is: what it sends with each request, and what it does when the server refuses that. */

/** PEM texts. */
export interface ClientCertificate {
  readonly cert: string
  readonly key: string
}

/** What to send with one request. The same value as long as nothing has changed. */
export interface Credential {
  /** The whole header: `Bearer …`, `Basic …`. */
  readonly authorization?: string | undefined
  readonly certificate?: ClientCertificate | undefined
}

export interface Credentials {
  /** Rejects with a CREDENTIALS error that says what to do. */
  current(signal?: AbortSignal): Promise<Credential>
  /** The server responded with 401 to `used`. True if asking again may give other credentials. */
  refused(used: Credential): boolean
}

/** Always the same. */
export function fixedCredentials(credential: Credential = {}): Credentials {
  return { current: () => Promise.resolve(credential), refused: () => false }
}
