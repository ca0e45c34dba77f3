/** The credentials of a client: what it sends with each request, and how it reacts to a 401. */

/** PEM texts. */
export interface ClientCertificate {
  readonly cert: string
  readonly key: string
}

/** The credentials for one request. The same value as long as nothing has changed. */
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

/** Credentials that never change. */
export function fixedCredentials(credential: Credential = {}): Credentials {
  return { current: () => Promise.resolve(credential), refused: () => false }
}
